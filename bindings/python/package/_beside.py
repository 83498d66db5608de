"""Small files of JSON in the folder of a model's weights: where they are, and what they say. Knows no file's fields."""
import json
import os
from typing import Any, Dict, Optional


def path_beside(weights: Any, name: str) -> Optional[str]:
    """The path of a file in the folder of weights, or in the folder `weights`, where there is one."""
    if not isinstance(weights, (str, os.PathLike)):
        return None
    folder = weights if os.path.isdir(weights) else os.path.dirname(weights)
    path = os.path.join(os.fsdecode(folder), name)
    return path if os.path.exists(path) else None


def object_of(path: str, expected: str) -> Dict[str, Any]:
    """The object of a file; {} for null. ValueError: anything else. expected: what the file is, for the message."""
    if not os.path.isfile(path):  # to open a pipe is to wait for its writer
        raise ValueError("%s: not a regular file; expected %s" % (path, expected))
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (ValueError, RecursionError) as error:  # of bytes that are not UTF-8, and of values that are nested too deep
        raise ValueError("%s: %s; expected %s" % (path, error, expected)) from None
    if found is not None and not isinstance(found, dict):
        raise ValueError("%s: the file is %.60r; expected an object" % (path, found))
    return found or {}
