"""The course: what lessons share (`kit`) and the lessons themselves."""

import sys as _sys

if "ipykernel" in _sys.modules:  # in a lesson
    from clockwork import _same_version

    if _said := _same_version.warning():
        print(_said)
