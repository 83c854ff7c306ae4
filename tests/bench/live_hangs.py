#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stops one rank of the bundled 8-rank run with SIGSTOP, many times, and counts the hangs whose finding names that rank.

live_hangs.py BUILD [--stops N] [--seed S] [--at-once N]. Each stop has a hub, an agent and a run of its own; which rank is stopped, and
when, follows from the seed. A hang is published after 60 s at the earliest, so several runs are hung at once; one trains at a time.
Prints a line per stop, then the count; exits 1 unless every one was named. Ends only what it started.
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PYTHON = "/usr/bin/python3"
MIN_STEPS = 30      # before the stop: the stall clock is derived from the steps before it
HANG_WITHIN = 240   # seconds from the stop; exceeded: a broken analysis, or a machine that is far too busy
SETTLES = 12        # seconds from the first finding: the following capture adds to the evidence
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Stop:
    """One run that is stopped once."""

    def __init__(self, build, number, seed, keep):
        self.bin, self.build, self.number = os.path.join(build, "bin"), build, number
        choice = random.Random(seed * 1000 + number)
        self.rank, self.delay = choice.randrange(8), choice.uniform(0, 3)
        self.dir = tempfile.mkdtemp(prefix="live_hang_")
        self.keep = keep
        self.store = os.path.join(self.dir, "s.rgl")
        self.processes, self.stopped = [], None

    def start(self, *command, **more):
        log = open(os.path.join(self.dir, "%d.log" % len(self.processes)), "wb")
        env = dict(os.environ, RUNGLASS_DIR=os.path.join(self.dir, "rings"), RUNGLASS_RUN="stop-%d" % self.number,
                   RUNGLASS_LIB=os.path.join(self.build, "lib", "librunglass.so"))
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=env, cwd=ROOT)
        self.processes.append(process)
        return process, log.name

    def query(self, sql):
        out = subprocess.run([os.path.join(self.bin, "runglassctl"), "query", "--store", self.store, "--format", "json", sql],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(out.stdout) if out.returncode == 0 and out.stdout.strip() else []

    def wait(self, seconds, what, condition):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.5)
        raise RuntimeError("no %s within %d s" % (what, seconds))

    def pid_of_rank(self, launcher):
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and int(open("/proc/%s/stat" % name).read().rsplit(")", 1)[1].split()[1]) == launcher:
                    if b"\0RANK=%d\0" % self.rank in b"\0" + open("/proc/%s/environ" % name, "rb").read():
                        return int(name)
            except OSError:
                pass
        return None

    def run(self, training):
        with training:
            self.begin()
        at = time.monotonic()
        found = lambda: self.query('SELECT "rank", summary, evidence FROM finding WHERE kind = \'hang\' AND end_ns IS NULL')
        self.wait(HANG_WITHIN, "hang", found)
        took = time.monotonic() - at
        time.sleep(SETTLES)
        finding = found()[0]
        return finding["rank"] == self.rank, took, finding["summary"]

    def begin(self):
        """Trains, then stops the rank."""
        os.mkdir(os.path.join(self.dir, "rings"))
        _, log = self.start(os.path.join(self.bin, "runglassctl"), "serve", "--store", self.store, "--listen", "127.0.0.1:0")
        address = self.wait(30, "hub", lambda: next((line.split(" ", 2)[2] for line in open(log) if line.startswith("listening on ")), None))
        self.start(os.path.join(self.bin, "runglass-agent"), "--hub", address.strip(), "--state-dir", os.path.join(self.dir, "agent"))
        launcher, _ = self.start(PYTHON, os.path.join(ROOT, "collectors", "client", "examples", "launch.py"), "--batch", "1", "--sequence", "32")
        self.wait(180, "steps", lambda: (self.query("SELECT count(DISTINCT step) AS n FROM step") or [{"n": 0}])[0]["n"] >= MIN_STEPS)
        time.sleep(self.delay)
        self.stopped = self.wait(10, "rank", lambda: self.pid_of_rank(launcher.pid))
        os.kill(self.stopped, signal.SIGSTOP)

    def end(self):
        if self.stopped:
            os.kill(self.stopped, signal.SIGCONT)
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if not self.keep:
            shutil.rmtree(self.dir, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--stops", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=4, help="runs that are hung at the same time")
    parser.add_argument("--keep", action="store_true", help="keep the stores and print where they are")
    options = parser.parse_args()
    if subprocess.run([PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode != 0:
        print("SKIPPED: no PyTorch under " + PYTHON)
        return 0
    training = threading.Lock()

    def one(number):
        stop = Stop(os.path.abspath(options.build), number, options.seed, options.keep)
        try:
            named, took, words = stop.run(training)
        except (RuntimeError, OSError) as error:
            named, took, words = False, 0, str(error)
        finally:
            stop.end()
        print("%s: rank %d stopped after %.1f s more, %s after %.0f s: %s%s" % (
            number, stop.rank, stop.delay, "named" if named else "NOT NAMED", took, words, "  [%s]" % stop.dir if options.keep else ""), flush=True)
        return named

    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        named = list(pool.map(one, range(options.stops)))
    print("%d of %d stopped ranks were named" % (sum(named), len(named)))
    return 0 if all(named) else 1


if __name__ == "__main__":
    sys.exit(main())
