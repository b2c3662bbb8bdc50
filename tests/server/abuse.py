#!/usr/bin/env python3
"""Clients that ask for too much, do not read, leave or say nothing: the server stays within its bounds and answers the others.

usage: abuse.py NEARKIN [TEST ...]
"""
import os
import resource
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the sources stay as they are
from served import PATIENCE, Client, Server, eventually, make_index, request, require, run_all

MEBIBYTE = 1 << 20
FOX = "the quick brown fox jumps over the lazy dog and runs away into the deep dark wood"
LONG = " ".join(f"word{i}" for i in range(300))
HOT = 30_000   # items that are all the same
SANITIZED = os.environ.get("NEARKIN_SANITIZED") == "1"   # its runtime takes memory of its own


def bounded(server, most, what):
    held = server.memory()
    require(SANITIZED or held < most, f"{what}: the server holds {held >> 20} MiB, {most >> 20} are allowed")


def many_conditions_are_refused(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    with Server(binary, folder / "i") as server:
        where = {f"f{i}": i for i in range(100_000)}
        begin = time.monotonic()
        answer = server.ask("POST", "/v1/query", {"text": FOX, "where": where})
        require(answer.status == 400 and b"at most 64 are allowed" in answer.body, f"{answer}")
        require(time.monotonic() - begin < PATIENCE, "it took too long")
        twice = server.ask("POST", "/v1/query", b'{"text":"a b c","where":{"x":1,"x":2}}')
        require(twice.status == 400 and b"twice" in twice.body, f"{twice}")


def answers_that_nobody_reads_are_counted(binary, folder):
    text = "word " * (13 * MEBIBYTE // 5)
    make_index(binary, folder / "i", [{"id": "large", "text": text}], "--store-texts")
    with Server(binary, folder / "i", "--write-timeout", "5") as server:
        before = server.memory()
        clients = [Client(server.port) for _ in range(40)]
        for client in clients:
            client.send(request("GET", "/v1/items/large"))
        eventually(lambda: server.metric("nearkin_buffered_bytes") > 10 * MEBIBYTE, "nothing is counted while answers wait")
        eventually(lambda: server.metric("nearkin_in_flight") <= 5, "the others were not answered")
        # What is counted, and what the threads that ask work with.
        bounded(server, before + 160 * MEBIBYTE, "40 clients that do not read")
        refused = sum(b"HTTP/1.1 503" in client.socket.recv(64, socket.MSG_PEEK) for client in clients)
        require(refused >= 30, f"{refused} of 40 were told to wait")
        eventually(lambda: server.metric("nearkin_buffered_bytes") == 0, "slow readers are not let go")
        require(server.ask("GET", "/v1/items/large").status == 200, "a decent reader is not answered")
        for client in clients:
            client.close()


def who_reads_slowly_is_served_and_who_hardly_reads_is_not(binary, folder):
    text = "word " * (13 * MEBIBYTE // 5)
    make_index(binary, folder / "i", [{"id": "large", "text": text}], "--store-texts")
    with Server(binary, folder / "i", "--write-timeout", "4") as server:
        with Client(server.port) as slow:
            slow.send(request("GET", "/v1/items/large"))
            got, begin = b"", time.monotonic()
            while text.encode() not in got:
                part = slow.socket.recv(1 << 20)
                require(part, f"closed behind {len(got)} bytes")
                got += part
                time.sleep(0.4)
            require(time.monotonic() - begin > 4, "the whole answer came within the limit, so this shows nothing")
        with Client(server.port) as dripping:
            dripping.send(request("GET", "/v1/items/large"))
            got = dripping.socket.recv(100)
            require(got.startswith(b"HTTP/1.1 200"), f"{got}")
            end = time.monotonic() + PATIENCE
            while server.metric("nearkin_buffered_bytes") > 0:
                require(time.monotonic() < end, "one that hardly reads is not let go")
                dripping.socket.recv(100)
                time.sleep(0.2)
            rest = 0
            try:
                while part := dripping.socket.recv(1 << 20):
                    rest += len(part)
            except ConnectionResetError:
                pass
            require(rest < len(text), "one that hardly reads got all the same")


def metadata_of_all_hits_is_bounded(binary, folder):
    metadata = "x" * (4 * MEBIBYTE)
    make_index(binary, folder / "i", ({"id": str(i), "text": FOX, "m": metadata} for i in range(40)), "--metadata", "m")
    with Server(binary, folder / "i") as server:
        before = server.memory()
        answer = server.ask("POST", "/v1/query", {"text": FOX, "limit": 0, "metadata": True})
        require(answer.status == 422 and b"lower limit" in answer.body, f"{answer}")
        bounded(server, before + 200 * MEBIBYTE, "the metadata of 40 hits")
        few = server.ask("POST", "/v1/query", {"text": FOX, "limit": 2, "metadata": True})
        require(few.status == 200 and len(few.json()["hits"]) == 2, f"{few}")


def hot_index(binary, folder):
    """A bucket that every query has to go through."""
    return make_index(binary, folder / "i", ({"id": f"i{i}", "text": LONG} for i in range(HOT)))


def patience_for(server):
    """Seconds that no machine needs which does not go through 200 hot queries by two threads: they take 100 times as long as one."""
    begin = time.monotonic()
    require(server.ask("POST", "/v1/query", {"text": LONG, "limit": 0}).status == 200, "a hot query is not answered")
    return max(10, 20 * (time.monotonic() - begin))


def queries_end_when_their_clients_leave(binary, folder):
    hot_index(binary, folder)
    with Server(binary, folder / "i", "--threads", "2") as server:
        patience = patience_for(server)
        for _ in range(200):
            with Client(server.port) as client:
                client.send(request("POST", "/v1/query", {"text": LONG, "limit": 0}))
        begin = time.monotonic()
        require(server.ask("GET", "/readyz").status == 200, "it is not ready")
        ready = time.monotonic() - begin
        require(server.ask("GET", "/v1/items/i0").status == 200, "an item is not read")
        read = time.monotonic() - begin
        require(ready < patience, f"/readyz took {ready:.1f} s behind queries whose clients had left")
        require(read < 2 * patience, f"an item took {read:.1f} s behind queries whose clients had left")


def a_stop_ends_queries(binary, folder):
    hot_index(binary, folder)
    with Server(binary, folder / "i", "--threads", "2", "--stop-timeout", "1") as server:
        patience = patience_for(server)
        clients = [Client(server.port) for _ in range(200)]
        for client in clients:
            client.send(request("POST", "/v1/query", {"text": LONG, "limit": 0}))
        require(server.ask("GET", "/healthz").status == 200, "it does not answer")
        took = server.stop()
        require(took < 5 + patience, f"it ended {took:.1f} s after SIGTERM, with --stop-timeout 1")


def a_query_has_its_time(binary, folder):
    hot_index(binary, folder)
    with Server(binary, folder / "i", "--query-timeout", "0.001") as server:
        late = server.ask("POST", "/v1/query", {"text": LONG, "limit": 3})
        require(late.status == 503 and late.headers["retry-after"], f"{late}")
        body = late.json()
        require(body["partial"] is True and body["looked_at"] < HOT and "query-timeout" in body["detail"], f"{late}")
        require(all(hit["similarity"] == 1 for hit in body["hits"]), f"{late}")


def silent_connections_give_way(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    with Server(binary, folder / "i", "--max-connections", "200", "--header-timeout", "3000", "--idle-timeout", "3000") as server:
        decent = Client(server.port)
        require(decent.ask("GET", "/healthz").status == 200, "not answered")
        silent = [Client(server.port) for _ in range(250)]
        for client in silent[::2]:
            client.send(b"GET /heal")
        for _ in range(300):
            with Client(server.port) as other:
                answer = other.ask("GET", "/v1/index")
                require(answer is not None and answer.status == 200, f"locked out: {answer}")
        require(decent.ask("GET", "/healthz").status == 200, "one that had spoken was closed before those that had not")
        require(silent[0].is_closed(), "the longest silent is still there")


def unsent_bodies_give_way(binary, folder):
    """Who announces a body and sends none holds its place only while nobody else needs it; without a token, too."""
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    (folder / "token").write_text("0123456789abcdef")
    (folder / "token").chmod(0o600)
    with Server(binary, folder / "i", "--max-connections", "60", "--body-timeout", "3000", "--token-file", folder / "token") as server:
        silent = [Client(server.port) for _ in range(60)]
        for client in silent:
            client.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")

        def answered():
            with Client(server.port) as other:
                answer = other.ask("GET", "/healthz")
                return answer is not None and answer.status == 200

        eventually(answered, "locked out by connections that announce a body and send none")
        for _ in range(40):
            eventually(answered, "locked out again")


def texts_to_compare_are_bounded(binary, folder):
    """Side by side takes many times the memory of the texts, which is counted, and time, which has the bound of a query."""
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    letters = " ".join("abcdefgh"[i * i % 7] for i in range(300_000))
    with Server(binary, folder / "i", "--max-buffered", "41943040", "--max-body", "4194304") as server:
        answer = server.ask("POST", "/v1/compare", {"a": {"text": letters}, "b": {"text": letters}})
        require(answer.status == 422 and b"compare shorter texts" in answer.body, f"{answer}")
        small = server.ask("POST", "/v1/compare", {"a": {"text": FOX}, "b": {"text": FOX}})
        require(small.status == 200 and small.json()["similarity"] == 1, f"{small}")
        require(server.metric("nearkin_buffered_bytes") == 0, "what was compared is still counted")
    with Server(binary, folder / "i", "--query-timeout", "0.001", "--max-buffered", "1073741824") as server:
        late = server.ask("POST", "/v1/compare", {"a": {"text": letters}, "b": {"text": letters}})
        require(late.status == 503 and late.headers["retry-after"] and b"query-timeout" in late.body, f"{late}")


def who_says_nothing_is_let_go_soon(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    with Server(binary, folder / "i", "--header-timeout", "0.5", "--idle-timeout", "3000") as server:
        with Client(server.port) as spoken, Client(server.port) as silent:
            require(spoken.ask("GET", "/healthz").status == 200, "not answered")
            require(silent.is_closed(), "a connection without a first byte is kept")
            require(spoken.ask("GET", "/healthz").status == 200, "a connection between two requests was closed")


def a_log_that_nobody_reads_stops_nothing(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    with Server(binary, folder / "i", read_log=False) as server:
        with Client(server.port) as client:
            for i in range(20_000):
                answer = client.ask("GET", "/healthz?" + "x" * 200)
                require(answer is not None and answer.status == 200, f"request {i}: {answer}")
        dropped = server.metric("nearkin_log_dropped_total")
        require(dropped > 0, "no line was dropped, or none was counted")
        lines = []
        for _ in range(20_000):
            lines.append(server.process.stderr.readline())
            if b"dropped" in lines[-1]:
                break
        require(b'"event"' in lines[-1] and b"dropped" in lines[-1], f"the log does not tell of the gap: {lines[-1]}")
        server.process.stderr.close()
        require(server.ask("GET", "/healthz").status == 200, "it ended with its log")
        server.stop()


def a_stop_does_not_wait_for_the_log(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    with Server(binary, folder / "i", read_log=False) as server:
        with Client(server.port) as client:
            for _ in range(3_000):
                client.ask("GET", "/healthz?" + "x" * 200)
        took = server.stop()
        require(took < 30, f"it ended after {took:.1f} s")


def readiness_tells_that_writes_fail(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    size = sum(file.stat().st_size for file in (folder / "i").rglob("data.mdb"))

    def no_larger():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    require(size > 4096, "the index is smaller than the limit")
    with Server(binary, folder / "i", before=no_larger) as server:
        put = server.ask("PUT", "/v1/items/b", {"text": FOX})
        require(put.status == 500, f"a write that cannot be made: {put}")
        answer = server.ask("GET", "/readyz")
        require(answer.status == 503 and b"write" in answer.body, f"/readyz: {answer}")
        require(server.ask("GET", "/v1/items/a").status == 200, "reading has stopped, too")
    with Server(binary, folder / "i", before=no_larger) as server:   # without a write of a client
        eventually(lambda: server.ask("GET", "/readyz").status == 503, "/readyz never tells that writes fail")
    with Server(binary, folder / "i") as server:
        require(server.ask("GET", "/readyz").status == 200, "it is not ready")
        require(server.ask("PUT", "/v1/items/b", {"text": FOX}).status == 201, "it cannot be written to")
        require(server.ask("GET", "/readyz").status == 200, "it is not ready")


def paging_is_exact_for_ids_of_any_bytes(binary, folder):
    ids = [bytes([first]) + tail for first in (0x41, 0xC3, 0xE2, 0xFE, 0xFF) for tail in (b"", b"\x80", b"\xbf\xfe", b"z")]
    ids += [b"plain", b"c d", b"\xef\xbf\xbd", b"x" * 250, b"x" * 250 + b"\xff"]
    (folder / "d").mkdir()
    for name in ids:   # the path of a file is its id
        with open(os.fsencode(folder / "d") + b"/" + name, "w") as file:
            file.write(FOX)
    done = subprocess.run([binary, "index", "create", str(folder / "i"), str(folder / "d"), "--threshold", "0.5", "-q"], capture_output=True)
    require(done.returncode == 0, f"index create: {done.stderr}")
    with Server(binary, folder / "i") as server:
        whole = server.ask("GET", "/v1/items?limit=10000").json()
        require(whole["next"] is None and len(whole["ids"]) == len(ids), f"{len(whole['ids'])} of {len(ids)} are listed")
        for limit in (1, 2, 3, 7):
            seen, target = [], f"/v1/items?limit={limit}"
            for _ in range(2 * len(ids)):
                page = server.ask("GET", target).json()
                seen += page["ids"]
                if page["next"] is None:
                    break
                target = f"/v1/items?limit={limit}&cursor={page['next']}"
            require(seen == whole["ids"], f"pages of {limit}: {len(seen)} ids, {len(ids)} are there")
        require(server.ask("GET", "/v1/items?cursor=%2A").status == 400, "a cursor that is none is taken")


TESTS = [many_conditions_are_refused, answers_that_nobody_reads_are_counted,
         who_reads_slowly_is_served_and_who_hardly_reads_is_not, metadata_of_all_hits_is_bounded,
         queries_end_when_their_clients_leave, a_stop_ends_queries, a_query_has_its_time, texts_to_compare_are_bounded, silent_connections_give_way, unsent_bodies_give_way,
         who_says_nothing_is_let_go_soon, a_log_that_nobody_reads_stops_nothing, a_stop_does_not_wait_for_the_log,
         readiness_tells_that_writes_fail, paging_is_exact_for_ids_of_any_bytes]

if __name__ == "__main__":
    names = {test.__name__: test for test in TESTS}
    sys.exit(run_all([names[name] for name in sys.argv[2:] or names], sys.argv[1]))
