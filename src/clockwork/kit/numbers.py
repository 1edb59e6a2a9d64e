"""Write numbers as pictures and captions show them; painter.js does the same in the browser."""


def fixed(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals and a true minus."""
    text = f"{value:.{digits}f}"
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")


def say(value: float, digits: int = 3) -> str:
    """Return a number with at most so many decimals, none of them a zero at the end."""
    return f"{round(float(value), digits):g}".replace("-", "−")


def amount(value: float) -> str:
    """Return a number with two decimals, a small one with four."""
    return fixed(value, 4 if value != 0 and abs(value) < 0.1 else 2)


def row(name: str, *columns, width: int = 20) -> str:
    """Return a line of a printed table: a name, then groups of numbers with two decimals, or the words above them.

    Args:
        name: what stands in front.
        columns: for each group its numbers, or a word as wide as three numbers.
        width: characters of the name's column.

    Example:
        >>> row("right at", "32 tokens", "64 tokens")
        'right at             32 tokens        64 tokens'
        >>> row("as trained", [1, 0.999, 0.5], [0.25, 0.125, 0])
        'as trained           1.00 1.00 0.50   0.25 0.12 0.00'
    """
    groups = (each if isinstance(each, str) else " ".join(fixed(float(number)) for number in each) for each in columns)
    return f"{name:{width}} " + "   ".join(f"{group:14}" for group in groups).rstrip()
