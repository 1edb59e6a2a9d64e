"""Before the guess a figure shows its axes and nothing of what is drawn, and a printed result its words alone."""

from bs4 import BeautifulSoup

from clockwork.kit import plots, veil


def drawn(heights):
    fig, ax = plots.figure()
    ax.set(xlim=(0, 4), ylim=(0, 10), xlabel="steps", title="How often is it right?")
    ax.plot(range(4), heights, label=f"up to {max(heights)}")
    ax.bar(range(4), heights)
    ax.text(1, heights[1], "here")
    ax.legend()
    return fig


def test_a_covered_figure_is_the_same_whatever_it_draws_and_is_whole_again_afterwards():
    one, other = drawn([1, 2, 3, 9]), drawn([8, 7, 1, 2])
    whole = plots.png(one)
    with veil.covered(one), veil.covered(other):
        assert plots.png(one) == plots.png(other) != whole
        assert one.axes[0].get_xlim() == (0, 4)
    assert plots.png(one) == whole


def test_a_covered_figure_keeps_its_title_and_its_names(monkeypatch):
    fig = drawn([1, 2, 3, 9])
    with veil.covered(fig):
        ax = fig.axes[0]
        assert ax.title.get_visible() and ax.xaxis.get_visible() and ax.spines["left"].get_visible()
        assert not any(line.get_visible() for line in ax.lines)


def shown(monkeypatch, act):
    found = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: found.append(data))
    act()
    return found[0]


def test_what_is_printed_keeps_its_lines_and_loses_its_numbers_until_it_is_unfolded(monkeypatch):
    def act():
        with veil.printed("02/gap"):
            print("with clocks    0.98\nwithout        -0.5 of 1,000")

    data = shown(monkeypatch, act)
    page = BeautifulSoup(data["text/html"], "html.parser")
    assert page.find(attrs={"data-veil": "02/gap"})
    before, after = (page.select_one(part).text for part in ("[data-before] pre", "details pre"))
    assert not any(sign.isdigit() for sign in before + data["text/plain"])
    assert [len(line) for line in before.splitlines()] == [len(line) for line in after.splitlines()]
    assert "0.98" in after and "without" in before


def test_a_figure_that_asks_shows_empty_axes_and_folds_the_whole_with_its_words_away(monkeypatch):
    fig = plots.describe(drawn([1, 2, 3, 9]), alt="It rises to nine.", caption="It rises.")
    data = shown(monkeypatch, lambda: plots.show(fig, asks="02/gap"))
    page = BeautifulSoup(data["text/html"], "html.parser")
    fold = page.find("details").extract()
    assert "It rises" in fold.text and "nine" in fold.img["alt"]
    assert "rises" not in str(page) + data["text/plain"] and page.img["width"] == fold.img["width"]
    assert data["image/png"] in page.img["src"]
