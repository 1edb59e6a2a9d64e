"""What students hand in, by malice or by accident, and the mark that it deserves: 2 for slopes, 2 + 2 for softmax.

Each case is (name, mark, edit). An edit takes the right notebook of the assignment `probe` as a dict and changes it, or
returns bytes to write instead, or a function that makes the file at a path. {SUBMISSIONS}, {SOLUTION}, {OUT} and {PORT}
in a source stand for real targets, filled in by whoever grades the corpus.
"""

import json
import os

FULL = 6
ANSWERS = {"slopes": 2, "softmax": 4}
WRONG = {
    "slopes": "def slopes(n):\n    return [1.0] * (n + 5)",
    "softmax": "def softmax(scores):\n    return scores",
}
CASES = []


def cell(notebook, grade_id):
    return next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def code(source):
    return {"cell_type": "code", "id": "x%d" % (len(source) % 9973), "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def case(mark):
    """Keep an edit as a case: `case(mark)(function)`."""
    return lambda edit: CASES.append((edit.__name__, mark, edit))


def first(name, mark, source, wrong=()):
    """A cell before all others; the answers named in `wrong` are wrong."""

    def edit(notebook):
        for answer in wrong:
            cell(notebook, answer)["source"] = WRONG[answer]
        notebook["cells"].insert(2, code(source))

    CASES.append((name, mark, edit))


def inside(name, source, mark=FULL - 2, answer="slopes"):
    """The answer `slopes` (or another) itself is bad; the others are right."""

    def edit(notebook):
        cell(notebook, answer)["source"] = source

    CASES.append((name, mark, edit))


ALL = ("slopes", "softmax")
RIGHT = "def right(n):\n    return [2.0**-i for i in range(1, n + 1)]\n"

# Plain.
first("plain_right", FULL, "pass")
first("plain_wrong", 0, "pass", wrong=ALL)

# Code that does not end, or ends too early.
first("infinite_loop", FULL, "while True: pass")
inside("loop_in_a_function", "def slopes(n):\n    while True: pass")
inside("loop_swallows_interrupts", "def slopes(n):\n    import time\n    while True:\n        try: time.sleep(1)\n        except BaseException: pass")
first("sys_exit", FULL, "import sys\nsys.exit(0)")
first("os_exit", FULL, "import os\nos._exit(0)")
inside("os_exit_in_a_function", "import os\ndef slopes(n):\n    os._exit(0)")
inside("sys_exit_in_a_function", "import sys\ndef slopes(n):\n    sys.exit('6 points')")
inside("os_exit_after_the_answer", "import os\n" + RIGHT.replace("right", "slopes") + "os._exit(0)", FULL)
first("segmentation_fault", FULL, "import ctypes\nctypes.string_at(0)")
inside("endless_recursion", "def slopes(n):\n    return slopes(n)")
first("deep_source", FULL, "x = " + "(" * 50_000 + ")" * 50_000)
first("source_that_breaks_compilers", FULL, "x = " + "-" * 300_000 + "1")
first("null_byte_in_source", FULL, "x = 1\0\ny = 2")

# The machine.
first("kill_parent", FULL, "import os, signal\nfor who in (os.getppid(), 0, -1, 1, 2):\n    try: os.kill(who, 15)\n    except OSError: pass\nos.killpg(0, 15)")
first("kill_everything", FULL, "import os\nfor who in (*range(2, 4000), -1):\n    try: os.kill(who, 9)\n    except OSError: pass")
first("fork_bomb", FULL, "import os\nfor _ in range(20_000):\n    try: os.fork()\n    except OSError: pass")
first("thread_bomb", FULL, "import threading, time\nthreading.stack_size(32768)\nfor _ in range(3000):\n    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()")
first("allocate_6_gb", FULL, "hog = bytearray(6 << 30)")
inside("allocate_in_a_function", "def softmax(scores):\n    hog = np.ones((6 << 30) // 8)\n    return scores", 2, "softmax")
first("allocate_slowly", FULL, "hog = []\nwhile True:\n    hog.append(bytearray(1 << 24))")
first("file_of_300_mb", FULL, "with open('/tmp/big', 'wb') as f:\n    for _ in range(300): f.write(bytes(1 << 20))")
first("many_files", FULL, "for i in range(200):\n    open(f'/tmp/{i}', 'wb').write(bytes(1 << 20))")
first("fill_shared_memory", FULL, "for i in range(200):\n    open(f'/dev/shm/{i}', 'wb').write(bytes(1 << 20))")
first("anonymous_files", FULL, "import os\nkept = []\nwhile True:\n    kept.append(os.memfd_create('x'))\n    os.write(kept[-1], bytes(1 << 20))")
first("output_of_50_mb", FULL, "import sys\nfor _ in range(50): print('x' * (1 << 20)); sys.stderr.write('y' * (1 << 20))")
first("daemon", FULL, "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 5; touch {OUT}/daemon'], start_new_session=True)")
first("daemon_by_fork", FULL, "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)")
inside("network", "import urllib.request\n" + RIGHT + "def slopes(n):\n    urllib.request.urlopen('http://127.0.0.1:{PORT}/', timeout=2).read()\n    return right(n)")
inside("socket_by_hand", "import ctypes\n" + RIGHT + "def slopes(n):\n    return right(n) if ctypes.CDLL(None).socket(2, 1, 0) >= 0 else []")
inside("new_namespace", "import ctypes\n" + RIGHT + "def slopes(n):\n    return right(n) if ctypes.CDLL(None).unshare(0x10000000) == 0 else []")
inside("mount", "import ctypes\n" + RIGHT + "def slopes(n):\n    return right(n) if ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0 else []")
inside("raise_own_limits", "import resource\n" + RIGHT + "def slopes(n):\n    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\n    return right(n)")

# Other people's files: these answers are right only if something could be read.
SEARCH = "import os\nfound = []\nfor root in ('/', '/home', '/work', '/root', '/tmp', '/mnt', '/srv'):\n    for folder, _, files in os.walk(root):\n        if not folder.startswith(('/usr', '/proc', '/sys')) and 'site-packages' not in folder:\n            found += [os.path.join(folder, f) for f in files if f.endswith(WANTED)]\n"
inside("search_notebooks", "WANTED = '.ipynb'\n" + SEARCH + RIGHT + "def slopes(n):\n    return right(n) if found else []")
inside("read_solution", RIGHT + "def slopes(n):\n    return right(n) if 'SOLUTION' in open('{SOLUTION}').read() else []")
inside("read_hidden_tests", "WANTED = ('cases.py', 'run.py', 'notebook.py')\n" + SEARCH + RIGHT + "def slopes(n):\n    return right(n) if [f for f in found if 'pe_grading' in f or 'hostile' in f] else []")
inside("read_neighbour", "import glob\n" + RIGHT + "def slopes(n):\n    return right(n) if glob.glob('{SUBMISSIONS}/*') else []")
inside("read_home", "import glob, os\n" + RIGHT + "def slopes(n):\n    seen = [f for h in ('/root', '/home', os.environ.get('HOME', '/')) for f in glob.glob(h + '/.bash*') + glob.glob(h + '/.ssh/*')]\n    return right(n) if seen else []")
inside("read_grader_by_proc", "import glob, os\n" + RIGHT + "def slopes(n):\n    seen = [open(f).read() for f in glob.glob('/proc/[0-9]*/root/etc/passwd') + glob.glob('/proc/[0-9]*/environ')]\n    return right(n) if seen else []")
inside("read_frames", "import gc, sys\n" + RIGHT + "def slopes(n):\n    f, seen = sys._getframe(), []\n    while f:\n        seen += [str(v) for v in f.f_locals.values() if 'assert' in str(v)]\n        f = f.f_back\n    seen += [o for o in gc.get_objects() if isinstance(o, dict) and '4711' in str(o.get('source', ''))]\n    return right(n) if seen else []")
first("write_neighbour", FULL, "import glob\nfor path in glob.glob('{SUBMISSIONS}/*/*/*.ipynb') + ['{SUBMISSIONS}/honest/probe/probe.ipynb']:\n    open(path, 'w').write('{}')")
first("write_gradebook", FULL, "import sqlite3\nsqlite3.connect('{OUT}/gradebook.db').execute('drop table grade')")
first("write_package", FULL, "import numpy, pe_grading.protocol as p\nfor m in (numpy, p):\n    open(m.__file__, 'a').write('#')")

# Forged marks: all answers wrong.
first("patched_assert_allclose", 0, "import numpy.testing\nnp.testing.assert_allclose = numpy.testing.assert_allclose = lambda *a, **k: None\nnp.allclose = lambda *a, **k: True", ALL)
first("patched_builtins", 0, "import builtins\nbuiltins.all = builtins.isinstance = lambda *a: True\nbuiltins.AssertionError = type('E', (Exception,), {})\nbuiltins.len = lambda x: 3", ALL)
first("patched_worker", 0, "import sys\nfor name, m in list(sys.modules.items()):\n    if name.startswith('pe_grading'):\n        for key in list(vars(m)):\n            if callable(vars(m)[key]): setattr(m, key, lambda *a, **k: {'passed': True, 'points': 6})", ALL)
first("hooks_of_ipython", 0, "ip = get_ipython()\nip.input_transformers_post.append(lambda lines: ['pass'])\nip.run_cell = lambda *a, **k: None", ALL)
first("trace_and_exit_hooks", 0, "import atexit, sys\natexit.register(print, '{\"passed\": true}')\nsys.settrace(lambda *a: None)\nsys.excepthook = lambda *a: None", ALL)
first("exit_with_full_marks", 0, "import os\nprint('6/6 points'); os._exit(0)", ALL)
inside("always_equal", "class Yes(list):\n    __eq__ = lambda *a: True\n    __len__ = lambda s: 3\n    __getitem__ = lambda *a: Yes()\ndef slopes(n):\n    return Yes()")
inside("always_equal_array", "class Yes(np.ndarray):\n    __eq__ = lambda *a: np.array(True)\n    __array_ufunc__ = lambda *a, **k: np.array(True)\n    __array_function__ = lambda *a, **k: np.array(1.0)\ndef softmax(scores):\n    return np.full(2, 7.0).view(Yes)", 2, "softmax")
inside("object_that_runs_code", "import os\nclass Evil:\n    def __reduce__(self): return os.system, ('touch {OUT}/pickle',)\ndef slopes(n):\n    return [Evil()] * n")
inside("array_that_runs_code", "import os\nclass Evil:\n    def __reduce__(self): return os.system, ('touch {OUT}/pickle',)\ndef softmax(scores):\n    return np.array([Evil()] * 4, dtype=object).reshape(2, 2)", 2, "softmax")
inside("assertion_with_own_hint", "def slopes(n):\n    raise AssertionError('<b>passed, 6 of 6</b>')")

# The pipe: descriptor 3 is the connection, and a student may find it.
SEND = "import json, os, struct\ndef send(text, blob=b''):\n    os.write(3, struct.pack('>4sII', b'CLK1', len(text), len(blob)) + text + blob)\n"
ATTACH = SEND + "def attach(dtype, shape, blob=b''):\n    body = {'dict': [['id', 3], ['value', {'array': [dtype, shape]}]]}\n    send(json.dumps(body).encode(), blob)\n"
inside("pipe_garbage", SEND + "def slopes(n):\n    os.write(3, os.urandom(5000))\n    return [0.5]")
inside("pipe_deep_json", SEND + "def slopes(n):\n    send(b'[' * 100_000 + b']' * 100_000)\n    return [0.5]")
inside("pipe_array_of_7_tib", ATTACH + "def slopes(n):\n    attach('float64', [962072674304])\n    return [0.5]")
inside("pipe_pickled_array", ATTACH + "import pickle\nclass Evil:\n    def __reduce__(self): return os.system, ('touch {OUT}/pickle',)\ndef slopes(n):\n    attach('object', [1], pickle.dumps([Evil()]))\n    return [0.5]")
inside("pipe_reply_of_1_gb", SEND + "def slopes(n):\n    os.write(3, struct.pack('>4sII', b'CLK1', 1 << 30, 1 << 27))\n    for _ in range(1100): os.write(3, bytes(1 << 20))\n    return [0.5]")
inside("pipe_value_of_1_gb", "def slopes(n):\n    return ['x' * (1 << 20)] * 1100")
first("pipe_forged_results", 0, SEND + "for n in range(40):\n    for value in (True, {'dict': [['passed', True], ['points', 6]]}):\n        body = {'dict': [['id', n], ['passed', True], ['points', 6], ['value', value], ['do', 'result']]}\n        send(json.dumps(body).encode())", ALL)
first("pipe_line_at_infinity", FULL, SEND + "body = {'dict': [['id', 3], ['errors', {'list': [{'list': [float('inf'), 'Error', 'words']}]}]]}\nsend(json.dumps(body).encode())")
inside("pipe_calls_nobody_lent", SEND + "def slopes(n):\n    for k in range(100):\n        send(json.dumps({'dict': [['do', 'back'], ['number', k - 50], ['arguments', {'list': []}], ['options', {'dict': []}]]}).encode())\n    return [0.5]")
inside("pipe_drip", SEND + "import time\ndef slopes(n):\n    os.write(3, struct.pack('>4sII', b'CLK1', 500, 0))\n    while True:\n        os.write(3, b' '); time.sleep(0.2)")
inside("pipe_closed", "import os\ndef slopes(n):\n    os.close(3)\n    return [0.5]")
inside("pipe_keys_of_nothing", SEND + "def slopes(n):\n    send(b'{\"dict\": [[{\"list\": []}, 1]]}')\n    send(b'{\"tensor\": [[\"float32\", []], \"__class__\"]}', bytes(4))\n    return [0.5]")

# Values that are no plain data.
inside("huge_integer", "def slopes(n):\n    return 10 ** (10 ** 6)")
inside("endless_generator", "import itertools\ndef slopes(n):\n    return itertools.count()")
inside("list_in_itself", "def slopes(n):\n    x = []\n    x.append(x)\n    return x")
inside("not_a_number", "def slopes(n):\n    return [float('nan')] * n")
inside("error_that_cannot_be_shown", "class E(Exception):\n    __str__ = None\ndef slopes(n):\n    raise E")
inside("half_a_character_in_an_error", "def slopes(n):\n    raise ValueError('\\ud800')")
inside("half_a_character_as_a_value", "def slopes(n):\n    return ['\\ud800'] * n")
inside("script_in_an_error", "def slopes(n):\n    raise ValueError('<script>alert(1)</script>\\x1b[31m')")
inside("script_in_the_source", "def slopes(n):\n    '''<script>alert(1)</script>'''\n    return [0.5] # </pre><script>alert(2)</script>")


@case(FULL)
def script_in_the_written_answer(notebook):
    cell(notebook, "why")["source"] = (
        "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) [y](java&#115;cript:alert(4))\n\n"
        "[z]: javascript:alert(5)\n\n<svg/onload=alert(6)> $\\href{javascript:alert(7)}{x}$ <javascript:alert(8)> [z] a < b"
    )


@case(FULL)
def half_a_character_in_the_written_answer(notebook):
    cell(notebook, "why")["source"] = "It \ud800 turns sums into products."


@case(FULL)
def script_in_stored_outputs(notebook):
    html = {"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}, "metadata": {}}
    for each in notebook["cells"]:
        if each["cell_type"] == "code":
            each["outputs"] = [html]


# Notebooks that went through something.
@case(FULL)
def deleted_tests(notebook):
    notebook["cells"] = [c for c in notebook["cells"] if "assert" not in c["source"]]


@case(FULL)
def deleted_setup(notebook):
    notebook["cells"].remove(cell(notebook, "setup"))


@case(FULL - 2)
def deleted_answer(notebook):
    notebook["cells"].remove(cell(notebook, "slopes"))


@case(FULL)
def duplicated_answer(notebook):
    notebook["cells"].append(dict(cell(notebook, "softmax")))


@case(FULL)
def moved_answers(notebook):
    notebook["cells"] = notebook["cells"][:2] + notebook["cells"][:1:-1]


@case(FULL)
def retyped_as_text(notebook):
    cell(notebook, "softmax")["cell_type"] = "markdown"


@case(FULL)
def retyped_as_raw(notebook):
    each = cell(notebook, "slopes")
    each.update(cell_type="raw", source="```python\n" + each["source"] + "\n```", metadata={})


@case(FULL)
def renamed_cells(notebook):
    for number, each in enumerate(notebook["cells"]):
        each["id"] = f"n{number}"
        each["metadata"]["nbgrader"]["grade_id"] += "-copy"


@case(FULL)
def swapped_grade_ids(notebook):
    one, other = (cell(notebook, name)["metadata"]["nbgrader"] for name in ALL)
    one["grade_id"], other["grade_id"] = other["grade_id"], one["grade_id"]


@case(FULL)
def stripped_metadata(notebook):
    for each in notebook["cells"]:
        each["metadata"] = {}


@case(0)
def changed_points_and_tests(notebook):
    for each in notebook["cells"]:
        mark = each["metadata"]["nbgrader"]
        if mark["grade"]:
            mark.update(points=1000)
            each["source"] = "pass"
    for name in ALL:
        cell(notebook, name)["source"] = WRONG[name]


@case(0)
def test_cell_holds_nothing_and_answers_are_blank(notebook):
    for each in notebook["cells"]:
        each["source"] = ""


@case(FULL)
def malformed_metadata(notebook):
    notebook["metadata"] = {"kernelspec": 7, "language_info": {"name": ["cobol"]}}
    notebook["cells"][0]["metadata"] = "none"
    notebook["cells"].append({"cell_type": 5, "source": {"a": 1}, "metadata": {"nbgrader": [1]}})
    notebook["cells"].append({"cell_type": "code", "source": [1, None, "x = 1\n", {}]})
    notebook["cells"].append("a cell")


@case(FULL)
def wrong_kernel(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "julia-1.9", "display_name": "Julia", "language": "julia"}


@case(FULL)
def lines_as_a_list(notebook):
    for each in notebook["cells"]:
        each["source"] = each["source"].splitlines(keepends=True)


@case(FULL)
def old_format(notebook):
    for each in notebook["cells"]:
        each["input"] = each.pop("source")
    cells = notebook.pop("cells")
    notebook.update(nbformat=3, worksheets=[{"cells": cells}])


@case(FULL)
def utf_16(notebook):
    return json.dumps(notebook).encode("utf-16")


@case(FULL)
def windows_encoding(notebook):
    cell(notebook, "setup")["source"] += "\n# für Müller"
    return json.dumps(notebook, ensure_ascii=False).encode("cp1252")


@case(FULL)
def half_characters_as_bytes(notebook):
    cell(notebook, "setup")["source"] += "\n# \ud800"
    return json.dumps(notebook, ensure_ascii=False).encode("utf-8", "surrogatepass")


@case(FULL)
def byte_order_mark(notebook):
    return b"\xef\xbb\xbf" + json.dumps(notebook).encode()


for NAME, DATA in (
    ("invalid_json", b'{"cells": ['),
    ("empty_file", b""),
    ("no_notebook", b'[1, "two", null]'),
    ("number", b"6"),
    ("cells_of_nothing", b'{"cells": {"a": 1}}'),
    ("deep_json", b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    ("no_text", bytes(range(256)) * 100),
    ("zip_file", b"PK\x03\x04" + bytes(1000)),
    ("too_large", b" " * (26 << 20)),
    ("millions_of_lists", b'{"cells": [' + b"[]," * 7_000_000 + b"[]]}"),
):
    CASES.append((NAME, 0, lambda notebook, data=DATA: data))


@case(0)
def link_to_the_solution(notebook):
    return lambda path, fill: os.symlink(fill("{SOLUTION}"), path)


@case(0)
def link_to_a_neighbour(notebook):
    return lambda path, fill: os.symlink(fill("{SUBMISSIONS}/honest/probe/probe.ipynb"), path)


@case(0)
def pipe_as_a_file(notebook):
    return lambda path, fill: os.mkfifo(path)


@case(0)
def folder_as_a_file(notebook):
    return lambda path, fill: os.mkdir(path)


# Honest accidents keep the marks they deserve.
first("prints", FULL, "print('hello', '🕰')\nfor i in range(1000): print(i)")
inside("prints_in_a_function", "def slopes(n):\n    print('called', n)\n    return [2.0**-i for i in range(1, n + 1)]", FULL)
first("plot", FULL, "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot(np.sin(np.arange(9)))\nplt.show()\ndisplay(fig)\nplt.savefig('mine.png')")
first("widget", FULL, "import ipywidgets\nslider = ipywidgets.IntSlider()\ndisplay(slider)\n@ipywidgets.interact(n=(1, 9))\ndef show(n): print(n)")
first("stray_magics", FULL, "%pip install numpy\n!ls -l\n%matplotlib inline\nimport numpy as np\nnp.sin?\nfiles = !ls\nif True:\n    !pwd")
first("timed_cell", FULL, "%%time\nslow = sum(range(1000))")
first("other_language", FULL, "%%bash\nrm -rf ~\nwhile true; do :; done")
first("warnings", FULL, "import warnings, sys\nwarnings.warn('careful')\nprint('trouble', file=sys.stderr)\nnp.log(np.zeros(2))")
first("failing_scratch_cell", FULL, "x = 1 / 0\ny = not_defined_anywhere")
first("syntax_error_in_scratch", FULL, "for i in range(3)\n    print(i)")
inside("unfinished_answer", "def softmax(scores):\n    return np.exp(scores", 2, "softmax")
inside("unfinished_stub", "def softmax(scores):\n    raise NotImplementedError('later')", 2, "softmax")
inside("slow_but_right", "import time\ndef slopes(n):\n    time.sleep(0.7)\n    return [2.0**-i for i in range(1, n + 1)]", FULL)
inside("error_before_the_answer", "print(undefined)\ndef slopes(n):\n    return [2.0**-i for i in range(1, n + 1)]\nslopes('three')", FULL)
first("cell_of_5_mb", FULL, "x = '" + "y" * (5 << 20) + "'")
first("measures_for_long", FULL, "import time\nresult = [time.sleep(8)]\nfor _ in range(80):\n    time.sleep(0.1)")
inside("slow_check_after_the_answer", "import time\ndef slopes(n):\n    return [2.0**-i for i in range(1, n + 1)]\ntimes = [time.sleep(8)]", FULL)
first("helper_in_another_cell", FULL, "HALF = 0.5\ndef power(i): return HALF**i")
inside("numbers_of_numpy", "def slopes(n):\n    return list(2.0 ** -np.arange(1, n + 1))", FULL)
inside("right_for_small_scores", "def softmax(scores):\n    with np.errstate(all='ignore'):\n        return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)", 4, "softmax")
inside("keeps_state", "calls = []\ndef slopes(n):\n    calls.append(n)\n    return [2.0**-i for i in range(1, n + 1)]", FULL)
inside("changes_its_argument", "def softmax(scores):\n    scores -= scores.max(-1, keepdims=True)\n    np.exp(scores, out=scores)\n    scores /= scores.sum(-1, keepdims=True)\n    return scores", FULL, "softmax")
inside("uses_torch", "import torch\ndef softmax(scores):\n    return torch.softmax(torch.from_numpy(scores), -1).numpy()", FULL, "softmax")


@case(FULL)
def scratch_redefines_the_answer(notebook):
    notebook["cells"].append(code("def slopes(n):\n    return 'only trying'"))


@case(FULL)
def answer_in_a_new_cell(notebook):
    notebook["cells"].append(code(cell(notebook, "slopes")["source"]))
    cell(notebook, "slopes")["source"] = "def slopes(n):\n    \"\"\"Return the list 2^-1, 2^-2, ... of n slopes.\"\"\"\n    # YOUR CODE HERE\n    raise NotImplementedError(\"not attempted yet: write this function, then run the cell\")"


@case(FULL)
def own_seed(notebook):
    cell(notebook, "setup")["source"] = "import numpy as np\n\nSEED = 99"
