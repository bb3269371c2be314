"""A folder for compiled code where the usual one is closed or full: that costs time, and no result.

PyTensor makes its folder when it is imported, and fails where it cannot.
"""

import atexit
import os
import re
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp

FLAGS, FLAG = "PYTENSOR_FLAGS", "base_compiledir"
LEAST_ROOM = 100 * 2**20  # bytes; all of a comparison's code needs less


def find_room_for_compiled_code() -> str | None:
    """Have PyTensor compile into a temporary folder, if nothing can be written to its own.

    Does nothing once PyTensor is imported, or where its settings come from a file.

    Returns
    -------
    str or None
        What to tell the user, if so.

    Examples
    --------
    >>> from pymc_bnn.studies.fits.compiled_code import find_room_for_compiled_code
    >>> find_room_for_compiled_code()  # PyTensor is there already
    """
    if "pytensor" in sys.modules or (Path.home() / ".pytensorrc").exists():
        return None
    folder = _usual_folder(os.environ.get(FLAGS, ""))
    if (reason := _obstacle(folder)) is None:
        return None
    instead = mkdtemp(prefix="pymc-bnn-compiled-")
    if _obstacle(Path(instead)) is not None:
        os.rmdir(instead)
        return None
    atexit.register(shutil.rmtree, instead, ignore_errors=True)
    # the last of two flags counts, and worker processes inherit them
    os.environ[FLAGS] = ",".join(filter(None, (os.environ.get(FLAGS), f"{FLAG}={instead}")))
    return f"Everything is compiled anew, as the folder of compiled code {str(folder)!r} {reason}."


def _usual_folder(flags: str) -> Path:
    named = re.findall(rf"(?:^|,)\s*{FLAG}\s*=\s*([^,]+)", flags)
    if named:
        return Path(named[-1].strip()).expanduser()
    windows = os.environ.get("LOCALAPPDATA") if os.name == "nt" else None
    return Path(windows) / "PyTensor" if windows else Path.home() / ".pytensor"


def _obstacle(folder: Path) -> str | None:
    """Why nothing can be written to a folder, which need not be there yet."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(there, os.W_OK):
        return "cannot be written"
    if shutil.disk_usage(there).free < LEAST_ROOM:
        return "is on a full disk"
    return None
