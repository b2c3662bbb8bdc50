#!/usr/bin/env python3
"""What whoever runs a server meets: full disks, few open files, signals, folders in wrong places; and bodies that two readers read differently.

usage: operating.py NEARKIN [TEST ...]
"""
import random
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the sources stay as they are
from served import PATIENCE, Client, Server, eventually, make_index, request, require, run_all

FOX = "the quick brown fox jumps over the lazy dog and runs away into the deep dark wood"


def refused_at_start(binary, index, *flags, before=None):
    """What it says; it must end by itself."""
    done = subprocess.run([binary, "serve", str(index), "--listen", "127.0.0.1:0", *flags], capture_output=True, timeout=PATIENCE, preexec_fn=before)
    said = done.stderr.decode()
    require(done.returncode == 2, f"it ended with {done.returncode}: {said}")
    return said


def readiness_is_back_when_there_is_room_again(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}], "--store-texts")
    chance = random.Random(1)

    def large():
        return {"text": " ".join(f"{chance.getrandbits(40):x}" for _ in range(2000))}

    def no_larger():
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))

    with Server(binary, folder / "i", before=no_larger) as server:
        failed = 0
        for number in range(1000):   # until what is free in the file is used up, too
            failed = failed + 1 if server.ask("PUT", f"/v1/items/{number}", large()).status == 500 else 0
            if failed == 5:
                break
        require(failed == 5, "the limit on the size of a file has no effect")
        for look in range(20):
            answer = server.ask("GET", "/readyz")
            require(answer.status == 503, f"look {look}: {answer}")
            require(server.metric("nearkin_writes_failing") == 1, f"look {look}: no write is failing")
            require(server.ask("PUT", "/v1/items/a", {"text": FOX}).status in (200, 500), "a small write")
            time.sleep(0.02)   # the trial that a look asks for may take its time, or be done
        require(server.ask("PUT", "/v1/items/z", large()).status == 500, "there is room again")
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        eventually(lambda: server.ask("GET", "/readyz").status == 200, "/readyz never tells that writes succeed")
        require(server.metric("nearkin_writes_failing") == 0, "a write is failing")
        require(server.ask("PUT", "/v1/items/z", large()).status == 201, "it cannot be written to")
        server.stop()
    checked = subprocess.run([binary, "index", "verify", str(folder / "i")], capture_output=True)
    require(checked.returncode == 0, f"index verify: {checked.stderr.decode()}")


def types_count_in_where(binary, folder):
    values = {"number": 1, "text of it": "1", "true": True, "text true": "true", "null": None, "text null": "null"}
    make_index(binary, folder / "i", [])
    with Server(binary, folder / "i") as server:
        for name, value in values.items():
            put = server.ask("PUT", "/v1/items/" + name.replace(" ", "%20"), {"text": FOX, "metadata": {"k": value, "in": {"k": value}}})
            require(put.status == 201, f"{put}")
        for field in ("k", "in.k"):
            for name, value in values.items():
                hits = server.ask("POST", "/v1/query", {"text": FOX, "where": {field: value}}).json()["hits"]
                require([hit["id"] for hit in hits] == [name], f"{field}: {value!r} finds {hits}")


def a_name_that_stands_twice_is_refused(binary, folder):
    make_index(binary, folder / "i", [])
    text = f'"text":"{FOX}"'
    twice = {
        "PUT /v1/items/a": [f'{{{text},"text":"b"}}', f'{{{text},"metadata":{{"text":1,"b":{{}},"text":2}}}}', f'{{{text},"metadata":{{"x":[0,{{"te\\u0078t":1,"text":2}}]}}}}',
                            f'{{{text},"metadata":{{"text":{{"text":1,"text":2}},"text":3}}}}'],
        "POST /v1/query": [f'{{{text},"text":"b"}}', f'{{{text},"where":{{"text":1,"text":2}}}}'],
        "POST /v1/compare": [f'{{"a":{{"text":"x","text":"y"}},"b":{{"text":"x"}}}}'],
        "POST /v1/delete": ['{"ids":["a"],"ids":["b"]}'],
    }
    with Server(binary, folder / "i") as server:
        for route, bodies in twice.items():
            for body in bodies:
                answer = server.ask(*route.split(), body.encode())
                named = b'\\"ids\\"' if "ids" in body else b'\\"text\\"'
                require(answer.status == 400 and named in answer.body and b"twice" in answer.body, f"{body}: {answer}")
        fine = f'{{{text},"metadata":{{"text":{{"text":"a:b \\" {{"}},"x":[{{"y":1}},{{"y":1}}],"":":"}}}}'
        require(server.ask("PUT", "/v1/items/a", fine.encode()).status == 201, "names that differ in their objects are refused")
        lines = f'{{"id":"b",{text}}}\n\n{{"id":"c",{text},"id":"d"}}\n'.encode()
        with Client(server.port) as client:
            client.send(request("POST", "/v1/items", lines, ["Content-Type: application/x-ndjson", "Connection: close"]))
            client.is_closed()
            require(b'"line":3,"status":400' in client.rest, f"{client.rest}")
    done = subprocess.run([binary, "index", "create", str(folder / "v"), "--measure", "cosine", "--threshold", "0.9", "--format", "sparse", "-q"], capture_output=True)
    require(done.returncode == 0, f"index create: {done.stderr.decode()}")
    with Server(binary, folder / "v") as server:
        require(server.ask("PUT", "/v1/items/a", b'{"vector":{"1":1,"1":2}}').status == 400, "an index of a vector stands twice")
        require(server.ask("PUT", "/v1/items/a", b'{"vector":{"1":1,"2":2}}').status == 201, "a vector is refused")


def bodies_are_utf_8(binary, folder):
    make_index(binary, folder / "i", [])
    with Server(binary, folder / "i") as server:
        for charset, status in (("utf-8", 200), ('"UTF-8"', 200), ("us-ascii", 200), ("utf-16", 415), ("latin1", 415)):
            answer = server.ask("POST", "/v1/query", {"text": FOX}, [f"Content-Type: application/json; x=y; charset={charset}"])
            require(answer.status == status, f"{charset}: {answer}")


def an_answer_that_is_too_much_is_told_truly(binary, folder):
    make_index(binary, folder / "i", [{"id": f"item-{i}", "text": FOX} for i in range(8000)])
    with Server(binary, folder / "i", "--max-body", "64KiB", "--max-buffered", "256KiB") as server:
        answer = server.ask("POST", "/v1/query", {"text": FOX, "limit": 0})
        require(answer.status == 422 and b"to make it takes more memory than the 262144 bytes" in answer.body, f"{answer}")
        require(server.ask("POST", "/v1/query", {"text": FOX, "limit": 100}).status == 200, "a lower limit does not help")


def few_open_files_are_refused(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    for files in (10, 16, 32, 63):
        said = refused_at_start(binary, folder / "i", before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
        require(f"the limit of {files} " in said and "ulimit -n" in said, said)
    with Server(binary, folder / "i", before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))) as server:
        with Client(server.port) as client:
            for _ in range(50):
                require(client.ask("POST", "/v1/query", {"text": FOX}).status == 200, "it starts, and does not answer")
        for other in [Client(server.port) for _ in range(100)]:   # more than it can have open
            other.close()

        def answers():
            answer = server.ask("POST", "/v1/query", {"text": FOX})
            return answer is not None and answer.status == 200
        eventually(answers, "it answers no more")
        eventually(lambda: any("allows 1 at one time, not 1024" in line for line in server.log), f"it does not tell: {server.log}")


def a_hangup_is_an_orderly_stop(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    with Server(binary, folder / "i") as server:
        server.process.send_signal(signal.SIGHUP)
        status = server.process.wait(timeout=PATIENCE)
        require(status == 0, f"it ended with {status}")
    with Server(binary, folder / "i", before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as server:   # as nohup does
        server.process.send_signal(signal.SIGHUP)
        require(server.ask("GET", "/healthz").status == 200, "it does not answer")
        server.stop()


def backups_within_the_index_are_refused_at_start(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    (folder / "i" / "backups").mkdir()
    (folder / "link").symlink_to(folder / "i" / "backups")
    for place in (folder / "i", folder / "i" / "backups", folder / "link"):
        said = refused_at_start(binary, folder / "i", "--backup-folder", str(place))
        require("is in the folder of the index itself" in said, said)
    (folder / "ii").mkdir()
    with Server(binary, folder / "i", "--backup-folder", str(folder / "ii")) as server:
        require(server.ask("POST", "/v1/backups", {"name": "monday"}).status == 201, "a folder beside it is no place")


TESTS = [readiness_is_back_when_there_is_room_again, types_count_in_where, a_name_that_stands_twice_is_refused, bodies_are_utf_8,
         an_answer_that_is_too_much_is_told_truly, few_open_files_are_refused, a_hangup_is_an_orderly_stop,
         backups_within_the_index_are_refused_at_start]

if __name__ == "__main__":
    names = {test.__name__: test for test in TESTS}
    sys.exit(run_all([names[name] for name in sys.argv[2:] or names], sys.argv[1]))
