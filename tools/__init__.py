"""What keeps the course in order: opening it, executing it, exporting it, picturing it."""
