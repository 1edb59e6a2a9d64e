"""What course.py runs (lab, lessons, site, sweep, screenshots), and the scripts that made the files in data/."""

import sys

# nbformat's validator imports jsonschema, whose optional format checks build 38 grammars: 3 s; no notebook needs one.
sys.modules.setdefault("rfc3987_syntax", None)
