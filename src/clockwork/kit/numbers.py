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
