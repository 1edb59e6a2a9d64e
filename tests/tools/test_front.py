"""The front page lists the lessons as a grid of icons, in the syllabus' groups."""

import re

import pytest
from PIL import Image, ImageSequence
from tools import front, icons, lessons, site


def test_a_lesson_shows_its_claim_in_italics_where_it_is_marked():
    about = {"claim": "It has learned *three back* & more.", "title": "A head", "minutes": 25}
    page = front.grid({"13_head": about}, "{}")
    assert "It has learned <em>three back</em> &amp; more. <small>25 minutes" in page


def test_the_lessons_stand_in_their_groups_in_order():
    stems = ["00_a", "01_b", "04b_c", "05b_d", "06_e", "10_f", "16_g", "20_h"]
    core, further = "The core, two evenings", "Further, in any order"
    assert front.groups(stems) == {
        "The way in": ["00_a"],
        core: ["01_b", "04b_c", "05b_d"],
        "Electives, each complete": ["16_g"],
        further: ["06_e", "10_f", "20_h"],
    }


@pytest.mark.parametrize("path", lessons.mains(), ids=lambda path: path.stem)
def test_every_lesson_has_an_icon_of_its_own_that_stays_in_its_box(path):
    number = front.number(path.stem)
    others = {drawn() for name, drawn in icons.ICONS.items() if name != number}
    assert icons.ICONS[number]() not in others
    places = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", icons.icon(number))
    assert len(places) > 1 and all(0 <= float(at) <= icons.SIZE for place in places for at in place)


def test_the_readme_links_to_the_site_where_its_address_is_set_and_nowhere_else():
    readme = (site.HOME / "README.md").read_text("utf-8")
    live = re.findall(r"https?://[^)\s]*/index\.html", readme)
    assert live == ([f"{site.ADDRESS}/index.html"] if site.ADDRESS else [])


def test_the_loop_of_the_readme_lasts_three_seconds_and_weighs_at_most_half_a_megabyte():
    (name,) = re.findall(r"\((notebooks/\w+\.gif)\)", (site.HOME / "README.md").read_text("utf-8"))
    file = site.HOME / name
    assert file.stat().st_size <= 500_000
    with Image.open(file) as loop:
        frames = [frame.info["duration"] for frame in ImageSequence.Iterator(loop)]
        assert loop.info["loop"] == 0, "it goes on for ever"
    assert len(frames) > 20 and abs(sum(frames) - 3000) <= 200
