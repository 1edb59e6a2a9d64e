"""When a goal of lesson 05 is reached; here because a rule in the page would tell where to go."""


def half_wasted(rows: int, texts: int) -> bool:
    """Half of the table's rows are reached by no text."""
    return rows == 2 * texts
