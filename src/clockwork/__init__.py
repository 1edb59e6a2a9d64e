"""The course: what lessons share (`kit`) and the lessons themselves."""
