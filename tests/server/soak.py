#!/usr/bin/env python3
"""Keeps a server under load and looks at what it holds: soak.py NEARKIN [--seconds S] [--clients N] [--seed S]

Clients put, replace, remove, list, ask and compare items, send many in one body, and go away in the middle of things, for S seconds (default 600). Ids
are drawn from a fixed set, so the index stays as large as it is. Once a quarter of the time is over, memory and open descriptors must stay what they are;
no answer may be a 5xx; and in the end every item that was put last is there, and the index is sound.
"""
import argparse
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "law"))
from spill_runs import VOCABULARY, Wrong, require, temporary_folder

IDS = 400             # of each client
SAMPLE_SECONDS = 0.25
GROWTH = 1.10         # of memory, between the second and the last quarter of the time
SLACK_BYTES = 8 << 20
QUIET_SECONDS = 60    # for the server to notice that clients have gone


def held_by(pid):
    """Bytes of memory that belong to the process alone, and open descriptors."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status).group(1)) << 10, len(os.listdir(f"/proc/{pid}/fd"))


class Client(threading.Thread):
    """One connection after the other. `held` is what it put last under each of its ids, as far as it was answered."""

    def __init__(self, port, number, seed, end):
        super().__init__()
        self.port, self.number, self.end = port, number, end
        self.chance = random.Random(f"{seed} {number}")
        self.held, self.requests, self.wrong, self.connection = {}, 0, None, None

    def run(self):
        try:
            while time.monotonic() < self.end and self.wrong is None:
                self.step()
        except (OSError, http.client.HTTPException, Wrong, ValueError) as error:
            self.wrong = f"client {self.number}: {error!r}"

    def ask(self, method, target, body=None, kind="application/json"):
        if self.connection is None or self.chance.random() < 0.1:
            self.close()
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        self.connection.request(method, target, body, {"Content-Type": kind} if body is not None else {})
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.will_close:
            self.close()
        self.requests += 1
        require(answer.status < 500, f"{method} {target}: {answer.status} {said[:300]}")
        return answer.status, said

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def text(self):
        return " ".join(self.chance.choices(VOCABULARY[:600], k=self.chance.choice((5, 30, 200))))

    def name(self):
        return f"{self.number}-{self.chance.randrange(IDS)}"

    def step(self):
        kinds = (self.put, self.put, self.remove, self.query, self.query, self.list, self.bulk, self.compare, self.nonsense, self.leave)
        self.chance.choice(kinds)()

    def put(self):
        name, text = self.name(), self.text()
        status, said = self.ask("PUT", f"/v1/items/{name}", json.dumps({"text": text}))
        require(status == (200 if name in self.held else 201), f"PUT {name}: {status} {said[:200]}")
        self.held[name] = text

    def remove(self):
        name = self.name()
        status, _ = self.ask("DELETE", f"/v1/items/{name}")
        require(status == (200 if name in self.held else 404), f"DELETE {name}: {status}")
        self.held.pop(name, None)

    def query(self):
        body = {"text": self.chance.choice(list(self.held.values())) if self.held else self.text(), "limit": self.chance.choice((1, 10, 0))}
        status, said = self.ask("POST", "/v1/query", json.dumps(body))
        require(status == 200 and (not self.held or json.loads(said)["hits"]), f"query: {status} {said[:200]}")

    def list(self):
        require(self.ask("GET", f"/v1/items?limit={self.chance.randrange(1, 200)}")[0] == 200, "list")
        require(self.ask("GET", self.chance.choice(("/v1/index", "/metrics", "/healthz", "/readyz", "/")))[0] == 200, "a page")

    def bulk(self):
        items = {self.name(): self.text() for _ in range(self.chance.randrange(1, 80))}
        body = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in items.items())
        status, said = self.ask("POST", "/v1/items", body, "application/x-ndjson")
        require(status == 200 and len(said.splitlines()) == len(items) and b'"status"' not in said, f"bulk: {status} {said[:200]}")
        self.held.update(items)

    def compare(self):
        status, _ = self.ask("POST", "/v1/compare", json.dumps({"a": {"text": self.text()}, "b": {"text": self.text()}}))
        require(status == 200, f"compare: {status}")

    def nonsense(self):
        status, _ = self.ask("POST", "/v1/query", self.chance.choice(("{", '{"text":7}', '{"text":"a","limit":-1}', "[]")))
        require(400 <= status < 500, f"nonsense was answered with {status}")

    def leave(self):
        """Half a request, or a whole one whose answer nobody takes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as half:
            if self.chance.random() < 0.5:
                half.sendall(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"text\":\"")
            else:
                half.sendall(b"GET /v1/items?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3)


def watch(pid, clients):
    """(time, bytes, descriptors), again and again while the clients work."""
    seen = []
    while any(client.is_alive() for client in clients):
        seen.append((time.monotonic(), *held_by(pid)))
        time.sleep(SAMPLE_SECONDS)
    return seen


def require_flat(seen):
    """Memory of the second quarter of the time against the last."""
    require(len(seen) >= 16, f"only {len(seen)} looks at the server: give it more seconds")
    quarter = len(seen) // 4
    early, late = (max(size for _, size, _ in part) for part in (seen[quarter:2 * quarter], seen[-quarter:]))
    print(f"memory: {early >> 10} KiB at most in the second quarter of the time, {late >> 10} KiB in the last")
    require(late <= early * GROWTH + SLACK_BYTES, f"memory grew from {early} to {late} bytes")


def require_descriptors(pid, before):
    """Back to what they were, once all clients have gone."""
    deadline = time.monotonic() + QUIET_SECONDS
    while (now := held_by(pid)[1]) > before and time.monotonic() < deadline:
        time.sleep(SAMPLE_SECONDS)
    print(f"descriptors: {before} before, {now} after")
    require(now <= before, f"descriptors were {before} and are {now}: {sorted(os.readlink(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd'))}")


def require_all_there(port, clients):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    count = 0
    for client in clients:
        for name, text in client.held.items():
            connection.request("GET", f"/v1/items/{name}")
            answer = connection.getresponse()
            said = json.loads(answer.read())
            require(answer.status == 200 and said["text"] == text, f"{name}: {answer.status}, not what was put last")
            count += 1
    connection.request("GET", "/v1/index")
    items = json.loads(connection.getresponse().read())["items"]
    require(items == count, f"the index has {items} items, {count} were put")
    connection.close()


def soak(binary, folder, seconds, count, seed):
    index = folder / "docs.nearkin"
    subprocess.run([binary, "index", "create", index, "--threshold", "0.8", "--store-texts", "--quiet"], check=True)
    with open(folder / "said", "w+b") as said:
        server = subprocess.Popen([binary, "serve", index, "--listen", "127.0.0.1:0"], stderr=said)
        try:
            port = wait_for_port(folder / "said", server)
            before = held_by(server.pid)[1]
            require(http_ok(port), "the server is not ready")
            clients = [Client(port, number, seed, time.monotonic() + seconds) for number in range(count)]
            for client in clients:
                client.start()
            seen = watch(server.pid, clients)
            for client in clients:
                client.join()
                client.close()
                require(client.wrong is None, client.wrong)
            print(f"{sum(client.requests for client in clients)} requests of {count} clients in {seconds} s")
            require_flat(seen)
            require_descriptors(server.pid, before)
            require_all_there(port, clients)
        finally:
            server.send_signal(signal.SIGTERM)
            status = server.wait(timeout=120)
    require(status in (0, -signal.SIGTERM), f"the server ended with {status}")
    subprocess.run([binary, "index", "verify", index], check=True, stdout=subprocess.DEVNULL)


def wait_for_port(path, server):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"127\.0\.0\.1:(\d+)", path.read_text(errors="replace"))
        if found:
            return int(found.group(1))
        time.sleep(0.05)
    raise Wrong(f"the server does not say where it listens: {path.read_text(errors='replace')}")


def http_ok(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/readyz")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status == 200


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with temporary_folder() as name:
        try:
            soak(str(Path(given.binary).resolve()), Path(name), given.seconds, given.clients, given.seed)
        except Wrong as wrong:
            sys.exit(f"FAILED: {wrong}")
