"""Ten users on a real JupyterHub: how long until each has a server, a lesson open and a lesson run, and what memory?

`python3 course.py bench hub` makes an environment of its own in build/hub/ (JupyterHub from its package index,
configurable-http-proxy from npm), starts a hub with SimpleLocalProcessSpawner, lets all users come at once, run
lesson 02 each, and then lesson 03 in a second kernel, and writes benchmarks/results/hub.json.
"""

import asyncio
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import course
import psutil
import tornado.httpclient
import tornado.websocket
from tools import processes

HOME = Path(__file__).resolve().parents[1]
PLACE = HOME / "build" / "hub"
RESULT = HOME / "benchmarks" / "results" / "hub.json"
USERS = [f"reader{number:02}" for number in range(10)]
LESSONS = ("02_deriving_the_sinusoid.ipynb", "03_clock_hands.ipynb")
CLASSES = (30, 100, 300)
MARK = "CLOCKWORK_HUB"  # set in the environment of everything that belongs to the hub
PROXY = "configurable-http-proxy@5"
CONFIGURATION = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.JupyterHub.db_url = "sqlite:///:memory:"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{place}/home/{{username}}"
c.Spawner.cmd = ["{python}", "-m", "jupyterhub.singleuser", "--allow-root", "--log-level=ERROR"]
c.Spawner.environment = {{"OMP_NUM_THREADS": "1", "{mark}": "{token}"}}
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
c.ConfigurableHTTPProxy.command = ["{place}/node_modules/.bin/configurable-http-proxy"]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.JupyterHub.services = [{{"name": "bench", "api_token": "{token}"}}]
c.JupyterHub.load_roles = [
    {{"name": "bench", "services": ["bench"], "scopes": ["admin:users", "admin:servers", "access:servers"]}}
]
c.JupyterHub.log_level = "ERROR"
"""


class Reader:
    """One user of the hub, as its interface sees them."""

    def __init__(self, name: str, address: str, token: str):
        self.name = name
        self.address = address
        self.token = token
        self.headers = {"Authorization": f"token {token}"}
        self.client = tornado.httpclient.AsyncHTTPClient()
        self.seconds: dict[str, float] = {}

    async def ask(self, path: str, method: str = "GET", content=None):
        body = json.dumps(content) if method in ("POST", "PUT") else None
        request = tornado.httpclient.HTTPRequest(
            f"{self.address}/{path}", method, self.headers, body, request_timeout=600, connect_timeout=600
        )
        reply = await self.client.fetch(request)
        return json.loads(reply.body) if reply.body else None

    async def work(self) -> None:
        """Start a server, open a lesson, run it, then a second one."""
        start = time.perf_counter()
        await self.ask(f"hub/api/users/{self.name}", "POST", {})
        await self.ask(f"hub/api/users/{self.name}/server", "POST", {})
        while not (await self.ask(f"hub/api/users/{self.name}"))["servers"].get("", {}).get("ready"):
            await asyncio.sleep(0.5)
        self.note("server up", start)
        for lesson, label in zip(LESSONS, ("first", "second"), strict=True):
            start = time.perf_counter()
            cells, kernel = await self.open(f"notebooks/{lesson}")
            self.note(f"{label} lesson open", start)
            start = time.perf_counter()
            await self.run(cells, kernel)
            self.note(f"{label} lesson run", start)
            self.seconds[f"MB with the {label} lesson run"] = round(memory(self.token, self.name) / 1e6)

    def note(self, what: str, start: float) -> None:
        self.seconds[what] = round(time.perf_counter() - start, 1)
        print(f"{self.name}: {what} after {self.seconds[what]} s", flush=True)

    async def open(self, path: str) -> tuple[list[str], str]:
        """Read a lesson and start its kernel; return the sources of its code and the kernel's name."""
        lesson = await self.ask(f"user/{self.name}/api/contents/{path}")
        asked = {"path": path, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
        session = await self.ask(f"user/{self.name}/api/sessions", "POST", asked)
        cells = [cell["source"] for cell in lesson["content"]["cells"] if cell["cell_type"] == "code"]
        return cells, session["kernel"]["id"]

    async def run(self, cells: list[str], kernel: str) -> None:
        """Run cells one after another; an error in one is an error of the benchmark."""
        address = self.address.replace("http", "ws", 1)
        url = f"{address}/user/{self.name}/api/kernels/{kernel}/channels"
        request = tornado.httpclient.HTTPRequest(url, headers=self.headers, connect_timeout=600)
        wire = await tornado.websocket.websocket_connect(request, max_message_size=10**9)
        for source in cells:
            asked = uuid.uuid4().hex
            content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}}
            header = {"msg_id": asked, "msg_type": "execute_request", "session": kernel, "version": "5.3"}
            message = {"header": header | {"username": "", "date": ""}, "parent_header": {}, "metadata": {}}
            await wire.write_message(json.dumps(message | {"content": content, "channel": "shell", "buffers": []}))
            while True:
                reply = await wire.read_message()
                reply = json.loads(reply) if isinstance(reply, str) else {}  # what is binary belongs to widgets
                if reply.get("msg_type") == "execute_reply" and reply["parent_header"].get("msg_id") == asked:
                    break
            if reply["content"]["status"] != "ok":
                raise RuntimeError(f"{self.name}: {reply['content'].get('evalue')} in\n{source}")
        wire.close()


def memory(token: str, name: str | None = None) -> int:
    """Return the bytes that the processes of a user hold, or of the hub and its proxy, shared pages in shares."""
    total = 0
    for process in psutil.process_iter():
        try:
            environment = process.environ()
            if environment.get(MARK) == token and environment.get("JUPYTERHUB_USER") == name:
                total += process.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def install() -> Path:
    """Make an environment with the course and JupyterHub, and the proxy beside it; return its interpreter."""
    python = course.python_of(PLACE / "venv")
    uv = [sys.executable, "-m", "uv"]
    environment = course.uv_environment(course.pip_settings(Path(sys.executable)))
    constraints = ["-c", course.CONSTRAINTS, *course.torch_by_name(), "jupyterhub"]
    constraints += ["-e", HOME / course.HELPERS, "-e", f"{HOME}[lab]"]
    subprocess.check_call([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, PLACE / "venv"])
    subprocess.check_call([*uv, "pip", "install", "--quiet", "--python", python, *constraints], env=environment)
    subprocess.check_call(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", PLACE, PROXY])
    for user in USERS:
        home = PLACE / "home" / user
        shutil.copytree(HOME / "notebooks", home / "notebooks")
        (home / "data").symlink_to(HOME / "data")
    return python


def ports(count: int) -> list[int]:
    """Find ports that are free."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return found


async def measure(address: str, token: str) -> dict:
    """Let all users work at once; return what was measured."""
    everyone = [Reader(name, address, token) for name in USERS]
    for _ in range(600):
        try:
            await everyone[0].ask("hub/api/")
            break
        except (OSError, tornado.httpclient.HTTPError):
            await asyncio.sleep(0.2)
    start = time.perf_counter()
    await asyncio.gather(*(reader.work() for reader in everyone))
    result = {"seconds until all had run both lessons": round(time.perf_counter() - start, 1)}
    for what in everyone[0].seconds:
        values = sorted(reader.seconds[what] for reader in everyone)
        result[what] = {"median": values[len(values) // 2], "largest": values[-1]}
    result["MB of the hub and its proxy"] = round(memory(token) / 1e6)
    return result


def main() -> None:
    """Measure, extrapolate to classes and write the result."""
    shutil.rmtree(PLACE / "home", ignore_errors=True)
    python = install()
    token = uuid.uuid4().hex
    port, hub_port, proxy_port = ports(3)
    settings = {"port": port, "hub_port": hub_port, "proxy_port": proxy_port, "token": token}
    configuration = PLACE / "jupyterhub_config.py"
    configuration.write_text(CONFIGURATION.format(place=PLACE, python=python, mark=MARK, **settings))
    load = os.getloadavg()[0]
    environment = os.environ | {MARK: token, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    command = [str(python), "-m", "jupyterhub", "--config", str(configuration)]
    with (PLACE / "log").open("w") as log, processes.running(command, environment, cwd=PLACE, stdout=log, stderr=log):
        measured = asyncio.run(measure(f"http://127.0.0.1:{port}", token))
    one, two = (measured[f"MB with the {label} lesson run"]["median"] for label in ("first", "second"))
    hub = measured["MB of the hub and its proxy"]
    result = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load before": round(load, 1),
        "users": len(USERS),
        **measured,
        "rows": [
            {"class of": size, "GB, one lesson each": round((hub + size * one) / 1e3, 1)}
            | {"GB, two lessons each": round((hub + size * two) / 1e3, 1)}
            for size in CLASSES
        ],
        "note": f"{len(USERS)} users at once on {os.cpu_count()} cores at a load of {load:.0f} before they came.",
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
