"""Evidence that was measured, in a file beside the fit of its model."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from ...samplers import Evidence
from ..errors import InputError
from ..fits.manifest import written_whole
from ..fits.resuming import check_same_run
from ..fits.settings import Settings
from ..tables.table import Prepared
from .measured import Measured

SUFFIX = ".evidence.json"


def save_evidence(
    folder: Path, name: str, measured: Measured, prepared: Prepared, settings: Settings
) -> None:
    """Save the evidence of a model, if its run came to its end with one.

    Parameters
    ----------
    folder : Path
        Where the fits are.
    name : str
        The model.
    measured : Measured
        What its run gave.
    prepared : Prepared
        The table.
    settings : Settings
        Network and sampler.

    Raises
    ------
    StorageError
        If the disk is full, or closed to writing.
    """
    if measured.evidence is None or measured.interrupted:
        return
    record = {
        "evidence": asdict(measured.evidence),
        "settings": asdict(settings),
        "cases": prepared.digest,
        "versions": {name: version(name) for name in ("pymc-bnn", "pymc", "pytensor", "numba")},
    }
    with written_whole(folder / f"{name}{SUFFIX}") as partial:
        partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def saved_evidence(
    folder: Path, names: Iterable[str], prepared: Prepared, settings: Settings
) -> dict[str, Measured]:
    """Load the evidence that a run need not measure again.

    Parameters
    ----------
    folder : Path
        Where the fits are.
    names : iterable of str
        Variants that are asked for.
    prepared : Prepared
        The table.
    settings : Settings
        Network and sampler.

    Returns
    -------
    dict of str to Measured
        By variant.

    Raises
    ------
    InputError
        If the folder has evidence of other cases, with other settings or of another version of
        this package, or it cannot be read.
    """
    found = {}
    for name in names:
        path = folder / f"{name}{SUFFIX}"
        if not path.exists():
            continue
        record, evidence = _read(path)
        what = f"evidence of {name}"
        made = record.get("versions", {}).get("pymc-bnn")
        if made not in (None, version("pymc-bnn")):
            raise InputError(
                f"{str(path)!r} holds evidence that pymc-bnn {made} measured; delete it and "
                "measure again."
            )
        check_same_run(folder, what, record["settings"], record["cases"], prepared, settings)
        found[name] = Measured(evidence)
    return found


def _read(path: Path) -> tuple[dict, Evidence]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        written = record["evidence"]
        lists = {key: tuple(written[key]) for key in ("assumed", "cautions")}
        record["settings"].keys(), record["cases"]
        return record, Evidence(**{**written, **lists})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{str(path)!r} holds no evidence that pymc-bnn compare has saved; delete it and "
            "measure again."
        ) from None
