"""Configuration of the documentation.

Build it from the root of the repository; no network is needed:

    uv run --group docs sphinx-build -W docs docs/_build/html
"""

import sys
from importlib.metadata import version as version_of
from inspect import signature
from pathlib import Path
from textwrap import shorten
from typing import Any

from docutils import nodes

sys.path.insert(0, str(Path(__file__).parent))

project = "pymc-bnn"
author = "the pymc-bnn developers"
version = release = version_of("pymc-bnn")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "formulas",
]
html_math_renderer = "mathml"
exclude_patterns = ["_build"]
templates_path = ["_templates"]

html_theme = "furo"
html_title = f"pymc-bnn {release}"
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# pages with code run at every build, so that what they show is what the package does
nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_output_stderr = "remove"
nb_render_image_options = {"alt": "A picture; the text beside it says what it shows."}

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings give types in words
numpydoc_show_class_members = False


def show_arguments(
    app: Any, what: str, name: str, obj: Any, options: Any, shown: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Show the arguments of classes that PyMC's metaclasses hide."""
    if what == "class" and shown == "(*args, **kwargs)":
        own = signature(obj.__init__)
        arguments = [p.replace(annotation=p.empty) for p in own.parameters.values()][1:]
        shown = str(own.replace(parameters=arguments, return_annotation=own.empty))
    return shown, returns


def describe_pictures(app: Any, page: nodes.document, name: str) -> None:
    """Give pictures the words beside them, for those who cannot see them."""
    _describe_outputs(page)
    examples = (part for part in page.findall(nodes.container) if "example" in part["classes"])
    for example in examples:
        words = [paragraph.astext() for paragraph in example.findall(nodes.paragraph)]
        for picture in example.findall(nodes.image):
            picture.attributes.setdefault("alt", words[-1])


def _describe_outputs(page: nodes.document) -> None:
    """Give pictures that cells draw the paragraph before them."""
    words = ""
    for node in page.findall(lambda n: isinstance(n, nodes.paragraph | nodes.image)):
        if isinstance(node, nodes.paragraph):
            words = node.astext()
        elif words and node.get("alt") == nb_render_image_options["alt"]:
            node["alt"] = shorten(f"A picture beside these words: {words}", 400, placeholder=" …")


def setup(app: Any) -> None:
    """Register what Sphinx calls while it builds."""
    app.connect("doctree-resolved", describe_pictures)
    app.connect("autodoc-process-signature", show_arguments)
