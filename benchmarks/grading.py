"""How many submissions a minute does the grader mark, with numpy and with torch, in one run of 300?"""

import json
import os
import platform
import tempfile
import time
from pathlib import Path

from pe_grading.batch import grade_all
from pe_grading.collect import find_submissions
from pe_grading.notebook import load_assignment
from pe_grading.report import keep
from pe_grading.sandbox import Limits

HOME = Path(__file__).parents[1]
PROBE = HOME / "assignments" / "hostile" / "probe" / "probe.ipynb"
RESULT = HOME / "benchmarks" / "results" / "grading.json"
STUDENTS = 300
JOBS = 2
WRONG_EVERY = 7


def with_torch(text):
    """The probe, done in torch: tests and answers take and return tensors."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        source = cell["source"].replace("import numpy as np", "import numpy as np\nimport torch")
        source = source.replace(
            "weights = np.exp(scores - scores.max(-1, keepdims=True))", "scores = torch.as_tensor(scores)"
        )
        source = source.replace("return weights / weights.sum(-1, keepdims=True)", "return torch.softmax(scores, -1)")
        source = source.replace("softmax(scores).sum(axis=-1)", "softmax(torch.tensor(scores)).sum(axis=-1)")
        cell["source"] = source.replace("softmax(large)", "softmax(torch.tensor(large))")
    return json.dumps(notebook)


def measure(text, folder):
    """Grade a class of which every seventh is wrong; return the numbers."""
    source = folder / f"{PROBE.stem}.ipynb"
    source.write_text(text)
    assignment = load_assignment(source)
    wrong = text.replace("### END SOLUTION", "return None\\n    ### END SOLUTION").replace("return ", "return 7 or ")
    for number in range(STUDENTS):
        path = folder / "submitted" / f"s{number:03}" / "probe" / "probe.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(wrong if number % WRONG_EVERY == 0 else text)
    submissions = find_submissions(folder / "submitted", ["probe"])
    before = os.times()
    start = time.perf_counter()
    full = count = first = 0
    for submission, result in grade_all(submissions, {"probe": assignment}, Limits(), JOBS):
        count += 1
        first = first or time.perf_counter() - start
        keep(folder, submission, "benchmark", result)
        full += all(test["passed"] for test in result["tests"])
    seconds = time.perf_counter() - start
    after = os.times()
    assert count == STUDENTS and full == STUDENTS - len(range(0, STUDENTS, WRONG_EVERY)), (count, full)
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "submissions": STUDENTS,
        "seconds": round(seconds, 2),
        "seconds_to_the_first": round(first, 2),
        "per_minute": round(60 * STUDENTS / seconds),
        "per_minute_once_warm": round(60 * (STUDENTS - 1) / (seconds - first)),
        "processor_seconds": round(processor, 2),
    }


def summary(result):
    """Return the rows and the note of the table that README.md and the teacher's page show."""
    rows = []
    for name in ("numpy", "torch"):
        part = result[name]
        row = {"tests and answers in": name, "submissions": part["submissions"], "seconds": round(part["seconds"])}
        rows.append({**row, "a minute": part["per_minute"], "a minute, once warm": part["per_minute_once_warm"]})
    load = max(result[name]["load_of_the_machine"] for name in ("numpy", "torch"))
    note = f"{result['processes']} processes on {result['cores']} cores, measured at a load of up to {load:.0f}."
    return {"readme": rows, "note": note}


def main(arguments=None):
    """Measure and write benchmarks/results/grading.json."""
    text = PROBE.read_text(encoding="utf-8")
    result = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "processes": JOBS,
        "python": platform.python_version(),
    }
    for name, source in (("numpy", text), ("torch", with_torch(text))):
        with tempfile.TemporaryDirectory() as folder:
            result[name] = measure(source, Path(folder))
        result[name]["load_of_the_machine"] = round(os.getloadavg()[0], 1)
        print(name, result[name])
    result |= summary(result)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
