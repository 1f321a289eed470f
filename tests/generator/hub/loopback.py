"""A Hub on loopback: real HTTP, real commits, tags and ranges, and every way of failing."""

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

WRITER, READER = "hf_writerwriterwriterwriter", "hf_readerreaderreaderreader"


class Blob(NamedTuple):
    """One file of a commit."""

    data: bytes
    is_lfs: bool

    @property
    def oid(self) -> str:
        """The id that git gives the content; of a large file that of its pointer."""
        content = self.data if not self.is_lfs else self.sha256.encode()
        return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324

    @property
    def sha256(self) -> str:
        """Digest of the content."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass
class Repo:
    """A dataset repository: commits, branches and tags."""

    private: bool = False
    gated: Any = False
    commits: dict[str, dict[str, Blob]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def commit(self, files: dict[str, Blob], message: str) -> str:
        """Add a commit to ``main``."""
        stamp = f"{len(self.commits)} {message} {sorted((k, v.oid) for k, v in files.items())}"
        oid = hashlib.sha1(stamp.encode()).hexdigest()  # noqa: S324
        self.commits[oid] = files
        self.branches["main"] = oid
        self.messages.append(message)
        return oid

    def resolve(self, revision: str) -> str | None:
        """Return the commit of a branch, tag or commit."""
        commit = self.branches.get(revision) or self.tags.get(revision) or revision
        return commit if commit in self.commits else None


@dataclass
class Fault:
    """Something that goes wrong with the next matching requests."""

    method: str
    path: str
    times: int = 1
    skip: int = 0
    """Matching requests that go well first."""
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Close without an answer; of a download, after half of it."""
    lost: bool = False
    """Do it, and close without an answer."""
    delay: float = 0
    hold: threading.Event | None = None
    """Wait for this before going on."""
    reached: threading.Event = field(default_factory=threading.Event)

    def matches(self, method: str, path: str) -> bool:
        """Say whether it is this request's turn, and count it."""
        if self.times <= 0 or method != self.method or not re.search(self.path, path):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


class Answer(Exception):
    """An answer that ends the handling of a request."""

    def __init__(self, status: int, body: Any = None, **headers: str) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Hub:
    """The state of the loopback Hub."""

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str]] = []
        self.ranges: list[str] = []
        self.unknown: list[str] = []
        self.members = {WRITER: "writer", READER: "reader"}
        self.lock = threading.RLock()
        self.url = ""

    def fail(self, method: str, path: str, **how: Any) -> Fault:
        """Let a request go wrong."""
        fault = Fault(method, path, **how)
        self.faults.append(fault)
        return fault

    def asked(self, method: str, path: str) -> int:
        """Count the requests so far."""
        return sum(m == method and bool(re.search(path, p)) for m, p in self.requests)

    def put(self, name: str, folder: Path, tag: str | None) -> Repo:
        """Hold a version as if it had been published, on top of what is there."""
        repo = self.repos.setdefault(name, Repo())
        files = {}
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            blob = Blob(path.read_bytes(), path.suffix == ".parquet")
            files[path.relative_to(folder).as_posix()] = blob
            if blob.is_lfs:
                self.objects[blob.sha256] = blob.data
        commit = repo.commit({".gitattributes": Blob(b"", is_lfs=False), **files}, "put")
        if tag:
            repo.tags[tag] = commit
        return repo

    def files(self, name: str, revision: str) -> dict[str, bytes]:
        """Return the files at a revision."""
        repo = self.repos[name]
        commit = repo.resolve(revision)
        assert commit is not None
        return {path: blob.data for path, blob in repo.commits[commit].items()}


class Handler(BaseHTTPRequestHandler):
    """Speaks the calls of the Hub's API that huggingface_hub and datasets make."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    """Head and body are written one after the other; the second must not wait for an answer."""
    hub: Hub
    url: str

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self.handle_request
        raise AttributeError(name)

    def handle_request(self) -> None:
        """Answer one request, or let it go wrong."""
        self.address = urlsplit(self.path)
        path = unquote(self.address.path)
        with self.hub.lock:
            self.hub.requests.append((self.command, path))
            faults = (one for one in self.hub.faults if one.matches(self.command, path))
            self.fault = next(faults, None)
        try:
            self._send(self._answered(path))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        except Exception as error:
            self.hub.unknown.append(f"{self.command} {path}: {error!r}")
            raise

    def _answered(self, path: str) -> Answer:
        """Return the answer, whether it was returned or raised on the way."""
        try:
            n_bytes = int(self.headers.get("Content-Length") or 0)
            self.content = self.rfile.read(n_bytes)
            if len(self.content) < n_bytes:
                raise BrokenPipeError
            self._go_wrong_first()
            return self._answer(path)
        except Answer as answer:
            return answer

    def _answer(self, path: str) -> Answer:
        """Do what is asked for; a call that the Hub does not know fails the test."""
        for method, pattern, call in ROUTES:
            match = re.fullmatch(pattern, path)
            if match and method == self.command:
                with self.hub.lock:
                    call(self, **{k: v for k, v in match.groupdict().items() if v is not None})
                return Answer(200, {})
        self.hub.unknown.append(f"{self.command} {path}")
        return Answer(501, {"error": "unknown call"})

    def _go_wrong_first(self) -> None:
        fault = self.fault
        if fault is None:
            return
        fault.reached.set()
        time.sleep(fault.delay)
        if fault.hold:
            fault.hold.wait(30)
        if fault.status:
            names = {name.replace("-", "_"): value for name, value in fault.headers.items()}
            raise Answer(fault.status, {"error": "on purpose"}, **names)
        if fault.cut and self.command != "GET":
            self.close_connection = True
            raise BrokenPipeError

    def _send(self, answer: Answer) -> None:
        fault = self.fault
        if fault and fault.lost:
            self.close_connection = True
            return
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        headers = {"Content-Length": str(len(body)), **answer.headers}
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault and fault.cut:
            body = body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(body)

    # -- who may do what ---------------------------------------------------------------------

    def member(self) -> str | None:
        """Return the role of the caller; a token that nobody has is refused."""
        header = self.headers.get("Authorization")
        if header is None:
            return None
        role = self.hub.members.get(header.removeprefix("Bearer "))
        if role is None:
            message = "Invalid credentials in Authorization header"
            raise Answer(401, {"error": message}, X_Error_Message=message)
        return role

    def repo(self, name: str, *, write: bool = False) -> Repo:
        """Return a repository that the caller may see, or answer as the Hub does."""
        role = self.member()
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and role != "writer"):
            message = "Repository not found"
            raise Answer(404 if role else 401, {"error": message}, X_Error_Code="RepoNotFound")
        if write and role != "writer":
            message = "You don't have the rights to do this"
            raise Answer(403, {"error": message}, X_Error_Message=message)
        return repo

    def commit_of(self, repo: Repo, revision: str) -> str:
        """Return the commit of a revision, or answer that there is none."""
        commit = repo.resolve(revision)
        if commit is None:
            message = f"Invalid rev id: {revision}"
            raise Answer(404, {"error": message}, X_Error_Code="RevisionNotFound")
        return commit

    def json(self) -> Any:
        """Return the body."""
        return json.loads(self.content)

    # -- calls -------------------------------------------------------------------------------

    def create(self) -> None:
        """Make a repository with the file that the Hub puts there."""
        if self.member() != "writer":
            message = "You don't have the rights to create a dataset under this namespace"
            raise Answer(403, {"error": message}, X_Error_Message=message)
        asked = self.json()
        name = f"{asked['organization']}/{asked['name']}"
        if name in self.hub.repos:
            raise Answer(409, {"error": "You already created this dataset repo"})
        repo = Repo(private=asked.get("visibility") == "private")
        repo.commit({".gitattributes": Blob(b"*.parquet filter=lfs\n", False)}, "initial commit")
        self.hub.repos[name] = repo
        raise Answer(200, {"url": f"{self.hub.url}/datasets/{name}", "name": name, "id": name})

    def harnesses(self) -> None:
        """Name no harness; the client asks once a day for its user agent."""
        raise Answer(404, {"error": "none"})

    def settings(self, name: str) -> None:
        """Set the gate."""
        self.repo(name, write=True).gated = self.json()["gated"]

    def validate_yaml(self) -> None:
        """Read the card's YAML as the Hub does before a commit."""
        import yaml

        front = self.json()["content"].split("---\n")[1]
        if not isinstance(yaml.safe_load(front).get("license"), str):
            raise Answer(400, {"errors": [{"message": '"license" must be a string'}]})
        raise Answer(200, {"errors": [], "warnings": []})

    def preupload(self, name: str, rev: str) -> None:
        """Say which files are large, and the oid of those that are there."""
        repo = self.repo(name, write=True)
        files = repo.commits[self.commit_of(repo, rev)]
        answers = []
        for one in self.json()["files"]:
            is_lfs = one["path"].endswith(".parquet") or one["size"] > 10_000_000
            there = files.get(one["path"])
            oid = there and (there.sha256 if there.is_lfs else there.oid)
            mode = "lfs" if is_lfs else "regular"
            said = {"path": one["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid}
            answers.append(said)
        raise Answer(200, {"files": answers})

    def lfs_batch(self, name: str) -> None:
        """Say where to send the large files that are not there."""
        self.repo(name, write=True)
        objects = []
        for one in self.json()["objects"]:
            upload = {"href": f"{self.hub.url}/lfs/{one['oid']}?signature=secret", "header": {}}
            verify = {"href": f"{self.hub.url}/lfs-verify"}
            missing = {"actions": {"upload": upload, "verify": verify}}
            objects.append({**one, **({} if one["oid"] in self.hub.objects else missing)})
        raise Answer(200, {"transfer": "basic", "objects": objects})

    def lfs_put(self, oid: str) -> None:
        """Store a large file under its digest."""
        if hashlib.sha256(self.content).hexdigest() != oid:
            raise Answer(400, {"error": "the content has another digest"})
        self.hub.objects[oid] = self.content

    def lfs_verify(self) -> None:
        """Say whether a large file arrived."""
        if self.json()["oid"] not in self.hub.objects:
            raise Answer(404, {"error": "not there"})

    def commit(self, name: str, rev: str) -> None:
        """Make one commit of NDJSON lines, on the parent that was named."""
        repo = self.repo(name, write=True)
        lines = [json.loads(line) for line in self.content.splitlines()]
        header = lines[0]["value"]
        head = self.commit_of(repo, rev)
        if header.get("parentCommit") not in {None, head}:
            message = "A commit has happened since. Please refresh and try again."
            raise Answer(412, {"error": message}, X_Error_Message=message)
        files = dict(repo.commits[head])
        for line in lines[1:]:
            value = line["value"]
            match line["key"]:
                case "file":
                    files[value["path"]] = Blob(base64.b64decode(value["content"]), False)
                case "lfsFile":
                    files[value["path"]] = Blob(self.hub.objects[value["oid"]], True)
                case "deletedFile":
                    del files[value["path"]]
        oid = repo.commit(files, header["summary"])
        url = f"{self.hub.url}/datasets/{name}/commit/{oid}"
        raise Answer(200, {"success": True, "commitOid": oid, "commitUrl": url, "hookOutput": ""})

    def tag(self, name: str, rev: str) -> None:
        """Tag a commit, once."""
        repo = self.repo(name, write=True)
        tag = self.json()["tag"]
        if tag in repo.tags:
            raise Answer(409, {"error": "Tag reference exists already"})
        repo.tags[tag] = self.commit_of(repo, rev)

    def refs(self, name: str) -> None:
        """List branches and tags."""
        repo = self.repo(name)
        listed = {
            kind: [
                {"name": one, "ref": f"refs/{where}/{one}", "targetCommit": commit}
                for one, commit in refs.items()
            ]
            for kind, where, refs in (
                ("branches", "heads", repo.branches),
                ("tags", "tags", repo.tags),
            )
        }
        raise Answer(200, {**listed, "converts": []})

    def info(self, name: str, rev: str = "main") -> None:
        """Describe a revision."""
        repo = self.repo(name)
        commit = self.commit_of(repo, rev)
        siblings = [{"rfilename": path} for path in repo.commits[commit]]
        told = {"id": name, "sha": commit, "private": repo.private, "gated": repo.gated}
        raise Answer(200, {**told, "tags": [], "siblings": siblings})

    def tree(self, name: str, rev: str, path: str = "") -> None:
        """List files below a folder, two to a page, so that paging is real."""
        repo = self.repo(name)
        query = parse_qs(self.address.query)
        entries = self.entries(repo, self.commit_of(repo, rev), path.strip("/"))
        if query.get("recursive", ["False"])[0].lower() not in {"true", "1"}:
            depth = path.strip("/").count("/") + bool(path.strip("/"))
            entries = [one for one in entries if one["path"].count("/") == depth]
        if path and not entries:
            raise Answer(404, {"error": "no such folder"}, X_Error_Code="EntryNotFound")
        start = int(query.get("cursor", ["0"])[0])
        headers = {}
        if len(entries) > start + 2:
            query["cursor"] = [str(start + 2)]
            rest = "&".join(f"{key}={value[0]}" for key, value in query.items())
            headers["Link"] = f'<{self.hub.url}{self.address.path}?{rest}>; rel="next"'
        raise Answer(200, entries[start : start + 2], **headers)

    def entries(self, repo: Repo, commit: str, folder: str) -> list[dict[str, Any]]:
        """Describe all files and folders below a folder."""
        entries: dict[str, dict[str, Any]] = {}
        for path, blob in sorted(repo.commits[commit].items()):
            for parent in (path.rsplit("/", n)[0] for n in range(path.count("/"), 0, -1)):
                entries[parent] = {"type": "directory", "path": parent, "oid": "0" * 40, "size": 0}
            entries[path] = {"type": "file", "path": path, "oid": blob.oid, "size": len(blob.data)}
            if blob.is_lfs:
                pointer = {"oid": blob.sha256, "size": len(blob.data), "pointerSize": 130}
                entries[path]["lfs"] = pointer
        start = f"{folder}/" if folder else ""
        return [one for path, one in entries.items() if path.startswith(start)]

    def paths_info(self, name: str, rev: str) -> None:
        """Describe the paths that are asked for."""
        repo = self.repo(name)
        fields = parse_qs(self.content.decode())
        wanted = set(fields.get("paths", [])) if fields else set(self.json()["paths"])
        entries = self.entries(repo, self.commit_of(repo, rev), "")
        raise Answer(200, [one for one in entries if one["path"] in wanted])

    def resolve(self, name: str, rev: str, path: str) -> None:
        """Serve a file or a range of it."""
        repo = self.repo(name)
        if repo.gated and self.member() != "writer":
            message = f"Access to dataset {name} is restricted"
            raise Answer(403, {"error": message}, X_Error_Code="GatedRepo")
        commit = self.commit_of(repo, rev)
        blob = repo.commits[commit].get(path)
        if blob is None:
            raise Answer(404, {"error": "Entry not found"}, X_Error_Code="EntryNotFound")
        etag = blob.sha256 if blob.is_lfs else blob.oid
        headers = {"X_Repo_Commit": commit, "ETag": f'"{etag}"', "Accept_Ranges": "bytes"}
        if blob.is_lfs:
            headers |= {"X_Linked_Etag": f'"{etag}"', "X_Linked_Size": str(len(blob.data))}
        asked = self.headers.get("Range")
        if asked:
            self.hub.ranges.append(asked)
            first, last = asked.removeprefix("bytes=").split("-")
            stop = min(int(last) + 1 if last else len(blob.data), len(blob.data))
            part = blob.data[int(first) : stop]
            where = f"bytes {int(first)}-{stop - 1}/{len(blob.data)}"
            raise Answer(206, part, Content_Range=where, **headers)
        raise Answer(200, blob.data, **headers)


NAME = r"(?P<name>[^/]+/[^/]+)"
REV = r"(?P<rev>[^/]+)"
ROUTES: list[tuple[str, str, Callable[..., None]]] = [
    ("POST", "/api/repos/create", Handler.create),
    ("GET", "/api/agent-harnesses", Handler.harnesses),
    ("PUT", f"/api/datasets/{NAME}/settings", Handler.settings),
    ("POST", "/api/validate-yaml", Handler.validate_yaml),
    ("POST", f"/api/datasets/{NAME}/preupload/{REV}", Handler.preupload),
    ("POST", f"/datasets/{NAME}.git/info/lfs/objects/batch", Handler.lfs_batch),
    ("PUT", "/lfs/(?P<oid>[0-9a-f]{64})", Handler.lfs_put),
    ("POST", "/lfs-verify", Handler.lfs_verify),
    ("POST", f"/api/datasets/{NAME}/commit/{REV}", Handler.commit),
    ("POST", f"/api/datasets/{NAME}/tag/{REV}", Handler.tag),
    ("GET", f"/api/datasets/{NAME}/refs", Handler.refs),
    ("GET", f"/api/datasets/{NAME}", Handler.info),
    ("GET", f"/api/datasets/{NAME}/revision/{REV}", Handler.info),
    ("GET", f"/api/datasets/{NAME}/tree/{REV}(?P<path>/.*)?", Handler.tree),
    ("POST", f"/api/datasets/{NAME}/paths-info/{REV}", Handler.paths_info),
    ("GET", f"/datasets/{NAME}/resolve/{REV}/(?P<path>.+)", Handler.resolve),
    ("HEAD", f"/datasets/{NAME}/resolve/{REV}/(?P<path>.+)", Handler.resolve),
]
