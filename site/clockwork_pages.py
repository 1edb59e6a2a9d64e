"""What pages have beyond Sphinx's: live widgets, a line of links, words explained, and data for machines."""

import html
import json
import os
import re
from pathlib import Path
from urllib.parse import quote

from docutils import nodes
from pygments.lexers import PythonLexer
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math

SPACES = re.compile(r"\s+")
DESCRIPTION = (
    "Positional encoding in transformers that you can turn by hand: an interactive course in which every claim is "
    "decided by code that you run."
)
COVER = "Position 22 as a clock with many hands, and as row 22 of the table of sines and cosines"
FIGURE = re.compile(r'<img class="pe-light" src="(_static/figures/\w+\.png)"[^>]* alt="([^"]*)"')
FOLD = re.compile(r'<p class="(collapsed|expanded) admonition-title">(.*?)</p>')  # no paragraph may be in a summary
PROMPTS = {  # myst-nb's words for a fold: ours
    "Show the source": "Show the code",
    "Hide the source": "Hide the code",
    "Show the output": "Guess first, then open",
    "Hide the output": "Hide the answer",
    "Show the outputs": "Guess first, then open",  # where the code is not on the page at all
    "Hide the outputs": "Hide the answer",
}
TABLE = re.compile(r'(<table class="[^"]*docutils.*?</table>)', flags=re.S)
PRINTED = re.compile(r"<pre>(.*?)</pre>", flags=re.S)
COLUMNS = 100  # of code or of what it printed, which fit a page of 1280 pixels in letters of full size
SMALLEST = 130  # columns that fit in the smallest letters; longer lines are broken
UNCOLOURED = {Name, Name.Namespace, Punctuation, Whitespace}  # both themes print them in the colour of text
NO_TERMS = (nodes.reference, nodes.literal, nodes.title, nodes.raw, nodes.math, nodes.term)


def setup(app):
    """Connect the events of a build to the functions below."""
    app.add_config_value("about", {}, "")  # see `note_sources`
    app.add_config_value("made_by", "", "env")
    app.add_config_value("everywhere", [], "html")
    app.connect("builder-inited", without_search)
    app.connect("doctree-read", note_sources)
    app.add_lexer("python", Lexer)
    app.add_html_math_renderer("built", (html_visit_math, None), (html_visit_displaymath, None))
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("doctree-read", anchor_cells)
    app.connect("doctree-resolved", put_pictures_first)
    app.connect("doctree-resolved", explain_words)
    app.connect("html-page-context", complete_page)
    app.connect("build-finished", write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def without_search(app) -> None:
    """Spare Sphinx its own index: ours is made of the finished pages."""
    app.builder.search = False


def note_sources(app, doctree) -> None:
    """Let Sphinx read a page anew when what is known of it changes, or a word that it explains."""
    lessons = app.config.about["lessons"]
    known = lessons if app.env.docname == "index" else {app.env.docname} & app.config.about["states"].keys()
    for name in known:
        app.env.note_dependency(f"about/{name}.json")
    if app.env.docname in lessons:
        app.env.note_dependency("glossary.md")


class Lexer(PythonLexer):
    """Python in which what has no colour of its own is text: a lesson's page needs half as many elements."""

    def get_tokens_unprocessed(self, text: str):
        """Yield each place, its kind and its text."""
        for place, kind, written in super().get_tokens_unprocessed(text):
            yield place, Text if kind in UNCOLOURED else kind, written


def escape_bars(app, kind: str, name: str, thing: object, options: dict, lines: list[str]) -> None:
    """Let | in a docstring mean the absolute value, not a substitution of reStructuredText."""
    for i, line in enumerate(lines):
        parts = line.split("`")
        parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
        lines[i] = "`".join(parts)


def glossary(app) -> dict[str, str]:
    """Return the words of the glossary and what they mean, read from its page."""
    if not hasattr(app.env, "clockwork_words"):
        text = (Path(app.srcdir) / "glossary.md").read_text("utf-8")
        found = re.findall(r"^(\S.*)\n: (.*(?:\n  .*)*)", text, flags=re.M)
        plain = [(word, re.sub(r"[*`$\\]", "", SPACES.sub(" ", meaning))) for word, meaning in found]
        app.env.clockwork_words = {name.strip(): meaning for word, meaning in plain for name in word.split(",")}
    return app.env.clockwork_words


def explain_words(app, doctree, name: str) -> None:
    """Link the first mention of each word of the glossary in a lesson to what it means."""
    if name not in app.config.about["lessons"]:
        return
    left = dict(glossary(app))
    for text in list(doctree.findall(nodes.Text)):
        place = text.parent
        if not isinstance(place, (nodes.paragraph, nodes.list_item, nodes.strong, nodes.emphasis)) or any(
            isinstance(above, NO_TERMS) for above in parents(place)
        ):
            continue
        first = None
        for word in left:
            found = re.search(rf"\b{re.escape(word)}s?\b", text, flags=re.I)
            if found and (first is None or found.start() < first[1].start()):
                first = word, found
        if first is None:
            continue
        word, found = first
        address = app.builder.get_relative_uri(name, "glossary")
        link = nodes.reference(
            "", found[0], refuri=address, internal=True, classes=["pe-word"], reftitle=left.pop(word)
        )
        left = {key: meaning for key, meaning in left.items() if meaning != link["reftitle"]}
        place.replace(text, [nodes.Text(text[: found.start()]), link, nodes.Text(text[found.end() :])])


def anchor_cells(app, doctree) -> None:
    """Give each code cell of a lesson the id by which links find it."""
    if app.env.docname not in app.config.about["lessons"]:
        return
    for cell in doctree.findall(nodes.container):
        if anchor := cell.get("cell_metadata", {}).get("anchor"):
            cell["ids"].append(anchor)


def put_pictures_first(app, doctree, name: str) -> None:
    """Put what a cell of a lesson draws, veiled or not, above its code."""
    for cell in doctree.findall(nodes.container):
        if "picture" in cell.get("cell_metadata", {}).get("tags", []) and len(cell.children) == 2:
            cell.children.reverse()


def parents(node):
    """Yield a node and all above it."""
    while node is not None:
        yield node
        node = node.parent


def complete_page(app, name: str, template: str, context: dict, doctree) -> None:
    """Add to a page its description, its place among the others, its widgets and, to a lesson, the line of links."""
    about = app.config.about
    lesson = about["lessons"].get(name)
    if doctree is None and template != "search.html":
        return
    claim = lesson["claim"] if lesson else DESCRIPTION
    title = re.sub(r"<.*?>", "", context.get("title", "Clockwork"))
    address = os.environ.get("CLOCKWORK_ADDRESS", "").rstrip("/")
    picture, seen = preview(context.get("body", "") if lesson else "")
    described = {
        "og:title": title,
        "og:description": claim,
        "og:type": "article" if lesson else "website",
        "og:image": f"{address}/{picture}" if address else picture,
        "og:image:alt": seen,
        "og:site_name": "Clockwork",
    }
    if address:
        described["og:url"] = f"{address}/{name}.html"
    tags = [f'<meta name="description" content="{html.escape(claim)}">']
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    tags += [f'<meta property="{key}" content="{html.escape(value)}">' for key, value in described.items()]
    if lesson or name == "index":
        data = course_data(about) if name == "index" else lesson_data(lesson)
        written = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
        tags.append(f'<script type="application/ld+json">{written}</script>')
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)
    body = context.get("body", "").replace(' aria-label="Toggle hidden content"', "")
    body = body.replace('<th class="head"><p></p></th>', "<td></td>")  # the empty corner of a table heads nothing
    body = TABLE.sub(r'<div class="pe-table">\1</div>', body)
    context["body"] = PRINTED.sub(fit, FOLD.sub(fold, body))
    if lesson and context.get("body"):
        line = links(name, lesson, about)
        context["body"] = re.sub(r"(</h1>)", lambda found: found[1] + line, context["body"], count=1)
    if about["states"].get(name) and context.get("body") and "data-widget" in context["body"]:
        state = f'<script type="application/json" id="clockwork-widgets">{about["states"][name]}</script>'
        context["body"] += state
        for script in ("kit.js", f"pages/{name}.js", "here.js", "host.js"):
            app.add_js_file(script, defer="defer")
    repository = on_github(about["repository"])
    context["report"] = report(repository, title, f"{name}.html") if repository else ""
    context["bare"] = {"index": "front", "search": "found-page", "playground": "wide-page"}.get(name)
    if template == "search.html":
        for script in ("minisearch.js", "search-index.js", "search.js"):
            app.add_js_file(script, defer="defer")
    if name == "playground":
        app.add_css_file("playground.css")
        app.add_js_file("playground.js", defer="defer")
    if lesson and "tag_try" in context.get("body", ""):
        app.add_js_file("python.js", defer="defer")
        app.add_js_file("try.js", defer="defer")
    if name == "configurations":
        app.add_js_file("python.js", defer="defer")
        app.add_js_file("configurations.js", defer="defer")


def preview(body: str) -> tuple[str, str]:
    """Return the picture that stands for a page where it is linked, the first that it shows, and its words."""
    found = FIGURE.search(body)
    return (found[1], html.unescape(found[2])) if found else ("_static/clockwork.png", COVER)


def fold(found: re.Match) -> str:
    """Return the label of a fold in our words."""
    return f'<span class="pe-{found[1]}">{PROMPTS.get(found[2], found[2])}</span>'


def fit(found: re.Match) -> str:
    """Return code, or what it printed, with the number of its columns where these are many: clockwork.css fits them."""
    longest = max(map(len, html.unescape(re.sub(r"<.*?>", "", found[1])).splitlines()), default=0)
    if longest <= COLUMNS:
        return found[0]
    long = ' class="pe-long"' if longest > SMALLEST else ""
    return f'<pre{long} style="--columns: {longest}">{found[1]}</pre>'


def links(name: str, lesson: dict, about: dict) -> str:
    """Return the line below a lesson's title: its minutes, and where else it can be opened."""
    file = f"notebooks/{about['files'][name]}"
    offers = [
        '<a href="index.html#run-the-lessons">JupyterLab</a>',
        f'<a href="notebooks/{name}.ipynb" download>Download</a>',
    ]
    if repository := on_github(about["repository"]):
        colab = f"https://colab.research.google.com/github/{repository}/blob/colab/{name}.ipynb"
        binder = f"https://mybinder.org/v2/gh/{repository}/HEAD?labpath={quote(file, safe='')}"
        codespaces = f"https://codespaces.new/{repository}?quickstart=1"
        places = {"Colab": colab, "Binder": binder, "Codespaces": codespaces}
        offers += [f'<a href="{html.escape(address)}">{place}</a>' for place, address in places.items()]
    elif about["repository"]:
        offers.append(f'<a href="colab/{name}.ipynb" download>for Colab</a>')
    if about["hub"]:
        wanted = f"repo={quote(about['repository'], safe='')}&branch=main&depth=1&urlpath="
        path = quote(f"lab/tree/clockwork/{file}", safe="")
        hub = about["hub"].rstrip("/")
        offers.append(f'<a href="{hub}/hub/user-redirect/git-pull?{html.escape(wanted)}{path}">JupyterHub</a>')
    minutes = f"<span>{lesson['minutes']} minutes</span>" if lesson["minutes"] else ""
    gone = html.escape(json.dumps(about["moved"].get(name, {})))
    return (
        f'<div class="pe-open" id="open-this-lesson" data-lesson-page="{name}" data-moved="{gone}">'
        f"{minutes}{''.join(offers)}"
        '<button type="button" class="pe-all-code" aria-pressed="false" hidden>Show all code</button>'
        '<button type="button" class="pe-print" hidden>Print</button></div>'
    )


def on_github(repository: str) -> str:
    """Return owner and name of a repository on GitHub, or nothing."""
    found = re.search(r"github\.com[:/]([^/]+/[^/]+?)(?:\.git)?/?$", repository)
    return found[1] if found else ""


def report(repository: str, title: str, page: str) -> str:
    """Return the link by which a reader says what is wrong on a page."""
    wanted = (
        f"title={quote(title + ': ')}&body={quote(f'On the page {page}, below the heading … I read … and expected …')}"
    )
    address = html.escape(f"https://github.com/{repository}/issues/new?{wanted}")
    return f'<a href="{address}">Report what is wrong here</a>'


def lesson_data(lesson: dict) -> dict:
    """Describe a lesson in the terms of schema.org."""
    return {
        "@context": "https://schema.org",
        "@type": "LearningResource",
        "name": lesson["title"],
        "description": lesson["claim"],
        "teaches": lesson["able"],
        "competencyRequired": lesson["need"],
        **({"timeRequired": f"PT{lesson['minutes']}M"} if lesson["minutes"] else {}),
        "learningResourceType": "interactive lesson",
        "educationalLevel": "advanced",
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "accessibilityFeature": ["alternativeText", "longDescription", "tableOfContents", "displayTransformability"],
    }


def course_data(about: dict) -> dict:
    """Describe the course in the terms of schema.org."""
    lessons = [lesson_data(lesson) for lesson in about["lessons"].values() if lesson["minutes"]]
    parts = [{key: value for key, value in one.items() if key != "@context"} for one in lessons]
    return {
        "@context": "https://schema.org",
        "@type": ["Course", "LearningResource"],
        "name": "Clockwork: positional encoding you can turn by hand",
        "description": DESCRIPTION,
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "teaches": [goal for one in about["lessons"].values() for goal in one["able"]],
        "hasPart": parts,
    }


def write_sitemap(app, problem: Exception | None) -> None:
    """List the pages for search engines, where the site's address is known."""
    address = os.environ.get("CLOCKWORK_ADDRESS", "").rstrip("/")
    if problem or not address:
        return
    pages = "".join(f"<url><loc>{address}/{name}.html</loc></url>\n" for name in sorted(app.env.found_docs))
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    text = f'<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="{schema}">\n{pages}</urlset>\n'
    (Path(app.outdir) / "sitemap.xml").write_text(text, "utf-8")
