"""Two dials side by side: the reader's own, and that of a position that is given."""

from clockwork.kit.widgets.clock import Clock


class TwoDials(Clock):
    """A `Clock` beside the dial of a position that the lesson names."""

    secret_caption = "{Left}, your dial. {Right}, that of position 0."
