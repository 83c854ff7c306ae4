# SPDX-License-Identifier: Apache-2.0
"""The GPU check (docs/operate/limits.md): runs each check in a process of its own and prints one table. run.sh starts it.

Invariants:
 1. A check that crashes, hangs or cannot run costs its own rows and no other's: what it had measured stands, and a row reports its end.
 2. The whole is over after --deadline seconds. What found no time is a skipped row.
 3. Only processes of the check's own session are ended, and every one of them is.

Exit 0: nothing failed. 1: a row failed. 2: wrong usage.
"""
import argparse
import datetime
import glob
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

from check_rows import FAIL, PASS, RECORDED, SKIPPED, as_markdown, as_text, read_rows

HERE = os.path.dirname(os.path.abspath(__file__))
# name, script, maximum seconds. The overhead check is last: it takes the remaining time.
CHECKS = (("nvml", "nvml_check.py", 80), ("driver probe", "probe_check.py", 60), ("tracer against torch.profiler", "tracer_check.py", 160),
          ("recent ring after kill -9", "recent_check.py", 120), ("live", "live_check.py", 120), ("overhead", "overhead_check.py", 330))
LEAST_SECONDS = {"overhead": 100}
MOST_LOG_BYTES = 8 << 20


def unpack(kit, work):
    with tarfile.open(kit) as packed:
        packed.extractall(work, **({"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}))
    for name in sorted(os.listdir(work)):
        tools = os.path.join(work, name, "tools")
        if os.path.isdir(tools):
            return tools
    sys.exit("gpu_check: %s holds no folder with tools" % kit)


def first_line(*command):
    try:
        found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=90, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip().splitlines()[0] if found.returncode == 0 and found.stdout.strip() else ""


def machine(tools):
    """What the figures are of."""
    gpus = first_line("nvidia-smi", "--query-gpu=name,driver_version,count", "--format=csv,noheader") or "no nvidia-smi"
    torch = first_line(sys.executable, "-c", "import torch; print(torch.__version__, 'CUDA', torch.version.cuda)") or "none"
    version = first_line(os.path.join(tools, "bin", "runglassctl"), "--version")
    built = os.path.join(os.path.dirname(tools), "COMMIT")
    if os.path.exists(built):
        with open(built, encoding="utf-8") as file:
            version += ", commit " + file.read().strip()
    return [("Runglass", version or "does not start"), ("GPU, driver, count", gpus), ("PyTorch", torch), ("Python", platform.python_version()),
            ("Kernel", "%s, glibc %s, %d CPUs" % (platform.release(), platform.libc_ver()[1] or "?", os.cpu_count() or 0)),
            ("Date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"))]


def end_session(leader):
    """What a check that was ended has left: its processes, and its rings in shared memory."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for rings in glob.glob("/dev/shm/runglass-check-%d-*" % leader):
        shutil.rmtree(rings, ignore_errors=True)


def run_check(check, script, seconds, arguments, work, rows_path):
    """Appends a row of its own where the check did not end well."""
    name = os.path.basename(script)[:-3]
    folder = os.path.join(work, name)
    os.makedirs(folder)
    log = os.path.join(folder, "check.log")
    command = [sys.executable, os.path.join(HERE, script), "--tools", arguments.tools, "--work", folder, "--rows", rows_path, "--out", arguments.out,
               "--seconds", str(seconds - 20)] + (["--quick"] if arguments.quick else [])
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
                                   env=dict(os.environ, PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1"))
        try:
            problem = "" if process.wait(timeout=seconds) == 0 else "ended with exit status %d" % process.returncode
        except subprocess.TimeoutExpired:
            problem = "not done within %d s" % seconds
        end_session(process.pid)
        process.wait()
    if not problem:
        return []
    with open(log, encoding="utf-8", errors="replace") as file:
        last = (file.read().strip().splitlines() or [""])[-1]
    return [{"check": check, "item": "the check itself", "measured": problem, "goal": "runs to its end", "result": FAIL,
             "reason": "%s (log: %s/check.log)" % (last[:200], name)}]


def run_all(arguments, work, begun):
    rows = []
    for check, script, most in CHECKS:
        if arguments.only and script[:-len("_check.py")] not in arguments.only:
            continue
        seconds = min(most, arguments.deadline - (time.monotonic() - begun) - 5)
        if seconds < LEAST_SECONDS.get(check, 20) and not arguments.quick:
            rows.append({"check": check, "item": "all of it", "measured": "", "goal": "", "result": SKIPPED,
                         "reason": "no time left of %d s" % arguments.deadline})
            continue
        began = time.monotonic()
        rows_path = os.path.join(work, script[:-3] + ".rows")
        ended = run_check(check, script, seconds, arguments, work, rows_path)
        measured = read_rows(rows_path) + ended
        if not measured:
            measured = [{"check": check, "item": "all of it", "measured": "no rows", "goal": "", "result": FAIL,
                         "reason": "the check measured nothing"}]
        print("%s: %d rows in %.0f s" % (check, len(measured), time.monotonic() - began), file=sys.stderr, flush=True)
        rows += measured
    return rows


def write_out(arguments, work, rows, about):
    lines = "".join("%s: %s  \n" % pair for pair in about)
    with open(os.path.join(arguments.out, "gpu_check.md"), "w", encoding="utf-8") as file:
        file.write(lines + "\n" + as_markdown(rows))
    with tarfile.open(os.path.join(arguments.out, "gpu_check_logs.tar.gz"), "w:gz") as packed:
        for folder, _, names in os.walk(work):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith((".log", ".rows", ".json")) and os.path.getsize(path) <= MOST_LOG_BYTES:
                    packed.add(path, os.path.relpath(path, work))


def main():
    begun = time.monotonic()
    parser = argparse.ArgumentParser(
        prog="run.sh", description="Compare Runglass with nvidia-smi and torch.profiler on this machine's GPU, and measure what it costs.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--tools", help="the relocatable folder")
    what.add_argument("--kit", help="the packed kit (tests/device/pack.sh)")
    parser.add_argument("--out", default="gpu-check", help="folder for the table, logs, pictures and the store")
    parser.add_argument("--only", type=lambda text: text.split(","), help="some of nvml,probe,tracer,recent,live,overhead")
    parser.add_argument("--deadline", type=float, default=520, help="seconds for all of it (default 520)")
    parser.add_argument("--quick", action="store_true", help="short phases, to test the check itself")
    arguments = parser.parse_args()
    unknown = set(arguments.only or ()) - {script[:-len("_check.py")] for _, script, _ in CHECKS}
    if unknown:
        parser.error("--only: no check named " + ", ".join(sorted(unknown)))
    arguments.out = os.path.abspath(arguments.out)
    os.makedirs(arguments.out, exist_ok=True)
    work = tempfile.mkdtemp(prefix="runglass-gpu-check-")
    try:
        if arguments.kit:
            arguments.tools = unpack(arguments.kit, work)
        arguments.tools = os.path.abspath(arguments.tools)
        about = machine(arguments.tools)
        logs = os.path.join(work, "checks")
        os.makedirs(logs)
        rows = run_all(arguments, logs, begun)
        write_out(arguments, logs, rows, about)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("".join("%-20s %s\n" % pair for pair in about))
    print(as_text(rows))
    counts = {result: sum(row["result"] == result for row in rows) for result in (PASS, FAIL, SKIPPED, RECORDED)}
    print("%(pass)d passed, %(FAIL)d failed, %(skipped)d skipped, %(recorded)d recorded" % counts +
          " in %.0f s; %s" % (time.monotonic() - begun, arguments.out))
    return 1 if counts[FAIL] else 0


if __name__ == "__main__":
    sys.exit(main())
