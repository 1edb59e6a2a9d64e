"""What course.py runs (lab, lessons, export, sweep, screenshots), and the scripts that made the files in data/."""
