# SPDX-License-Identifier: Apache-2.0
"""What Runglass costs a training step: step calls alone, the always-on tracer, traced steps, exact mode, and what exact mode leaves behind.

Invariants:
 1. All modes are measured in turns of a second in processes that live all the time, in another order each round: a GPU that warms up or clocks
    down changes all of them alike. A process that has no turn is stopped by SIGSTOP.
 2. In turns of the bare training the hub and the agent are stopped as well: what they cost belongs to Runglass.
 3. The bare training runs in two processes. The difference between them is noise; where its median is above the goal nothing can be judged.
"""
import collections
import json
import math
import os
import select
import signal
import statistics
import subprocess
import sys
import time

from check_rows import FAIL
from local_hub import LocalHub, parse_arguments, torch_problem

GOAL = 0.005
STEP_SECONDS = 0.110  # of the transformer: at least 100 ms
LEAST_ROUNDS, MOST_ROUNDS = 5, 15
QUICK_ROUNDS, QUICK_STEP_SECONDS = 2, 0.020
EVERY = 100  # the tracer's default: kernels of each hundredth step

Mode = collections.namedtuple("Mode", "name process ask")
MODES = (
    Mode("bare", "bare", {}),
    Mode("bare again", "bare again", {}),
    Mode("step calls", "steps", {}),
    Mode("always-on tracer", "tracer", {"every": EVERY}),
    Mode("traced step", "tracer", {"every": 1}),
    Mode("exact mode", "exact", {"exact": True, "every": 0}),
    Mode("after exact mode", "exact", {"exact": False, "every": EVERY}),
)
BARE = ("bare", "bare again")
AMORTIZED = "always-on tracer with its traced steps"
Workload = collections.namedtuple("Workload", "name title warm steps")
WORKLOADS = (Workload("transformer", "transformer step", 2, 9), Workload("launches", "launch-bound step", 5, 60))


class Worker:
    def __init__(self, hub, name):
        kind = {"bare": "bare", "bare again": "bare", "steps": "steps"}.get(name, "tracer")
        environment = hub.trainer_environment("overhead-" + name.replace(" ", "-"), tracer=kind == "tracer", RUNGLASS_TRACE_EVERY=EVERY)
        self.name = name
        self.process = hub.start_trainer("torch_trainer.py", ["worker", kind], environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, seconds, **what):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise RuntimeError("%s: no answer within %d s" % (self.name, seconds))
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("%s ended: %s" % (self.name, LocalHub.tail(self.process.log)))
        self.process.send_signal(signal.SIGSTOP)
        return json.loads(line)["times"]

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait(timeout=60)


def turn(hub, workers, workload, micro, mode):
    hub.signal(signal.SIGSTOP if mode.name in BARE else signal.SIGCONT)
    time.sleep(0.1)
    times = workers[mode.process].ask(60, workload=workload.name, micro=micro, warm=workload.warm, steps=workload.steps, **mode.ask)
    hub.signal(signal.SIGCONT)
    return statistics.median(times)


def spread(values):
    """Median and the middle half, in per cent."""
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return median, "%+.2f %% (middle half %+.2f … %+.2f %%)" % (100 * median, 100 * low, 100 * high)


def measure(hub, workers, workload, seconds, quick):
    """{mode: its share over the bare training, one number a round}, and the bare step's time"""
    # Everything that is created once: models, cuBLAS handles, the tracer's pools, CUPTI.
    micro = 1
    for mode in MODES:
        turn(hub, workers, workload, micro, mode)
    if workload.name == "transformer":
        micro = max(1, math.ceil((QUICK_STEP_SECONDS if quick else STEP_SECONDS) / turn(hub, workers, workload, 1, MODES[0])))
    rounds, bare_times = collections.defaultdict(list), []
    until = time.monotonic() + seconds
    longest = 0.0
    for number in range(QUICK_ROUNDS if quick else MOST_ROUNDS):
        begin = time.monotonic()
        if number >= LEAST_ROUNDS and begin + longest > until:
            break
        at = number % len(MODES)
        order = MODES[at:] + MODES[:at]
        times = {mode.name: turn(hub, workers, workload, micro, mode) for mode in (order if number % 2 == 0 else order[::-1])}
        bare = (times["bare"] + times["bare again"]) / 2
        bare_times.append(bare)
        for mode in MODES:
            rounds[mode.name].append(times[mode.name] / (times["bare"] if mode.name == "bare again" else bare) - 1)
        always, traced = rounds["always-on tracer"][-1], rounds["traced step"][-1]
        rounds[AMORTIZED].append(always + (traced - always) / EVERY)
        longest = max(longest, time.monotonic() - begin)
    return rounds, statistics.median(bare_times), micro


def judge(rows, workload, rounds, bare, micro, exact_on, quick):
    count = len(rounds["bare"])
    print("%s: bare %.3f ms, micro %d, %d rounds of %d steps" % (workload.title, 1e3 * bare, micro, count, workload.steps))
    for name, values in rounds.items():
        print("  %s: %s" % (name, " ".join("%+.3f%%" % (100 * value) for value in values)))
    noise, noise_text = spread(rounds["bare again"])
    rows.record(workload.title + ", bare", "%.2f ms, %d rounds of %d steps, the same again %s" % (1e3 * bare, count, workload.steps, noise_text))
    if workload.name == "transformer" and bare < 0.1 and not quick:
        rows.add(workload.title + ", length", "%.1f ms" % (1e3 * bare), "≥ 100 ms", FAIL, "the step came out shorter")
    for name in ("step calls", "always-on tracer", AMORTIZED):
        median, text = spread(rounds[name])
        item = "%s, %s" % (workload.title, name)
        if abs(noise) > GOAL:
            rows.skip(item, "measured %s, but two bare trainings differ by %+.2f %%" % (text, 100 * noise), "≤ 0.5 %")
        else:
            rows.judge(item, median <= GOAL, text, "≤ 0.5 %", "")
    for name in ("traced step", "exact mode", "after exact mode"):
        item = "%s, %s" % (workload.title, name)
        if "exact" in name and not exact_on:
            rows.skip(item, "exact mode was not on")
        else:
            rows.record(item, spread(rounds[name])[1])


def main():
    arguments, rows = parse_arguments("overhead")
    problem = torch_problem()
    if problem:
        for workload in WORKLOADS:
            rows.skip(workload.title, problem, "≤ 0.5 %")
        return 0
    until = time.monotonic() + (arguments.seconds or 220)
    with LocalHub(arguments.tools, os.path.join(arguments.work, "hub")) as hub:
        workers = {name: Worker(hub, name) for name in sorted({mode.process for mode in MODES})}
        for at, workload in enumerate(WORKLOADS):
            share = (until - time.monotonic() - 25) / (len(WORKLOADS) - at)
            rounds, bare, micro = measure(hub, workers, workload, share - 15, arguments.quick)
            exact_on = hub.query("SELECT 1 FROM span s JOIN track t USING (track_id) JOIN run r ON r.run_id = s.run_id WHERE t.kind = 'gpu_stream' "
                                 "AND r.name = 'overhead-exact' AND s.args LIKE '%\"exact\"%' LIMIT 1")
            judge(rows, workload, rounds, bare, micro, bool(exact_on), arguments.quick)
        for worker in workers.values():
            worker.end()
        hub.stop()
        lost = hub.query("SELECT code, count, detail FROM ingest_issue WHERE code LIKE 'client.%'")
        rows.record("data quality meanwhile", "; ".join("%s × %s" % (issue["code"], issue["count"]) for issue in lost) or "no issues of the client")
    return 0


if __name__ == "__main__":
    sys.exit(main())
