#!/usr/bin/env python3
"""Serves small indexes with the command line tool and tests the server's page in a headless browser (web_test.mjs).

usage: run_web.py NEARKIN WORK_FOLDER

Needs what the test of the report's page needs (../page/run_page.py), and exits with 77, which ctest counts as skipped, where it cannot be had.
"""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "page"))
sys.dont_write_bytecode = True  # the source tree stays as it is
import run_page  # noqa: E402

REPORT = HERE.parents[1] / "src" / "report"  # what both pages share
SHARED = {"shared.js": ("elements.js", "diff.js", "sides.js"), "shared.css": ("colours.css", "chart.css", "picture.css", "sides.css")}
TOKEN = "a-token-for-this-test-alone"
START_SECONDS = 20
HOSTILE_ID = "hostile/<img src=x onerror=\"window.hacked=4\"> \u202eabc \U0001F600 " + "w" * 300
HOSTILE_TEXT = " ".join(["The harbour was closed after the storm of last week.", *run_page.HOSTILE, "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
                         "\u202eturned round\u202c", "\U0001F469\u200D\U0001F469\u200D\U0001F467 \U0001F3F4", "before\0after", "x" * 3000,
                         "The ferry to the island did not run, and the market was put off."])


def run(tool, folder, *command):
    done = subprocess.run([tool, *command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")


def make_indexes(tool, folder):
    docs = run_page.documents()
    docs = [(name, text) for name, text in docs if not name.startswith("<")] + [(HOSTILE_ID, HOSTILE_TEXT)]
    (folder / "docs.jsonl").write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in docs), encoding="utf-8")
    (folder / "none.jsonl").write_text("", encoding="utf-8")
    rows = [(1, 0, 0), (0.9, 0.1, 0), (0.8, 0.3, 0.1), (0, 1, 0), (0, 0, 1)]
    (folder / "vectors.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    texts = ["--threshold", run_page.THRESHOLD, "--quiet"]
    run(tool, folder, "index", "create", "texts", "docs.jsonl", *texts, "--store-texts")
    run(tool, folder, "index", "create", "bare", "docs.jsonl", *texts)
    run(tool, folder, "index", "create", "empty", "none.jsonl", *texts, "--store-texts")
    run(tool, folder, "index", "create", "vectors", "vectors.csv", "--format", "dense", "--measure", "euclidean", "--radius", "0.5", "--quiet")
    (folder / "codes.bits").write_text("0101010101010101\n0101010101010111\n1111000011110000\n", encoding="utf-8")
    run(tool, folder, "index", "create", "bits", "codes.bits", "--radius", "2", "--quiet")
    run(tool, folder, "index", "create", "sure", "docs.jsonl", *texts, "--recall", "1")
    return docs


def make_report(tool, folder, docs, plan):
    """The report's page of a pair that the server's page shows too, by the same plan."""
    by_name = dict(docs)
    (folder / "mine.txt").write_text(by_name["news/3/first"], encoding="utf-8")
    (folder / "news_3_copy-0").write_text(by_name["news/3/copy-0"], encoding="utf-8")
    run(tool, folder, "compare", "mine.txt", "news_3_copy-0", "--plan", plan, "-o", "compared.txt", "--report", "compare.html")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def read_json(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return json.load(answer)


def wait_for(address, server, log):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            sys.exit(f"the server ended with status {server.returncode}\n{log.read_text(encoding='utf-8')}")
        try:
            with urllib.request.urlopen(address + "/healthz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.02)
    sys.exit(f"the server did not answer within {START_SECONDS} s\n{log.read_text(encoding='utf-8')}")


@contextlib.contextmanager
def serving(tool, folder, index, *flags):
    """The address of the index, served until the end; a server that ends otherwise than well fails the test."""
    port = free_port()
    log = folder / f"{index}-{port}.log"
    with log.open("wb") as out:
        server = subprocess.Popen([tool, "serve", index, "--listen", f"127.0.0.1:{port}", *flags], cwd=folder, stdout=out, stderr=out)
    try:
        wait_for(f"http://127.0.0.1:{port}", server, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        if server.wait(timeout=30) != 0:
            print(f"the server ended with status {server.returncode}\n{log.read_text(encoding='utf-8')}", file=sys.stderr)
            sys.exit(1)


def test_in_browser(tool, folder, modules):
    docs = make_indexes(tool, folder)
    (folder / "token").write_text(TOKEN + "\n", encoding="utf-8")
    (folder / "token").chmod(0o600)
    with contextlib.ExitStack() as stack:
        servers = {name: stack.enter_context(serving(tool, folder, name)) for name in ("texts", "bare", "empty", "vectors", "bits", "sure")}
        servers["token"] = stack.enter_context(serving(tool, folder, "bare", "--token-file", "token"))
        make_report(tool, folder, docs, read_json(servers["texts"] + "/v1/index")["plan"])
        facts = {"servers": servers, "token": TOKEN, "threshold": float(run_page.THRESHOLD), "shingle": run_page.SHINGLE, "docs": dict(docs),
                 "hostile": {"id": HOSTILE_ID, "text": HOSTILE_TEXT}, "report": str(folder / "compare.html"),
                 "sources": {file.name: file.read_text(encoding="utf-8") for file in (HERE.parents[1] / "web").iterdir()},
                 "shared": {joined: {name: (REPORT / name).read_text(encoding="utf-8") for name in names} for joined, names in SHARED.items()}}
        (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
        return subprocess.run(["node", HERE / "web_test.mjs", modules, shutil.which("chromium"), folder / "facts.json"], check=False).returncode


def main():
    tool, work = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    for command in ("chromium", "node", "npm"):
        if shutil.which(command) is None:
            run_page.skip(f"no browser can be driven: there is no command \"{command}\" here (scripts/setup.sh tests installs it where it can)")
    folder = work / "served"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return test_in_browser(tool, folder, run_page.modules_in(work))


if __name__ == "__main__":
    sys.exit(main())
