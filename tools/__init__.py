"""What course.py runs (lab, lessons, site, sweep, screenshots), and the scripts that made the files in data/."""
