"""The set-up: one list of packages, one command, PyTorch for the CPU by name, clear words when something is wrong."""

import ast
import contextlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import course
import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from tools import colab, processes

HOME = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
DISTRIBUTIONS = {
    tomllib.loads(file.read_text())["project"]["name"]: file.parent for file in HOME.glob("src/*/pyproject.toml")
}
FETCHED = [line for line in PROJECT["dependencies"] if Requirement(line).name not in DISTRIBUTIONS]
BACKEND = """
import pathlib, zipfile
ABOUT = {
    "METADATA": "Metadata-Version: 2.1\\nName: stub\\nVersion: 1\\n"
    "Provides-Extra: lab\\nRequires-Dist: left ; extra == 'lab'\\n",
    "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    "RECORD": "stub-1.dist-info/METADATA,,\\nstub-1.dist-info/WHEEL,,\\nstub-1.dist-info/RECORD,,\\n",
}
def build_editable(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(pathlib.Path(folder) / "stub-1-py3-none-any.whl", "w") as wheel:
        for file, text in ABOUT.items():
            wheel.writestr(f"stub-1.dist-info/{file}", text)
    return "stub-1-py3-none-any.whl"
build_wheel = build_editable
"""
TESTED = ("lab", "test", "grade", "sweep", "pretrained")


def pins():
    lines = [line for line in (HOME / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    return dict(line.lower().split("==") for line in lines)


def names(requirements):
    return {Requirement(line).name.lower().replace("_", "-") for line in requirements}


# what is named where


def test_environment_yml_names_python_and_pytorch_exactly_and_repeats_nothing_else():
    editable = ["-e src/pe_helpers", "-e .[lab,jupyterhub]"]
    entries = re.findall(r"^\s*- (?!pip:)([^#\n]+?)\s*(?:#.*)?$", (HOME / "environment.yml").read_text(), flags=re.M)
    pytorch = f"pytorch-cpu={pins()['torch']}"
    assert entries == ["conda-forge", "python=3.12", pytorch, "pip", "-c constraints.txt", *editable]
    assert SpecifierSet(PROJECT["requires-python"]).contains("3.12")


def test_the_package_takes_a_range_of_torch_that_holds_the_tested_version():
    (torch,) = (Requirement(line) for line in PROJECT["dependencies"] if Requirement(line).name == "torch")
    assert torch.specifier.contains(pins()["torch"])
    assert {rule.operator for rule in torch.specifier} <= {">=", "<"}, "an exact version would replace Colab's"


def test_what_the_course_needs_of_itself_is_installed_from_its_folder_and_is_on_no_index():
    own = [Requirement(line) for line in PROJECT["dependencies"] if line not in FETCHED]
    assert [one.name for one in own] == ["clockwork-pe-helpers"]
    assert course.course_with({"lab", "site"}) == ["-e", "src/pe_helpers", "-e", ".[lab,site]"]
    assert DISTRIBUTIONS[own[0].name] == HOME / course.HELPERS
    assert not DISTRIBUTIONS.keys() & (set(pins()) | set(colab.packages()))
    tljh = (HOME / "deploy/tljh.sh").read_text()
    assert tljh.index('"$course/src/pe_helpers"') < tljh.index('"${course}[lab]"')


def test_constraints_pin_every_requirement_of_the_tested_set():
    wanted = [*FETCHED, *(line for extra in TESTED for line in EXTRAS[extra])]
    assert names(wanted) | {"uv"} <= set(pins())
    assert not [pin for pin in pins().values() if "+" in pin or "/" in pin], "where a package came from is not recorded"
    assert not [name for name in pins() if name.startswith("nvidia-")]


def test_installed_versions_are_the_constrained_ones():
    for name, pin in pins().items():
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            assert importlib.metadata.version(name).split("+")[0] == pin, name


def test_every_verb_names_extras_and_files_that_exist():
    for extras, command, _ in course.VERBS.values():
        assert set(extras.split(",")) <= set(EXTRAS)
        if command[:1] == ["-m"]:
            assert importlib.util.find_spec(command[1]), command
        elif command:
            assert (HOME / command[0]).is_file(), command


def test_the_newest_python_is_one_that_every_package_knows():
    assert SpecifierSet(PROJECT["requires-python"]).contains(".".join(map(str, course.OLDEST)))
    assert course.OLDEST <= sys.version_info[:2] <= course.NEWEST


# the command


def test_the_standard_library_is_all_that_the_command_needs():
    result = subprocess.run([sys.executable, "-S", "-I", HOME / "course.py"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "python3 course.py lab" in result.stdout


def test_an_unknown_verb_lists_the_known_ones(capsys):
    assert course.main(["lap"]) == 2
    assert all(what in capsys.readouterr().out + what for *_, what in course.VERBS.values())


@pytest.mark.parametrize("verb", course.VERBS)
def test_help_says_what_a_verb_does_and_installs_and_runs_nothing(verb, monkeypatch, capsys):
    monkeypatch.setattr(course, "is_current", lambda extras: False)
    monkeypatch.setattr(course, "prepare", lambda extras: pytest.fail("it installs"))
    assert course.main([verb, "--help"]) == 0
    assert course.VERBS[verb][2] in capsys.readouterr().out


def test_help_is_left_to_just_those_programs_that_read_it():
    programs = {verb: " ".join(command).removeprefix("-m ") for verb, (_, command, _) in course.VERBS.items()}
    read = set()
    for verb, program in programs.items():
        place = program.split()[0].removesuffix(".py").replace(".", "/") if program else "none"
        candidates = [HOME / folder / f"{place}{end}.py" for folder in (".", "src") for end in ("", "/__main__")]
        read |= {verb for path in candidates if path.exists() and "ArgumentParser(" in path.read_text("utf-8")}
    assert set(course.HELPFUL) == read


@pytest.mark.parametrize("version", [(3, 8), (3, 10), (3, 15)])
def test_a_python_that_does_not_suit_is_named_with_the_remedy(version, monkeypatch, capsys):
    ast.parse((HOME / "course.py").read_text("utf-8"), feature_version=(3, 8))  # it gets as far as saying so
    monkeypatch.setattr(sys, "version_info", (*version, 0))
    monkeypatch.setattr(course.shutil, "which", lambda name: name == "python3.12")
    assert course.main(["lab"]) == 1
    said = capsys.readouterr().err
    assert "needs Python 3.11 to 3.14" in said and "python3.12 course.py" in said


def test_a_python_without_virtual_environments_is_named_with_the_remedy(monkeypatch, capsys):
    monkeypatch.setattr(course.importlib.util, "find_spec", lambda name: None)
    assert course.main(["lab"]) == 1
    assert f"apt install python3.{sys.version_info.minor}-venv" in capsys.readouterr().err


def test_a_mac_for_which_pytorch_is_not_built_is_named(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(course.platform, "machine", lambda: "x86_64")
    assert course.main(["lab"]) == 1
    assert "Intel" in capsys.readouterr().err


# what a stranger's machine is told to install


class Recorder:
    """Stands where installers are called: the commands are kept, and as many fail as are told to."""

    def __init__(self, monkeypatch, failing=()):
        self.calls = []
        self.failing = list(failing)
        monkeypatch.setattr(course, "run_installer", self)

    def __call__(self, command, environment):
        self.calls.append(([str(part) for part in command], environment))
        if self.failing and (said := self.failing.pop(0)):
            raise course.Failed(said)


@pytest.fixture
def stranger(monkeypatch):
    """Take away what this machine tells pip and uv."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("CLOCKWORK_TORCH", raising=False)
    monkeypatch.setattr(course, "pip_settings", lambda python: {})


def test_on_linux_the_cpu_build_is_asked_for_by_name_in_every_path(stranger, monkeypatch):
    by_name = f"torch=={pins()['torch']}+cpu"
    recorder = Recorder(monkeypatch, [None, "No solution found", "no wheel", None])
    course.install(Path("no-such-venv"), ["-c", "constraints.txt"], course.course_with({"lab"}))
    uv, known, backend, pip = (command for command, _ in recorder.calls)
    assert uv[3:] == ["install", "--quiet", "-c", "constraints.txt", "uv"], "even uv is the tested one"
    assert "--torch-backend=cpu" in backend and "--torch-backend=cpu" not in known
    assert pip[-2:] == ["--extra-index-url", course.CPU_BUILDS]
    for command in (known, backend, pip):
        assert by_name in command and "constraints.txt" in command


@pytest.mark.parametrize(("platform", "wanted"), [("darwin", ""), ("win32", ""), ("linux", "gpu")])
def test_elsewhere_and_on_request_any_build_is_taken(platform, wanted, stranger, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("CLOCKWORK_TORCH", wanted)
    recorder = Recorder(monkeypatch)
    course.install(Path("no-such-venv"), [], course.course_with({"lab"}))
    assert len(recorder.calls) == 2
    assert not [part for command, _ in recorder.calls for part in command if "torch" in part]


def test_without_the_network_pip_is_not_tried_as_well(stranger, monkeypatch):
    recorder = Recorder(monkeypatch, ["dns error: failed to lookup address information"])
    with pytest.raises(course.Failed):
        course.install(Path("no-such-venv"), [], course.course_with({"lab"}))
    assert len(recorder.calls) == 1


def resolved(requirements, *options):
    """Resolve like a stranger on Linux, and return the names that would be installed, or what uv says instead."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    uv = [Path(sys.executable).with_name("uv"), "pip", "compile", "-", "--no-config", "--python-platform", "linux"]
    command = [*uv, "-c", HOME / "constraints.txt", "--no-annotate", "--no-header", *options]
    result = subprocess.run(command, input="\n".join(requirements), env=environment, capture_output=True, text=True)
    found = {line.split("==")[0] for line in result.stdout.splitlines()}
    return found if result.returncode == 0 else result.stderr


@pytest.mark.slow
def test_a_stranger_gets_no_package_for_graphics_cards(stranger):
    careless = resolved(FETCHED)
    if isinstance(careless, str):
        pytest.skip(f"the package index does not answer: {careless[-200:]}")
    assert {name for name in careless if name.startswith("nvidia-")}, "this test can tell the difference"
    by_name = resolved([*FETCHED, *course.torch_by_name()], "--torch-backend=cpu")
    if isinstance(by_name, str):
        assert course.CPU_BUILDS in by_name
        pytest.skip(f"{course.CPU_BUILDS} does not answer here: the resolution was not tried")
    assert not {name for name in by_name if name.startswith(("nvidia-", "cuda-"))}


def test_where_the_cpu_builds_cannot_be_reached_gigabytes_are_not_taken_silently(stranger):
    refused = resolved([*FETCHED, *course.torch_by_name()])
    assert isinstance(refused, str), "without PyTorch's own index there is no such build, and no other is taken"


# uv is told what pip is told


def settings_of(monkeypatch, listed):
    listing = type("Listing", (), {"stdout": listed})
    monkeypatch.setattr(course.subprocess, "run", lambda *_, **__: listing)
    return course.pip_settings(Path("python"))


def test_a_setting_of_pip_for_one_command_or_in_the_environment_goes_over_the_common_one(monkeypatch):
    listed = ":env:.find-links='three'\nglobal.find-links='one'\ninstall.find-links='two'\nglobal.cert='a b.pem'\n"
    assert settings_of(monkeypatch, listed)["find-links"] == ["three"]
    assert settings_of(monkeypatch, listed.replace(":env:", "list"))["find-links"] == ["two"]


def test_several_places_reach_uv_as_it_separates_them(monkeypatch):
    for name in ("UV_FIND_LINKS", "UV_INDEX", "UV_INDEX_STRATEGY"):
        monkeypatch.delenv(name, raising=False)
    settings = settings_of(monkeypatch, "global.find-links='\\na\\nb'\nglobal.extra-index-url='c d'\n")
    environment = course.uv_environment(settings)
    assert environment["UV_FIND_LINKS"] == "a,b" and environment["UV_INDEX"] == "c d"
    assert environment["UV_INDEX_STRATEGY"] == "unsafe-best-match", "pip takes the best version of all indexes"
    monkeypatch.setenv("UV_INDEX", "mine")
    assert course.uv_environment(settings)["UV_INDEX"] == "mine", "what uv itself is told goes first"


def test_progress_is_read_from_uv_and_from_pip():
    uv = [
        "Resolved 2 packages\n",
        "Downloading torch (1.0GiB)\n",
        "Downloading numpy (16.1MiB)\n",
        " Downloaded numpy\n",
    ]
    assert course.progress(uv, 12.3) == "16 of 1016 MB, 12 s, torch is on its way"
    assert course.progress([*uv, " Downloaded torch\n"], 20) == "1016 of 1016 MB, 20 s"
    assert course.progress(["Collecting x\n", "  Downloading x-1-py3-none-any.whl (500 kB)\n"], 1) == "0 of 0 MB, 1 s"
    assert course.progress(["Resolved 2 packages\n"], 1) == ""


@pytest.mark.parametrize(
    ("said", "wrong", "remedy"),
    [
        ("error: failed to write: No space left on device (os error 28)", "disk is full", "free"),
        (f"error sending request for url ({course.CPU_BUILDS}/torch/)", "download.pytorch.org", "CLOCKWORK_TORCH=gpu"),
        (
            "NewConnectionError: [Errno -3] Temporary failure in name resolution",
            "network",
            "what is already downloaded",
        ),
        ("× No solution found when resolving dependencies", "does not exist for this machine", "64-bit"),
        ("a bug", "reason stands above", "again"),
    ],
)
def test_why_an_installation_failed_is_said_with_the_remedy(said, wrong, remedy, monkeypatch):
    monkeypatch.delenv("HTTPS_PROXY", raising=False)
    monkeypatch.delenv("https_proxy", raising=False)
    found = course.explain(said)
    assert wrong in found[0] and remedy in found[1]


# the command as a whole, on a course of two small packages


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Make two package indexes: `left` 1 lies on the first, `left` 2 on the second."""
    folder = tmp_path_factory.mktemp("index")
    for number, place in enumerate(("first", "second"), start=1):
        home = folder / place / "left"
        home.mkdir(parents=True)
        wheel = f"left-{number}-py3-none-any.whl"
        about = {"METADATA": f"Metadata-Version: 2.1\nName: left\nVersion: {number}\n"}
        about |= {"WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        with zipfile.ZipFile(home / wheel, "w") as file:
            for name, text in about.items():
                file.writestr(f"left-{number}.dist-info/{name}", text)
            record = "".join(f"left-{number}.dist-info/{name},,\n" for name in [*about, "RECORD"])
            file.writestr(f"left-{number}.dist-info/RECORD", record)
        (home / "index.html").write_text(f'<a href="{wheel}">{wheel}</a>')
    return folder


@pytest.fixture
def small(tmp_path, monkeypatch, index):
    """Make a course that installs in seconds, in a folder with a space and an umlaut."""
    home = tmp_path / "Zoë's course"
    home.mkdir()
    shutil.copy(HOME / "course.py", home)
    (home / "backend.py").write_text(BACKEND)
    (home / "constraints.txt").write_text(f"uv=={pins()['uv']}\nleft==2\n")
    (home / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
        "[project]\nname = 'stub'\nversion = '1'\n[project.optional-dependencies]\nlab = ['left']\n"
    )
    helpers = home / course.HELPERS
    helpers.mkdir(parents=True)
    (helpers / "backend.py").write_text(BACKEND.replace("stub", "helpers"))
    text = (home / "pyproject.toml").read_text()
    (helpers / "pyproject.toml").write_text(text.replace("stub", "helpers"))
    config = [sys.executable, "-m", "pip", "config", "get", "global.extra-index-url"]
    known = subprocess.run(config, capture_output=True, text=True).stdout.split()
    more = [(index / place).as_uri() for place in ("first", "second")]
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", " ".join([*more, *known]))
    monkeypatch.setenv("CLOCKWORK_TORCH", "gpu")  # none at all is installed here
    return home


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Keep the environment of the first small course that was installed, for the tests that begin with one."""
    return tmp_path_factory.mktemp("environment") / "venv"


@pytest.fixture
def ready(small, environment):
    """Return a small course that is installed."""
    if environment.exists():
        shutil.copytree(environment, small / ".venv", symlinks=True)
    assert start(small).returncode == 0
    if not environment.exists():
        shutil.copytree(small / ".venv", environment, symlinks=True)
    return small


def start(home, *wrapper, **options):
    command = [*wrapper, sys.executable, str(home / "course.py"), "install"]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def installed(home):
    return [path.name for path in home.glob(".venv/lib/*/site-packages/*.dist-info") if "left" in path.name]


@pytest.mark.slow
def test_the_first_start_takes_under_ten_lines_and_the_second_does_nothing(small):
    first = start(small)
    assert first.returncode == 0, first.stderr
    assert len(first.stdout.splitlines()) < 10 and first.stderr == ""
    assert "GB to download" in first.stdout and "pip" not in first.stdout, "uv saw both indexes"
    assert installed(small) == ["left-2.dist-info"]
    assert list(small.glob(".venv/lib/*/site-packages/helpers-1.dist-info")), "the course's own part is missing"
    before = (small / ".venv/clockwork-stamp").stat().st_mtime_ns
    second = start(small)
    assert second.stdout == "Clockwork: lab: installed in .venv.\n"
    assert (small / ".venv/clockwork-stamp").stat().st_mtime_ns == before


@pytest.mark.slow
def test_two_starts_at_once_install_once_and_both_succeed(small):
    command = [sys.executable, str(small / "course.py"), "install"]
    with processes.running(command, stdout=subprocess.PIPE, text=True) as first:
        second = start(small)
        said, _ = first.communicate()
    assert first.returncode == second.returncode == 0, second.stderr
    assert sum("another start" in text for text in (said, second.stdout)) == 1
    assert sum("first start" in text for text in (said, second.stdout)) == 1


@pytest.mark.slow
def test_after_a_start_that_was_killed_the_next_one_begins_anew(small):
    command = [sys.executable, str(small / "course.py"), "install"]
    with processes.running(command, stdout=subprocess.PIPE, text=True) as first:
        next(line for line in first.stdout if "installer" in line)
        first.send_signal(signal.SIGKILL)
    assert (small / ".venv").exists() and not (small / ".venv/clockwork-stamp").exists()
    (small / ".venv/torn").write_text("half a file")
    second = start(small)
    assert second.returncode == 0, second.stderr
    assert not (small / ".venv/torn").exists() and installed(small)


@pytest.mark.slow
def test_an_environment_of_another_edition_is_brought_up_to_date(ready):
    stamp = ready / ".venv/clockwork-stamp"
    stamp.write_text("0123456789abcdef lab")  # what another list of packages leaves
    (ready / ".venv/mine").write_text("kept")
    again = start(ready)
    assert again.returncode == 0 and "up to date" in again.stdout, again.stderr
    assert (ready / ".venv/mine").exists() and stamp.read_text() != "0123456789abcdef lab"


@pytest.mark.slow
def test_an_environment_whose_python_is_gone_is_made_anew(ready):
    python = ready / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/no/such/python")
    broken = start(ready)
    assert broken.returncode == 0 and "first start" in broken.stdout, broken.stderr


@pytest.mark.slow
def test_without_the_network_the_old_environment_stays_and_the_next_start_goes_on(ready, monkeypatch):
    (ready / "constraints.txt").write_text(f"uv=={pins()['uv']}\nleft==3\n")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # a proxy that does not answer
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://example.invalid/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    failed = start(ready)
    assert failed.returncode == 1
    assert "network does not answer" in failed.stderr and "127.0.0.1:9" in failed.stderr
    assert (ready / ".venv/clockwork-stamp").exists() and installed(ready)


@pytest.mark.slow
def test_a_read_only_folder_is_named_before_anything_is_tried(small):
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is missing: it makes the folder read-only, also for root")
    result = start(small, "bwrap", "--dev-bind", "/", "/", "--ro-bind", str(small), str(small))
    assert result.returncode == 1
    assert "cannot be written (Read-only file system)" in result.stderr and "copy the folder" in result.stderr


@pytest.mark.slow
def test_a_full_disk_is_named_before_anything_is_downloaded(small):
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is missing: it makes a small disk")
    place = ["--dev-bind", "/", "/", "--size", "40000000", "--tmpfs", str(small)]
    for name in ("course.py", "pyproject.toml", "constraints.txt", "src"):
        place += ["--ro-bind", str(small / name), str(small / name)]
    result = start(small, "bwrap", *place)
    assert result.returncode == 1
    assert "disk is full" in result.stderr and "free 1.6 GB" in result.stderr
