"""The pictures of the short way, one call each, and what their runs decide."""

import itertools

from clockwork.lessons.lesson_00 import views


def who_is_hurt() -> views.WhoIsHurt:
    """Drag *tom* past the dog, and ask a trained model who is hurt."""
    return views.WhoIsHurt(remember="00/hurt", asks="00/hurt")


def swap_two_words() -> views.ABag:
    """Let two words change places without clocks."""
    return views.ABag(remember="00/bag")


def a_number_on_each_word() -> views.NumberEachWord:
    """Write a number on each word, and look at the steps."""
    return views.NumberEachWord(remember="00/number")


def a_wave_through_each_digit() -> views.AWave:
    """Melt binary digits into waves."""
    return views.AWave(remember="00/wave", asks="00/wave")


def two_waves_are_one_hand() -> views.OneHand:
    """Bend two waves into one hand."""
    return views.OneHand(remember="00/hand")


def all_hands() -> views.AllHands:
    """Read a secret position off its clock."""
    return views.AllHands(remember="00/all")


def the_dial_unrolls() -> views.DialUnrolls:
    """Unroll the dial into the table of sines and cosines."""
    return views.DialUnrolls(remember="00/unroll")


def move_the_text() -> views.MoveTheText:
    """Move two words through a text, and look at the angles between their clocks."""
    return views.MoveTheText(remember="00/text", asks="00/moved")


def turn_the_clock_in_a_model() -> views.TurnTheHead:
    """Turn the clock that a trained head reads."""
    return views.TurnTheHead(remember="00/head", asks="00/knob")


def the_clocks_of_today() -> views.TodaysHands:
    """Make a text longer than a published model was made for."""
    return views.TodaysHands(remember="00/today")


def flip() -> float:
    """Return where the answer to *who is hurt?* changes from dog to tom: halfway between two places of *tom*."""
    view = views.WhoIsHurt()
    places = view.values("tom")
    for before, after in itertools.pairwise(places):
        view.tom = after
        dog, tom = view.numbers()["shares"]
        if tom > dog:
            return (before + after) / 2
    raise ValueError(f"the answer must change on the way (the question asks where), got dog up to {places[-1]}")


def twin() -> int:
    """Return the other position at which the slowest wave is as high as at position 2, found by looking at all."""
    heights = views.AWave(melt=10).waves()[-1]
    (other,) = [q for q, height in enumerate(heights) if q != 2 and abs(height - heights[2]) < 1e-9]
    return other


def angle_between(further: int = 10) -> float:
    """Return where the longest hand of the third clock points, in rad, once the text is moved."""
    shown = views.MoveTheText(first=further, apart=3).numbers()
    return float(shown["there"][0] - shown["here"][0])


def letter_named(by: int = 5) -> int:
    """Return how many places back the letters lie that the model names with its clock turned back by `by`."""
    view = views.TurnTheHead(by=by)
    answers, _ = view.answered(view.back)
    text = view.tokens
    hits = {
        back: sum(answers[i] == text[i - back] for i in range(back, len(text))) / (len(text) - back)
        for back in range(16)
    }
    return max(hits, key=hits.get)
