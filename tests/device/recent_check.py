# SPDX-License-Identifier: Apache-2.0
"""The recent ring after kill -9: a trainer that keeps its last minute is killed in the middle of a step; what its agent still delivers."""
import os
import signal
import statistics
import sys
import time

from check_rows import FAIL
from local_hub import LocalHub, parse_arguments, torch_problem, wait_until
from progress_file import read_progress

NO_CUDA = 77
LOST_MS = 50  # of GPU work before the kill that may be missing: the tracer polls for finished events every 2 ms
GPU_SPANS = "span s JOIN track t USING (track_id) WHERE t.kind = 'gpu_stream'"


def judge(rows, item, hub, run, file, seconds, kernels):
    """`kernels`: launches of a step, where known."""
    if not wait_until(lambda: read_progress(file)[0] >= 5 or hub.trainers[-1].poll() is not None, 90) or hub.trainers[-1].poll() is not None:
        if hub.trainers[-1].returncode == NO_CUDA:
            rows.skip(item, hub.tail(hub.trainers[-1].log))
        else:
            rows.add(item, "the trainer made no steps", "", FAIL, hub.tail(hub.trainers[-1].log))
        return
    time.sleep(seconds)
    killed_ns = time.time_ns()
    hub.trainers[-1].send_signal(signal.SIGKILL)
    hub.trainers[-1].wait()
    steps, last_ns = read_progress(file)
    died = wait_until(lambda: hub.query("SELECT time_ns, code FROM event WHERE kind = 'process_exit'"), 20)
    waited = "%.1f s after the kill" % (time.time() - killed_ns / 1e9)
    rows.judge(item + ": the hub reports the death", bool(died), waited if died else "nothing in 20 s", "≤ 20 s", "no process_exit event")
    before = hub.query("SELECT count(*) AS n FROM " + GPU_SPANS)[0]["n"]
    shipped = hub.command("trace", "--hub", hub.address, "--run", run, "--ship-recent")
    print(shipped.stdout)
    if shipped.returncode != 0:
        rows.add(item + ": trace --ship-recent", "exit %d" % shipped.returncode, "exit 0", FAIL, " ".join(shipped.stdout.split())[-200:])
        return
    hub.stop()
    spans = hub.query("SELECT s.step, s.start_ns + s.dur_ns AS end_ns FROM " + GPU_SPANS)
    if not spans:
        rows.add(item + ": spans recovered", "none of %d steps" % steps, "", FAIL, "the recent ring gave nothing")
        return
    newest = max(span["end_ns"] for span in spans)
    gap_ms = (last_ns - newest) / 1e6
    rows.judge(item + ": newest GPU work recovered", gap_ms <= LOST_MS, "ended %.1f ms before the last finished step" % max(gap_ms, 0) if gap_ms > 0
               else "ended with the last finished step or after it", "≤ %d ms before it" % LOST_MS, "%d steps were finished" % steps)
    by_step = {}
    for span in spans:
        if span["step"] is not None:
            by_step[span["step"]] = by_step.get(span["step"], 0) + 1
    kernels = kernels or statistics.mode(by_step.values())
    whole = [step for step in range(2, steps + 1) if by_step.get(step, 0) == kernels]
    rows.judge(item + ": finished steps recovered whole", steps - 1 - len(whole) <= max(1, 0.01 * steps), "%d of %d, %d spans (%d before)" %
               (len(whole), steps - 1, len(spans), before), "≥ 99 % from step 2 on",
               "launches by step: %s" % str(dict(sorted(by_step.items())[-5:])))


def run_probe(arguments, rows):
    with LocalHub(arguments.tools, os.path.join(arguments.work, "probe")) as hub:
        file = os.path.join(hub.folder, "progress")
        environment = hub.trainer_environment("killed", RUNGLASS_TRACE_EVERY=0, RUNGLASS_CUDA_RECENT=60)
        hub.start_trainer("cuda_probe.py", ["until-killed", file, 20, 200], environment)
        judge(rows, "driver probe", hub, "killed", file, 1 if arguments.quick else 5, 20)


def run_torch(arguments, rows):
    with LocalHub(arguments.tools, os.path.join(arguments.work, "torch")) as hub:
        file = os.path.join(hub.folder, "progress")
        environment = hub.trainer_environment("killed", RUNGLASS_TRACE_EVERY=0, RUNGLASS_CUDA_RECENT=60)
        hub.start_trainer("torch_trainer.py", ["until-killed", file], environment)
        judge(rows, "PyTorch", hub, "killed", file, 5, None)


def main():
    arguments, rows = parse_arguments("recent ring after kill -9")
    try:
        run_probe(arguments, rows)
    finally:
        problem = torch_problem()
        if problem:
            rows.skip("PyTorch", problem)
        else:
            run_torch(arguments, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
