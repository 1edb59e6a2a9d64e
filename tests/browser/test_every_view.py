"""What holds for every kind of picture: numbers are Python's, hand and slider agree, fingers work, all can read it."""

import re

import pytest
from conftest import without_checks
from driving import (
    agree,
    axe_source,
    every_view,
    open_page,
    page_of,
    same_words,
    violations,
    wait_for_widgets,
)

pytestmark = pytest.mark.browser
KEPT = {
    "Sentence": ["order", "chosen"],
    "TakeApart": ["chosen"],
    "Sketch": ["drawn", "shown"],
    "Referee": ["bought", "opened"],
    "Wall": ["guesses"],
}  # traits without a slider
LINE = """i => [...inOrder()[i].root.querySelector(".pe-reading").childNodes]
    .filter((part) => !part.dataset?.scrub).map((part) => part.textContent).join("")"""  # without the sliders' values
NOTES = """() => inOrder().map(({ root, canvas }) =>
    [root.querySelector(".pe-note").textContent, canvas.getAttribute("aria-label")])"""
AFRESH = "i => { const p = inOrder()[i]; p.kept = {}; p.redraw(); }"
DRAGS = [(60, 0), (40, 30), (-50, -30), (-40, 12)]  # CSS pixels from where it was gripped


def gallery():
    """Make one view of each kind, small ones."""
    import torch

    from clockwork.kit import attention, tasks, training, widgets
    from clockwork.lessons.lesson_00 import views as short
    from clockwork.lessons.lesson_01.views import Hurt, Multiplied, Norm, Places, Sentence, Twins
    from clockwork.lessons.lesson_02.views import Adversary, FarAndSharp, LearnHere, Race, Spacing, Trace, Wave
    from clockwork.lessons.lesson_03.views import Corkscrews, Learning, TwoDials
    from clockwork.lessons.lesson_04.views import Offsets, Riddle, Sharpness, Shift, Sketch
    from clockwork.lessons.lesson_04b.views import AddedOrTurned, Layouts, OwnTurn, Partial, Values
    from clockwork.lessons.lesson_05.views import Referee, TrainedModels, TwoTables
    from clockwork.lessons.lesson_06.views import Directions, Loudness, TakeApart
    from clockwork.lessons.lesson_07.views import Bias, Query, Slope
    from clockwork.lessons.lesson_08.views import FourHands, Longer, Named, Parted, Remedies, Slowing, Stretch
    from clockwork.lessons.lesson_09.views import Planes, Warp
    from clockwork.lessons.lesson_10.views import Faults, Passing, Wall
    from clockwork.lessons.lesson_11.views import FarTokens, Gap, RealHeads, StoppedHands, TextLength, stops
    from clockwork.lessons.lesson_12.views import Agreement, Ladder, Phase, Slowed
    from clockwork.lessons.lesson_13.views import Average, FirstTurn, Knob, LookAlikes
    from clockwork.lessons.lesson_14.views import Cached, Holes, Numbered, Packed, Strips
    from clockwork.lessons.lesson_15.views import Daily, Ends, Larger, Reach
    from pe_helpers import sinusoidal

    widths = widgets.Slider(16, (4, 8, 16, 32), "d_model")
    few = widgets.Slider(7, range(12), "position (tokens)")
    torch.manual_seed(0)
    schemes = {"none": attention.Encoding(), "rotary": attention.Rotary(), "ALiBi": attention.Alibi()}
    models = {
        name: attention.Transformer(4, scheme, d_model=16, num_heads=2, causal=True) for name, scheme in schemes.items()
    }
    tables = {"sinusoid": sinusoidal.table(96, 32), "noise": torch.randn(80, 24)}
    trained = {
        name: training.train(
            lambda scheme=scheme: attention.Transformer(16, scheme(), d_model=16),
            tasks.THREE_BACK,
            (0, 1),
            steps=1,
            batch_size=2,
        )
        for name, scheme in (("none", attention.Encoding), ("rotary", attention.Rotary))
    }
    by_three = widgets.Challenge("Put [[hand 1|hand=1]] at 3.", lambda position: position == 5)
    return {
        "WhoIsHurt": short.WhoIsHurt(tom=2.7),
        "MoveTheText": short.MoveTheText(first=11),
        "TurnTheHead": short.TurnTheHead(by=2),
        "TodaysHands": short.TodaysHands(length=8192),
        "ABag": short.ABag(order=3),
        "NumberEachWord": short.NumberEachWord(),
        "AWave": short.AWave(melt=4),
        "OneHand": short.OneHand(shown="one hand"),
        "AllHands": short.AllHands(read=2),
        "DialUnrolls": short.DialUnrolls(shown="columns"),
        "Clock": widgets.Clock(widgets.Cursor(position=22, hand=1, d_model=widths), challenges=[by_three]),
        "Wave": Wave(widgets.Cursor(position=22, hand=1, d_model=widths)),
        "Adversary": Adversary("sin(p), cos(p), sin(p / 10), cos(p / 10)"),
        "LearnHere": LearnHere(),
        "Race": Race(),
        "FarAndSharp": FarAndSharp(),
        "Spacing": Spacing(),
        "Trace": Trace(position=22, d_model=8, hand=1, steps=[widgets.Step("Look.", position=9)]),
        "Corkscrews": Corkscrews(widgets.Cursor(position=22, d_model=widths), hand=1),
        "Learning": Learning(step=110),
        "Offsets": Offsets(position=5, k=5, d_model=16),
        "Sharpness": Sharpness(s=5),
        "Riddle": Riddle(),
        "Shift": Shift(),
        "Sketch": Sketch(
            range(31), sinusoidal.kernel(range(31), 16), ask="Draw K(k).", because="It rises.", ylim=(-2, 8), ylabel="K"
        ),
        "AddedOrTurned": AddedOrTurned(position=20),
        "Layouts": Layouts(program="half"),
        "OwnTurn": OwnTurn(back=5),
        "Partial": Partial(),
        "Values": Values(),
        "Sentence": Sentence("tom bit a dog", order=[2, 3, 1, 0]),
        "Places": Places(position=7, d_model=8, code="binary digits"),
        "TakeApart": TakeApart(
            "time flies like an arrow but fruit flies like a banana", widgets.Cursor(position=few, d_model=widths)
        ),
        "Query": Query(widgets.Cursor(position=few), models, torch.tensor([0, 1, 2, 3] * 3), scheme="rotary", key=4),
        "Bias": Bias([8 - 0.7 * back for back in range(24)]),
        "Stretch": Stretch(method="LongRoPE", factor=32),
        "Longer": Longer(longer=2),
        "Parted": Parted(start=48),
        "FourHands": FourHands(method="NTK-aware"),
        "Named": Named(by=2.0),
        "Remedies": Remedies(hand1=4.0),
        "Slowing": Slowing(hand1="slowed"),
        "Planes": Planes(tables),
        "Warp": Warp(wandering(), amount=0.5),
        "Faults": Faults("doubled exponent"),
        "Passing": Passing("stale cache"),
        "Wall": Wall(fault="chunks from 0", guesses=[-1] * 10 + [2, 0]),
        "Ladder": Ladder(),
        "TwoTables": TwoTables(position=7, d_model=8),
        "Referee": Referee(bought=[18, 18, 6, 42, 41, 42, 18]),
        "TrainedModels": TrainedModels(trained, tasks.THREE_BACK, range(24, 49, 3), batch_size=4),
        "RealHeads": RealHeads(stops(first=4, count=8)),
        "StoppedHands": StoppedHands(stops(first=0, count=12)),
        "Gap": Gap(gap=8_000),
        "TextLength": TextLength(length=256, first=12),
        "FarTokens": FarTokens(),
        "Slope": Slope({1 / 256: [0.23, 0.22], 0.29: [0.5, 0.6], 0.7: [0.9, 0.8], 2.0: [0.4, 0.3]}, slope=0.29),
        "Multiplied": Multiplied(factor=0.24),
        "Hurt": Hurt("code", attend="def attend(x):\n    return (x @ x.T / sqrt(x.shape[1])).softmax(-1) @ x", order=7),
        "Norm": Norm(position=5),
        "Twins": Twins(),
        "TwoDials": TwoDials(position=10, d_model=8, secret=0),
        "Phase": Phase(finished=3, unfinished=2),
        "Average": Average(torch.randn(32, 32), count=16),
        "FirstTurn": FirstTurn(),
        "Knob": Knob(attention.Transformer(16, attention.Sinusoid(), d_model=32), torch.arange(40) % 16),
        "LookAlikes": LookAlikes(
            attention.Transformer(16, attention.Sinusoid(), d_model=32),
            *tasks.k_back(4, 128, k=3, generator=torch.Generator().manual_seed(0)),
            query=70,
        ),
        "Numbered": Numbered(),
        "Holes": Holes(),
        "Packed": Packed(positions="restart"),
        "Cached": Cached(),
        "Strips": Strips(query_start=4, key_start=1),
        "Reach": Reach(),
        "Daily": Daily(),
        "Larger": Larger(side=20),
        "Ends": Ends(factor=2.0),
        "Loudness": Loudness(std=0.1),
        "Directions": Directions(sinusoidal.table(512, 512, dtype=torch.float64), torch.eye(512, dtype=torch.float64)),
        "Agreement": Agreement(),
        "Slowed": Slowed(),
    }


VIEWS = ["WhoIsHurt", "MoveTheText", "TurnTheHead", "TodaysHands"]
VIEWS += ["ABag", "NumberEachWord", "AWave", "OneHand", "AllHands", "DialUnrolls"]
VIEWS += ["Clock", "Wave", "Adversary", "LearnHere", "Race", "FarAndSharp", "Spacing", "Trace"]
VIEWS += ["Corkscrews", "Learning", "Offsets", "Sharpness", "Riddle", "Shift", "Sketch"]
VIEWS += ["AddedOrTurned", "Layouts", "OwnTurn", "Partial", "Values", "Sentence", "Places"]
VIEWS += [
    "TakeApart",
    "Query",
    "Bias",
    "Stretch",
    "Longer",
    "Parted",
    "FourHands",
    "Named",
    "Remedies",
    "Slowing",
    "Planes",
    "Warp",
    "Faults",
    "Passing",
    "Wall",
    "Ladder",
    "TwoTables",
    "Referee",
    "TrainedModels",
]
VIEWS += ["RealHeads", "StoppedHands", "Gap", "TextLength", "FarTokens", "Slope", "Multiplied"]
VIEWS += ["Hurt", "Norm", "Twins", "TwoDials", "Phase"]
VIEWS += ["Average", "FirstTurn", "Knob", "LookAlikes", "Numbered", "Holes", "Packed", "Cached", "Strips"]
VIEWS += ["Reach", "Daily", "Larger", "Ends", "Loudness", "Directions", "Agreement", "Slowed"]
TYPED = {
    "Adversary",
    "Hurt",
    "LearnHere",
    "Race",
}  # a field and buttons: test_lesson_02_by_hand.py, test_machine_by_hand.py
STEADY = {"Referee", "LookAlikes"}  # the line tells of what was bought; of a model that was not trained
each_view = pytest.mark.parametrize("kind", VIEWS)


def wandering():
    """A table with a fast hand whose speed wanders, and slower ones that wander with it."""
    import torch

    rows = torch.arange(120, dtype=torch.float64)
    clock = rows + 3 * torch.sin(2 * torch.pi * rows / 120)
    angles = clock[:, None] * torch.tensor([1.0, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07])
    loud = torch.tensor([2.0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5])
    return torch.cat([loud * angles.sin(), loud * angles.cos()], 1)


@pytest.fixture(scope="module")
def made():
    from clockwork.lessons.lesson_10.views import Faults

    with without_checks():
        Faults("batch axis")  # examines 32 encodings, and keeps what the gallery shows of them
    return gallery()


@pytest.fixture(scope="module")
def address(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("views") / "gallery.html"
    path.write_text(page_of(made.values()), encoding="utf-8")
    return path.as_uri()


def opened(browser, address, **options):
    page = open_page(browser, reduced_motion="reduce", **options)  # states are compared, not the ways between them
    page.goto(address)
    wait_for_widgets(page, len(VIEWS))
    return page


@pytest.fixture(scope="module")
def page(browser, address):
    page = opened(browser, address)
    yield page
    page.context.close()
    assert page.complaints == []


@pytest.fixture(scope="module")
def phone(browser, address):
    page = opened(browser, address, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 760})
    yield page
    page.context.close()
    assert page.complaints == []


def test_no_handle_of_any_picture_is_locked(page):
    locked = "document.querySelectorAll('.pe :is(input, [role=slider]):is(:disabled, [aria-disabled=true])').length"
    assert page.evaluate(locked) == 0


def test_every_kind_of_view_is_in_the_gallery(made):
    assert set(every_view()) == set(VIEWS) == set(made)


def take(view, values):
    """Bring a view in Python to the values that its twin in the browser has."""
    for name, value in values.items():
        setattr(view.home(name), name, value)


def drawn(page, i):
    page.evaluate("frame()")
    return page.evaluate("i => stateOf(inOrder()[i].root)", i)


def values(page, i):
    """Return what a view's sliders and choices are set to, and what it keeps beside them."""
    return page.evaluate("([i, kept]) => valuesOf(i, kept)", [i, KEPT.get(VIEWS[i], [])])


def bring(page, i, state):
    """Set a view's controls as a reader does; one of them may set the end of another."""
    for _ in range(2):
        page.evaluate("([i, state]) => bring(i, state)", [i, state])
        if values(page, i) == state:
            break


def compare(page, i, view, values):
    take(view, values)
    seen = drawn(page, i)
    assert agree(seen["shown"], view.numbers()), values
    assert same_words(seen["alt"], view.describe()), (seen["alt"], view.describe())
    return seen


@each_view
def test_at_the_ends_of_every_control_the_numbers_and_words_are_python_s(page, made, kind):
    i = VIEWS.index(kind)
    view = made[kind]
    start = values(page, i)
    ends = page.evaluate("i => endsOf(i)", i)
    states = [start | {name: value} for name in ends for value in ends[name]]
    states += [start | {name: ends[name][place] for name in ends} for place in (0, -1)]
    lines = set()
    for state in states:
        bring(page, i, state)
        seen = compare(page, i, view, values(page, i))
        assert values(page, i) == state
        lines.add(page.evaluate(LINE, i))
        page.evaluate(AFRESH, i)
        assert drawn(page, i) == seen, "a part that was kept is not what is drawn now"
    if kind not in STEADY:
        assert len(lines) > 1 or not re.search(r"\d", lines.pop()), "the line below the picture never changes"
    bring(page, i, start)


def test_what_is_read_aloud_follows_each_picture_once_its_sliders_rest(browser, address):
    page = opened(browser, address)
    page.wait_for_function(f"({NOTES})().every(([read, shown]) => read === shown)")
    before = page.evaluate(NOTES)
    for i in range(len(VIEWS)):
        for name, ends in page.evaluate("i => endsOf(i)", i).items():
            bring(page, i, values(page, i) | {name: ends[-1]})
    page.wait_for_function(f"({NOTES})().every(([read, shown]) => read === shown)")
    read = [(old, new) for (old, _), (new, _) in zip(before, page.evaluate(NOTES), strict=True)]
    assert {kind for kind, (old, new) in zip(VIEWS, read, strict=True) if old == new} <= TYPED
    page.context.close()


def areas(page, i, what):
    """Return one area of each kind in which something can be done, by the first word of its name."""
    found = {}
    for key, able in page.evaluate(f"i => [...inOrder()[i].areas].map(([k, a]) => [k, {what}])", i):
        if able:
            found.setdefault(key.split()[0], []).append(key)
    return found


@pytest.mark.parametrize("kind", [kind for kind in VIEWS if kind not in TYPED])
def test_what_a_drag_or_a_click_leaves_is_what_the_sliders_draw_and_python_computes(page, made, kind):
    i = VIEWS.index(kind)
    start = values(page, i)
    moved = set()
    tried = areas(page, i, "Boolean(a.move || a.click)")
    assert tried, "nothing can be grabbed"
    page.evaluate("i => inOrder()[i].canvas.scrollIntoView({ block: 'center' })", i)
    for name, keys in tried.items():
        bring(page, i, start)
        for key in keys[::-1]:
            spot = page.evaluate("([i, key]) => inOrder()[i].areas.has(key) && spotOf(i, key)", [i, key])
            if not spot:
                continue
            before = values(page, i)
            movable = page.evaluate("([i, k]) => Boolean(inOrder()[i].areas.get(k).move)", [i, key])
            page.mouse.move(*spot)
            assert page.evaluate("i => inOrder()[i].canvas.style.cursor", i) in ("grab", "pointer"), key
            page.mouse.down()
            passed = []
            for dx, dy in DRAGS if movable else []:
                page.mouse.move(spot[0] + dx, spot[1] + dy)
                passed.append(values(page, i))
            page.mouse.up()
            page.mouse.move(2, 2)
            after = values(page, i)
            if any(state != before for state in [*passed, after]):
                moved.add(name)
            by_hand = compare(page, i, made[kind], after)
            bring(page, i, start)
            bring(page, i, after)
            assert drawn(page, i) == by_hand, f"{key}: the sliders draw something else"
            if name in moved:
                break
    assert moved == set(tried), "a part that looks as if it could be moved does nothing"
    bring(page, i, start)


def swipe(page, start, way, steps=8):
    """Move a finger over the screen; Chromium decides whether the page scrolls."""
    tools = page.tools
    tools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": start[0], "y": start[1]}]})
    for step in range(1, steps + 1):
        x, y = start[0] + way[0] * step / steps, start[1] + way[1] * step / steps
        tools.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
    tools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.evaluate("scrolled()")


@each_view
def test_a_finger_moves_every_part_and_a_swipe_up_or_down_over_a_panel_scrolls_the_page(phone, kind):
    i = VIEWS.index(kind)
    assert phone.evaluate("i => gripped(i)", i) < 0.25, "on too much of the picture the page cannot be scrolled"
    if not hasattr(phone, "tools"):
        phone.tools = phone.context.new_cdp_session(phone)
    start = values(phone, i)
    tried = areas(phone, i, "Boolean(a.move || a.click)")
    moved = set()
    for name, keys in tried.items():
        bring(phone, i, start)
        for key in keys[:6]:
            wide = phone.evaluate("([i, k]) => Boolean(inOrder()[i].areas.get(k)?.wide)", [i, key])
            bring_in = """([i, key]) => { const p = inOrder()[i], spot = spotOf(i, key, true);
                if (spot) scrollBy(0, spot[1] - innerHeight / 2); }"""
            phone.evaluate(bring_in, [i, key])
            spot = phone.evaluate("([i, key]) => spotOf(i, key, true)", [i, key])
            if not spot:
                continue
            before, top = values(phone, i), phone.evaluate("scrollY")
            if wide:
                swipe(phone, spot, (4, -120))
                assert phone.evaluate("scrollY") != top, f"{key}: a swipe over the picture does not scroll the page"
                assert values(phone, i) == before, f"{key}: scrolling has moved it"
                phone.evaluate("top => scrollTo(0, top)", top)
            movable = phone.evaluate("([i, k]) => Boolean(inOrder()[i].areas.get(k).move)", [i, key])
            ways = [(70, 6), (-70, -6)] if wide else [(40, 44), (-40, -44)]
            for way in ways if movable else [(0, 0)]:
                swipe(phone, spot, way)
                assert phone.evaluate("scrollY") == top, f"{key}: the page scrolled under the finger"
                if values(phone, i) != before:
                    moved.add(name)
                    break
            if name in moved:
                break
    assert moved == set(tried), "a part does not follow the finger"


def test_what_a_finger_has_to_meet_is_44_pixels_tall_and_wide(phone):
    sizes = """[...document.querySelectorAll(".pe button, .pe-slider input, .pe-choice label, .pe-mark[data-scrub]")]
        .filter((e) => e.offsetParent).map((e) => [e.outerHTML.slice(0, 90), e.offsetWidth, e.offsetHeight])"""
    small = [(html, w, h) for html, w, h in phone.evaluate(sizes) if min(w, h) < 44]
    assert small == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_every_view_is_accessible_and_as_wide_as_the_page_at_most(browser, address, scheme, width, tmp_path_factory):
    page = opened(browser, address, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert violations(page, axe_source(tmp_path_factory.getbasetemp())) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    page.context.close()


def test_the_line_under_a_head_s_hands_counts_eight_of_them(page):
    i = VIEWS.index("Phase")
    start = values(page, i)
    bring(page, i, start | {"finished": 6, "unfinished": 4})
    drawn(page, i)
    line = page.evaluate("i => inOrder()[i].root.querySelector('.pe-reading').textContent", i)
    assert sum(map(int, re.findall(r"\d+", line)[:3])) == 8, line
    bring(page, i, start)


def test_the_referee_s_tiles_turned_over_show_what_python_shows(page, made):
    i = VIEWS.index("Referee")
    start = values(page, i)
    page.evaluate("i => inOrder()[i].set('opened', true)", i)
    compare(page, i, made["Referee"], values(page, i))
    page.evaluate("i => inOrder()[i].set('opened', false)", i)
    take(made["Referee"], start)


def test_the_referee_sells_no_fresh_seed_of_a_tile_nor_takes_one_from_earlier_answers(page, made):
    i = VIEWS.index("Referee")
    start = values(page, i)
    bought = "i => inOrder()[i].get('bought')"
    page.evaluate("i => inOrder()[i].set('bought', [])", i)
    for _ in range(6):
        page.evaluate("i => inOrder()[i].root.querySelector('.pe-button').click()", i)
    sold = page.evaluate(bought, i)
    assert sold == [sold[0]] * 4, "the other eight seeds judge"
    page.evaluate("i => inOrder()[i].model.set('remember', 'sold')", i)
    page.evaluate("i => inOrder()[i].remember('sold/bought', [5, ...Array(8).fill(7), 5])", i)
    assert page.evaluate(bought, i) == [5, 7, 7, 7, 7, 5]
    page.evaluate("i => inOrder()[i].model.set('remember', '')", i)
    bring(page, i, start)
