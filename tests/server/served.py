"""A server in a process of its own, and a client that can also do what no decent client does."""
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

PATIENCE = float(os.environ.get("NEARKIN_PATIENCE", "60"))   # seconds in which a server that is not held up answers, on a busy machine


class Wrong(Exception):
    pass


def require(holds, message):
    if not holds:
        raise Wrong(message)


def temporary_folder():
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def make_index(binary, folder, lines, *flags):
    """lines: objects, or bytes of whole lines of JSON."""
    records = Path(f"{folder}.jsonl")
    with records.open("wb") as file:
        for line in lines:
            file.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
    done = subprocess.run([binary, "index", "create", str(folder), str(records), "--shingle", "word:2", "--threshold", "0.5", "-q", *flags],
                          capture_output=True)
    records.unlink()
    require(done.returncode == 0, f"index create: {done.stderr.decode()}")
    return folder


class Answer:
    def __init__(self, status, headers, body, complete):
        self.status, self.headers, self.body, self.complete = status, headers, body, complete

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:300]!r}"


class Client:
    def __init__(self, port, wrap=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        if wrap:
            self.socket = wrap(self.socket)
        self.rest = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        try:
            got = self.socket.recv(1 << 16)
        except ConnectionError:
            got = b""
        self.rest += got
        return bool(got)

    def is_closed(self):
        """Whether the other side ends within the patience, whatever it sends until then."""
        try:
            while self.receive():
                pass
            return True
        except TimeoutError:
            return False

    def read(self, without_body=False):
        """The next answer; None where the connection ended without one."""
        while b"\r\n\r\n" not in self.rest:
            if not self.receive():
                return None
        end = self.rest.index(b"\r\n\r\n")
        lines = self.rest[:end].decode("latin-1").split("\r\n")
        del self.rest[:end + 4]
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
        length = 0 if without_body else int(headers.get("content-length", 0))
        while len(self.rest) < length and self.receive():
            pass
        body = bytes(self.rest[:length])
        del self.rest[:length]
        return Answer(int(lines[0].split()[1]), headers, body, len(body) == length)

    def ask(self, method, target, body=None, headers=()):
        self.send(request(method, target, body, headers))
        return self.read()


def request(method, target, body=None, headers=()):
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    fields = ["Host: localhost", *headers]
    if body is not None:
        fields += [f"Content-Length: {len(data)}"]
        if not any(field.lower().startswith("content-type") for field in fields):
            fields += ["Content-Type: application/json"]
    return f"{method} {target} HTTP/1.1\r\n".encode() + "\r\n".join(fields).encode() + b"\r\n\r\n" + data


class Server:
    """Ends with the block. `read_log=False`: nobody reads its standard error once it has said where it listens."""

    def __init__(self, binary, index, *flags, read_log=True, before=None):
        self.process = subprocess.Popen([binary, "serve", str(index), "--listen", "127.0.0.1:0", *flags], stderr=subprocess.PIPE, preexec_fn=before)
        self.log = []
        serving = next((line for line in self.first_lines() if "serving" in line), None)
        if serving is None:
            self.process.wait()
            raise Wrong(f"it does not serve: {self.log}")
        self.port = int(serving.split("127.0.0.1:")[1].split(";")[0].split()[0])
        if read_log:
            threading.Thread(target=self.read_log, daemon=True).start()

    def first_lines(self):
        """What it says until it serves, or ends."""
        while line := self.process.stderr.readline().decode():
            self.log.append(line)
            yield line

    def read_log(self):
        for line in self.process.stderr:
            self.log.append(line.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def ask(self, method, target, body=None, headers=()):
        with Client(self.port) as client:
            return client.ask(method, target, body, headers)

    def memory(self):
        """Bytes of its own that the process holds."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) << 10
        return 0

    def metric(self, name):
        for line in self.ask("GET", "/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise Wrong(f"no metric {name}")

    def stop(self):
        """Seconds from SIGTERM to its end."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=10 * PATIENCE)
        require(status == 0, f"it ended with {status}")
        return time.monotonic() - begin


def eventually(holds, message):
    """Looks again and again, as long as patience lasts."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.02)
    raise Wrong(message)


def run_all(tests, binary):
    """Every test gets the binary and an empty folder. Returns the exit status."""
    failed = 0
    for test in tests:
        begin = time.monotonic()
        with temporary_folder() as folder:
            try:
                test(binary, Path(folder))
                said = "ok"
            except Exception as wrong:  # whatever it is, the next test is run
                failed += 1
                said = f"FAILED: {wrong!r}"
        print(f"{test.__name__}: {said} ({time.monotonic() - begin:.1f} s)", flush=True)
    return 1 if failed else 0
