"""The loopback Hub, users that run commands against it, and small versions to publish."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from evenhand.contract.cli import main

_spec = importlib.util.spec_from_file_location(
    "loopback_hub", Path(__file__).with_name("loopback.py")
)
loopback = importlib.util.module_from_spec(_spec)
sys.modules["loopback_hub"] = loopback
_spec.loader.exec_module(loopback)
Hub, Handler, WRITER, READER = loopback.Hub, loopback.Handler, loopback.WRITER, loopback.READER


@pytest.fixture(scope="session")
def serving() -> Iterator[type[Handler]]:
    """Serve HTTP on loopback for all tests; what it serves is each test's own."""
    handler = type("BoundHandler", (Handler,), {"hub": Hub()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        handler.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield handler
        server.shutdown()
        thread.join()


@pytest.fixture
def hub(serving: type[Handler]) -> Iterator[Hub]:
    """Return a Hub on loopback that is empty; every call that it gets must be one that it knows."""
    serving.hub = Hub()
    serving.hub.url = serving.url
    yield serving.hub
    assert serving.hub.unknown == []


COMMANDS = """
import json, os, signal, sys
from evenhand.contract.cli import main
import evenhand.generator.commands.pull, evenhand.generator.commands.publish
import evenhand.generator.hub.publish, huggingface_hub.hf_api
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.chdir(asked["cwd"])
        os.environ.update(asked["env"])
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT), number)
        code = main(asked["words"])
        sys.stdout.flush(); sys.stderr.flush()
        with open(asked["code"] + ".part", "w") as stream:
            stream.write(str(code))
        os.rename(asked["code"] + ".part", asked["code"])
        os._exit(code)
    print(child, flush=True)
"""
"""Runs each command in a process of its own that has the libraries imported already."""


@pytest.fixture(scope="session")
def commands(serving: type[Handler], tmp_path_factory) -> Iterator[subprocess.Popen[str]]:
    """Return the process that starts commands, with the Hub's address set before any import."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "EVENHAND_"))}
    ours = {"HF_ENDPOINT": serving.url, "HF_HOME": str(tmp_path_factory.mktemp("hf_home"))}
    with subprocess.Popen(
        [sys.executable, "-c", COMMANDS],
        env={**kept, **ours, "HF_HUB_DISABLE_XET": "1", "NO_PROXY": "127.0.0.1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()


@dataclass(frozen=True)
class Running:
    """A command that was started."""

    pid: int
    folder: Path

    def kill(self) -> None:
        """End it at once, as a power cut does."""
        os.kill(self.pid, signal.SIGKILL)
        while _is_alive(self.pid):
            time.sleep(0.01)

    def finish(self) -> tuple[int, str, str]:
        """Wait for it; return exit code, stdout and stderr."""
        end = time.monotonic() + 60
        while not (self.folder / "code").exists():
            assert time.monotonic() < end, (self.folder / "err").read_text()
            time.sleep(0.01)
        code, out, err = ((self.folder / name).read_text() for name in ("code", "out", "err"))
        return int(code), out, err


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@dataclass(frozen=True)
class Caller:
    """Runs the command line, or any program, as a user of the loopback Hub."""

    commands: subprocess.Popen[str]
    home: Path
    url: str
    started: list[Running] = field(default_factory=list)

    def start(self, *words: object, token: str | None = WRITER, **env: str) -> Running:
        """Start a command."""
        folder = self.home / "calls" / str(len(self.started))
        folder.mkdir(parents=True)
        files = {name: str(folder / name) for name in ("out", "err", "code")}
        environment = {**({"HF_TOKEN": token} if token else {}), **env}
        asked = {"words": [str(word) for word in words], "cwd": str(self.home), "env": environment}
        self.commands.stdin.write(json.dumps({**asked, **files}) + "\n")
        self.commands.stdin.flush()
        running = Running(int(self.commands.stdout.readline()), folder)
        self.started.append(running)
        return running

    def __call__(
        self, *words: object, token: str | None = WRITER, **env: str
    ) -> tuple[int, str, str]:
        """Run a command."""
        return self.start(*words, token=token, **env).finish()

    def program(self, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
        """Run Python from scratch, e.g. with the real clients, as a reader."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "EVENHAND_"))}
        ours = {"HF_ENDPOINT": self.url, "HF_HOME": str(self.home / "hf"), "NO_PROXY": "127.0.0.1"}
        return subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=self.home,
            env={**kept, **ours, "HF_HUB_DISABLE_XET": "1", **env},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def call(hub: Hub, commands: subprocess.Popen[str], tmp_path: Path) -> Iterator[Caller]:
    """Return a runner of commands; after the test, nothing may hold a token or a signature."""
    caller = Caller(commands, tmp_path, hub.url)
    yield caller
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.suffix != ".parquet" and path.name != "token":
            text = path.read_text(errors="replace")
            assert WRITER not in text, path
            assert READER not in text, path
            assert "signature=" not in text, path


TEMPLATE = """\
{% set attribute_kind = "person" %}
{% block context %}The {{ x1 }} reader met the {{ x2 }} reader.{% endblock %}
{% block question %}Who {{ attribute }}?{% endblock %}
{% block statement %}The {{ mask }} reader {{ attribute }}.{% endblock %}
"""
SUBJECTS = ("Tabloid", "Evening", "Sunday", "Weekly")


@pytest.fixture(scope="session")
def versions(tmp_path_factory) -> Callable[..., Path]:
    """Return a function that generates a version of a small set; n is the number of subjects."""
    root = tmp_path_factory.mktemp("versions")

    def version(number: str, *options: str, n: int = 3, words: str = "was rude") -> Path:
        out = root / "-".join([number, str(n), words.replace(" ", "_"), *options]) / "v"
        if out.is_dir():
            return out
        templates = out.parent / "user"
        rows = "".join(f"{s.lower()}\t{s}\tours\n" for s in SUBJECTS[:n])
        files = {
            "readers/t00.jinja": TEMPLATE,
            "subjects/readers.tsv": f"key\tword\tsource\n{rows}",
            "attributes/readers.tsv": (
                "key\tkind\tcategory\tpositive\tpositive_plural\tnegative\tnegative_plural\tsource"
                f"\treview\nrude\tperson\tmanners\t{words}\twere\twas polite\twere polite\tours\t\n"
            ),
        }
        for name, text in files.items():
            (templates / name).parent.mkdir(parents=True, exist_ok=True)
            (templates / name).write_text(text, encoding="utf-8")
        command = [
            "generate",
            "unqover",
            "--templates",
            str(templates),
            "--version",
            number,
            *options,
        ]
        assert main([*command, "--repo", "org/name", "--out", str(out)]) == 0
        return out

    return version
