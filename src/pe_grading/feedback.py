"""Tell a student what was tested, what passed, and which idea to look at again: one page that needs nothing else."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from pe_grading.rows import Graded, Row

LIMIT = 200_000  # bytes of a page
SHORT_COMMENT = 4000  # characters of a comment on a page that would be over the limit
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem}section{border-left:.4rem solid #999;padding:.1rem 1rem;margin:1rem 0}
section.pass{border-color:#009E73}section.fail{border-color:#D55E00}h2{font-size:1.05rem;margin:.4rem 0}
pre{background:#f4f4f4;padding:.6rem;overflow-x:auto;font-size:.85rem}.hint{font-weight:600}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#262626}}
"""


def page(graded: Graded, visible: dict[str, str], name: str = "") -> str:
    """Return one student's page for one assignment.

    Args:
        graded: What was found, and what was marked by hand.
        visible: Of each test, by grade id, the part that students see.
        name: What the student is called, where that is known.
    """
    result = graded.result
    points = "not graded yet" if graded.points is None else f"{graded.points:g} of {graded.most:g} points"
    title = f"{graded.assignment}: {points}"
    parts = [f"<h1>{escape(title)}</h1>", f"<p>For {escape(name or graded.student)}.</p>"]
    if result.get("unreadable"):
        parts.append(f"<p>Your notebook could not be read: {escape(result['problem'])}.</p>")
        parts.append("<p>Nothing is decided yet. Hand it in again, or ask your teacher.</p>")
    elif graded.state == "not graded":
        parts.append("<p>Your notebook could not be graded yet. This is not your fault and costs no points.</p>")
    elif graded.pending:
        parts.append(f"<p>{graded.pending:g} points are not marked yet and will be added.</p>")
    elif graded.state == "mark again":
        parts.append("<p>You changed an answer after it was marked; it will be marked again.</p>")
    if result["problem"] and graded.state != "not graded":
        parts.append(f'<section class="fail"><h2>{escape(result["problem"])}</h2></section>')
    tests = {test["grade_id"]: test for test in result["tests"]}
    for row in graded.rows:
        if row.grade_id in tests:
            parts.append(_test(row, tests[row.grade_id], visible.get(row.grade_id, "")))
        elif row.grade_id:
            parts.append(_written(row))
    if result["notes"]:
        notes = "".join(f"<li>{escape(note)}</li>" for note in result["notes"])
        parts.append(f"<details><summary>What happened when your cells were run</summary><ul>{notes}</ul></details>")
    body = "\n".join(parts)
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )
    if len(html.encode()) > LIMIT:
        shorter = [replace(row, comment=row.comment[:SHORT_COMMENT]) for row in graded.rows]
        if visible or result["notes"] or shorter != graded.rows:
            return page(replace(graded, result={**result, "notes": []}, rows=shorter), {}, name)
    return html


def _test(row: Row, test: dict, visible: str) -> str:
    """Return a test's part of the page; of a hidden one only its hint."""
    state, word = ("pass", "passed ✓") if test["passed"] else ("fail", "not passed ✗")
    lines = [f"<h2>{escape(row.grade_id)}: {word}, {row.points:g} of {row.most:g}</h2>"]
    if not test["passed"]:
        if test["hidden"]:
            lines.append("<p>A test that you do not see fails.</p>")
        if test["said"]:
            lines.append(f"<p>{escape(test['said'])}</p>")
        if test["hint"]:
            lines.append(f'<p class="hint">{escape(test["hint"])}</p>')
    if row.comment:
        lines.append(f"<p>{escape(row.comment)}</p>")
    if visible:
        lines.append(f"<details><summary>What is tested</summary><pre>{escape(visible[:8000])}</pre></details>")
    return f'<section class="{state}">{"".join(lines)}</section>'


def _written(row: Row) -> str:
    points = f"to be marked, {row.most:g} points" if row.points is None else f"{row.points:g} of {row.most:g}"
    if row.state == "blank":
        points += ", no answer was found"
    comment = f"<p>{escape(row.comment)}</p>" if row.comment else ""
    return f'<section class="written"><h2>{escape(row.grade_id)}: {points}</h2>{comment}</section>'
