"""Tell a student what was tested, what passed, and which idea to look at again: one page that needs nothing else."""

from __future__ import annotations

from html import escape

LIMIT = 200_000  # bytes of a page
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem}section{border-left:.4rem solid #999;padding:.1rem 1rem;margin:1rem 0}
section.pass{border-color:#009E73}section.fail{border-color:#D55E00}h2{font-size:1.05rem;margin:.4rem 0}
pre{background:#f4f4f4;padding:.6rem;overflow-x:auto;font-size:.85rem}.hint{font-weight:600}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#262626}}
"""


def page(student: str, result: dict, visible: dict[str, str], written: list[dict]) -> str:
    """Return one student's page for one assignment.

    Args:
        student: Who handed it in.
        result: What the grader found (`run.grade`).
        visible: Of each test, by grade id, the part that students see.
        written: Of each written answer its "grade_id", "max", and once marked "points" and "comment".
    """
    points = sum(t["points"] for t in result["tests"]) + sum(w.get("points") or 0 for w in written)
    most = sum(t["max"] for t in result["tests"]) + sum(w["max"] for w in written)
    title = f"{result['assignment']}: {points:g} of {most:g} points"
    parts = [f"<h1>{escape(title)}</h1>", f"<p>For {escape(student)}.</p>"]
    if any(w.get("points") is None for w in written):
        parts.append("<p>Your written answer is not marked yet; its points will be added.</p>")
    if result["problem"]:
        parts.append(f'<section class="fail"><h2>{escape(result["problem"])}</h2></section>')
    parts += [_test(test, visible.get(test["grade_id"], "")) for test in result["tests"]]
    parts += [_written(answer) for answer in written]
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
        return page(student, {**result, "notes": []}, {}, [{**w, "comment": ""} for w in written])
    return html


def _test(test: dict, visible: str) -> str:
    """Return a test's part of the page; of a hidden one only its hint."""
    state, word = ("pass", "passed ✓") if test["passed"] else ("fail", "not passed ✗")
    lines = [f"<h2>{escape(test['grade_id'])}: {word}, {test['points']:g} of {test['max']:g}</h2>"]
    if not test["passed"]:
        if test["hidden"]:
            lines.append("<p>A test that you do not see fails.</p>")
        if test["said"]:
            lines.append(f"<p>{escape(test['said'])}</p>")
        if test["hint"]:
            lines.append(f'<p class="hint">{escape(test["hint"])}</p>')
    if visible:
        lines.append(f"<details><summary>What is tested</summary><pre>{escape(visible[:8000])}</pre></details>")
    return f'<section class="{state}">{"".join(lines)}</section>'


def _written(answer: dict) -> str:
    marked = answer.get("points") is not None
    points = f"{answer['points']:g} of {answer['max']:g}" if marked else f"to be marked, {answer['max']:g} points"
    comment = f"<p>{escape(str(answer.get('comment') or '')[:20000])}</p>"
    return f'<section class="written"><h2>{escape(answer["grade_id"])}: {points}</h2>{comment}</section>'
