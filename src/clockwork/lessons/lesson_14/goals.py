"""What a reader is asked to find in the pictures of lesson 14."""


def alone_again(border, positions, mask, encoding):
    """Say whether the sinusoid answers each document as if it were alone."""
    return (encoding, mask, positions) == ("sinusoid", "each document alone", "restart")


def harmless(before, pads, positions, encoding):
    """Say whether pads spend numbers and rotary does not mind, because all of the text lies on one side of them."""
    return encoding == "rotary" and positions == "count the pads" and before in (0, 16)
