"""The command `nearkin` of the package: the binary itself, and Parquet through the package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Optional

import pytest

import nearkin
from nearkin._flags import BINARY, NotUnderstood, Typed, flags_of, is_address, parse

COMMAND = [sys.executable, "-m", "nearkin._command"]
RECORDS = "".join('{"id":"d%d","text":"one two three four five six number%d"}\n' % (i, i // 2) for i in range(20)) + "{}\n"


def run(*words: Any, cwd: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *map(str, words)], cwd=cwd, capture_output=True, **options)


def write_parquet(path: Path, rows: int) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": [f"d{i}" for i in range(rows)], "text": [" ".join(f"w{(i * k) % 997}" for k in range(1, 80)) for i in range(rows)]}), path)


@pytest.mark.parametrize("words", [["--version"], [], ["dedup", "--help"], ["dedup", "docs.jsonl", "--annotate"], ["pairs", "docs.jsonl", "--treshold", "1"],
                                   ["pairs", "-"], ["tune", "--threshold", "0.7"], ["nosuch"]], ids=" ".join)
def test_without_parquet_it_is_the_binary(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "docs.jsonl").write_text(RECORDS)
    ours = run(*words, cwd=tmp_path, input=RECORDS.encode())
    its = subprocess.run([BINARY, *words], cwd=tmp_path, capture_output=True, input=RECORDS.encode())
    assert (ours.stdout, ours.returncode) == (its.stdout, its.returncode)
    assert [line for line in ours.stderr.splitlines() if b" s, " not in line] == [line for line in its.stderr.splitlines() if b" s, " not in line]


def test_the_flags_are_those_of_the_help() -> None:
    flags = flags_of("dedup")
    assert flags["-o"] is flags["--output"] and flags["-o"].takes_value
    assert not flags["--annotate"].takes_value and flags["--thresholds"].takes_value
    assert flags_of("pairs")["--large-bucket"].default == "10000" and flags["--large-bucket"].default == "128"


def test_inputs_are_told_from_the_values_of_flags() -> None:
    typed = parse(["dedup", "a.parquet", "-ob.parquet", "--text=body", "--id", "url", "--annotate", "--", "-c.parquet"])
    assert typed == Typed("dedup", ["a.parquet", "-c.parquet"], [("--output", "b.parquet"), ("--text", "body"), ("--id", "url"), ("--annotate", None)])
    assert parse(typed.words()) == typed
    for words in (["dedup", "--nosuch"], ["dedup", "--annotate=1"], ["dedup", "a", "-o"]):
        with pytest.raises(NotUnderstood):
            parse(words)


def test_inputs_right_behind_a_suite_are_left_to_the_binary_which_refuses_them() -> None:
    for words in (["t.parquet", "--against", "a.parquet", "b.parquet"], ["--against", "a.parquet", "b.parquet", "--do", "cut", "--", "t.parquet"]):
        with pytest.raises(NotUnderstood):
            parse(["decontaminate", *words])
    for words in (["t.parquet", "u.parquet", "--against", "a.parquet"], ["--against", "a.parquet", "t.parquet"], ["t.parquet", "--against=a.parquet", "u.parquet"]):
        assert parse(["decontaminate", *words]).get("--against") == "a.parquet"


def test_an_address_begins_with_a_scheme() -> None:
    assert is_address("s3://bucket/a.parquet") and is_address("memory://a") and is_address("zip::s3://bucket/a.zip")
    assert not is_address("a.parquet") and not is_address("/data/a:b") and not is_address("://a")


def test_results_and_status_are_passed_on(tmp_path: Path) -> None:
    write_parquet(tmp_path / "docs.parquet", 50)
    done = run("dedup", "docs.parquet", "-o", "kept.parquet", "--stats", "-", cwd=tmp_path)
    assert done.returncode == 0 and b'"items":50' in done.stdout
    assert b"read 50 items" in done.stderr
    assert run("dedup", "docs.parquet", "-o", "kept.parquet", "-q", cwd=tmp_path).stderr == b""
    refused = run("dedup", "docs.parquet", "--text", "body", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (2, b'nearkin: docs.parquet: no column "body"; there are id, text\n')


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    write_parquet(tmp_path / "docs.parquet", 3000)
    for words in (["dedup", "docs.parquet"], ["cluster", "docs.parquet"]):
        process = subprocess.Popen([*COMMAND, *words, "-q"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("module", ["pyarrow", "fsspec"])
def test_what_is_not_installed_is_said_with_the_way_out(tmp_path: Path, module: str) -> None:
    (tmp_path / "docs.parquet").write_bytes(b"")
    name = "docs.parquet" if module == "pyarrow" else "memory://docs.jsonl"
    program = f"import sys; sys.modules['{module}'] = None; from nearkin._command import main; main()"
    done = subprocess.run([sys.executable, "-c", program, "pairs", name], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"nearkin: {name}: needs {module}, which is not installed; pip install 'nearkin[arrow]'\n")


def child_of(parent: int) -> Optional[int]:
    with open(f"/proc/{parent}/task/{parent}/children") as file:
        return next((int(word) for word in file.read().split() if _is_binary(int(word))), None)


def _is_binary(number: int) -> bool:
    try:
        with open(f"/proc/{number}/cmdline", "rb") as file:
            return b"pairs" in file.read().split(b"\0")
    except OSError:
        return False


def gone(number: int, within: float = 60) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            with open(f"/proc/{number}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_both_processes_end_upon_a_signal_and_leave_nothing(tmp_path: Path, number: signal.Signals) -> None:
    write_parquet(tmp_path / "docs.parquet", 20_000)
    (tmp_path / "tmp").mkdir()
    os.mkfifo(tmp_path / "never.jsonl")  # which the run waits for
    words = ["pairs", "docs.parquet", "--against", "never.jsonl", "-o", "pairs.parquet", "--threads", "1"]
    process = subprocess.Popen([*COMMAND, *words], cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    child = None
    while child is None:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        child = child_of(process.pid)
        time.sleep(0.05)
    time.sleep(0.3)
    # The terminal sends Ctrl-C to both; other signals come to the one that was named.
    os.killpg(process.pid, number) if number == signal.SIGINT else os.kill(process.pid, number)
    assert process.wait(60) == -number
    assert gone(child)
    assert not (tmp_path / "pairs.parquet").exists()
    if number != signal.SIGKILL:
        assert sorted(os.listdir(tmp_path)) == ["docs.parquet", "never.jsonl", "tmp"] and os.listdir(tmp_path / "tmp") == []


def test_the_command_does_not_wait_for_numpy_and_the_package_still_has_all_its_names() -> None:
    code = "import sys, nearkin._command, nearkin; assert 'numpy' not in sys.modules; print([getattr(nearkin, name) is not None for name in nearkin.__all__])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("True") == len(nearkin.__all__) > 15
    with pytest.raises(AttributeError, match="no attribute 'dedupe'"):
        nearkin.dedupe  # type: ignore[attr-defined]


def test_texts_of_another_encoding_and_parts_of_texts_are_asked_for_by_name(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("id,text\na,caf\xe9 one two three four\nb,caf\xe9 one two three four\n".encode("latin-1"))
    result = nearkin.dedup_files(tmp_path / "latin.csv", tmp_path / "kept.csv", encoding="latin1")
    assert result.stats["kept"] == 1
    assert (tmp_path / "kept.csv").read_bytes() == b"id,text\na,caf\xe9 one two three four\n"
    (tmp_path / "docs.jsonl").write_text('{"id":"a","text":"one two three\\n\\nfour five six"}\n{"id":"b","text":"four five six"}\n')
    result = nearkin.dedup_files(tmp_path / "docs.jsonl", tmp_path / "cut.jsonl", unit="paragraph", least_left=1)
    assert (result.stats["records"], result.stats["records_removed"], result.stats["removed"]) == (2, 1, 1)
    assert (tmp_path / "cut.jsonl").read_text() == '{"id":"a","text":"one two three\\n\\nfour five six"}\n'
