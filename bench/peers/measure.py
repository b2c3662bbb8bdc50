"""Runs one command and says what it took: wall and processor time, and the peak of its memory seen from outside.

The command is started by a small process of its own (this file, run as a script): what wait4 calls the peak of a child counts from the
process that started it, so that a large driver would be reported as the peak of a small child.
"""
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

Usage = collections.namedtuple("Usage", "wall cpu peak_bytes exit timed_out")
SAMPLE_SECONDS = 0.5


def measure(command, cores, limit, log, tree=False, env=None):
    """Runs `command` on these cores for at most `limit` seconds, its output to the file `log`. With `tree` the peak is that of all its
    processes together, shared pages counted once, as sampled; otherwise the kernel's own figure for the process."""
    result = pathlib.Path(log).with_suffix(".usage")
    asked = json.dumps({"command": [str(part) for part in command], "cores": sorted(cores), "limit": limit, "log": str(log),
                        "tree": tree, "result": str(result)})
    launcher = subprocess.Popen([sys.executable, "-I", "-S", __file__, asked], env=env)
    try:
        launcher.wait()
    except BaseException:
        launcher.terminate()  # which ends the command too
        launcher.wait()
        raise
    usage = Usage(**json.loads(result.read_text()))
    result.unlink()
    return usage


def descendants(pid):
    found, open_ends = [], [pid]
    while open_ends:
        process = open_ends.pop()
        found.append(process)
        try:
            for task in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{task}/children") as file:
                    open_ends += [int(child) for child in file.read().split()]
        except OSError:
            pass  # it ended in between
    return found


def proportional_bytes(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:")), 0)
    except OSError:
        return 0


def sample(pid, ended, peak):
    while not ended.wait(SAMPLE_SECONDS):
        peak[0] = max(peak[0], sum(map(proportional_bytes, descendants(pid))))


def start(asked):
    """In a session of its own, so that all its processes can be ended by one number."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    os.sched_setaffinity(0, asked["cores"])
    log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        os.execvp(asked["command"][0], asked["command"])
    except OSError as error:
        os.write(2, f"{asked['command'][0]}: {error}\n".encode())
        os._exit(127)


def end_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def launch(asked):
    begin, late = time.monotonic(), []
    pid = start(asked)

    def stop(number, _frame):
        late.append(number)
        end_group(pid)

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    signal.setitimer(signal.ITIMER_REAL, asked["limit"])
    ended, peak = threading.Event(), [0]
    if asked["tree"]:
        threading.Thread(target=sample, args=(pid, ended, peak), daemon=True).start()
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    ended.set()
    end_group(pid)  # helpers that outlived their parent
    peak_bytes = max(peak[0], usage.ru_maxrss * 1024)
    result = Usage(wall, usage.ru_utime + usage.ru_stime, peak_bytes, os.waitstatus_to_exitcode(status), bool(late))
    with open(asked["result"], "w") as file:
        json.dump(result._asdict(), file)


if __name__ == "__main__":
    launch(json.loads(sys.argv[1]))
