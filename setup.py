"""Find all packages: three rooms at the top level, imported as one namespace."""

from setuptools import find_packages, setup

ROOMS = "models", "samplers", "studies"
FOUND = find_packages(include=[f"{room}{inside}" for room in ROOMS for inside in ("", ".*")])

setup(
    packages=[f"pymc_bnn.{name}" for name in FOUND],
    package_dir={f"pymc_bnn.{room}": room for room in ROOMS},
)
