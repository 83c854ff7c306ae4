# SPDX-License-Identifier: Apache-2.0
"""The tracer on kernels of known number and length, launched through the driver: needs a GPU, but no PyTorch and no profiler."""
import os
import statistics
import sys

from local_hub import LocalHub, parse_arguments

KERNELS, MICROSECONDS, WARM = 10, 500, 20
NO_CUDA = 77


def main():
    arguments, rows = parse_arguments("driver probe")
    steps = 60 if arguments.quick else 400
    with LocalHub(arguments.tools, os.path.join(arguments.work, "hub")) as hub:
        environment = hub.trainer_environment("probe", RUNGLASS_TRACE_EVERY=2)
        trainer = hub.start_trainer("cuda_probe.py", ["steps", steps, KERNELS, MICROSECONDS], environment)
        if trainer.wait(timeout=60) == NO_CUDA:
            rows.skip("kernels in traced steps", hub.tail(trainer.log))
            return 0
        hub.finish_trainer(trainer, 1)
        hub.wait_for_exits(1)
        hub.stop()
        spans = hub.query("SELECT s.name, s.step, s.dur_ns FROM span s JOIN track t USING (track_id) "
                          "WHERE t.kind = 'gpu_stream' AND s.step > %d" % WARM)
        issues = hub.query("SELECT code, count, detail FROM ingest_issue WHERE code LIKE 'client.%'")
    names = sorted({span["name"] for span in spans})
    per_step = {}
    for span in spans:
        per_step[span["step"]] = per_step.get(span["step"], 0) + 1
    wanted = {step: KERNELS for step in range(WARM + 1, steps + 1) if step % 2 == 0}
    wrong = {step: per_step.get(step, 0) for step in sorted(set(per_step) | set(wanted)) if per_step.get(step, 0) != wanted.get(step, 0)}
    rows.judge("kernels in traced steps", not wrong, "%d of %d, in %d steps" % (len(spans), KERNELS * len(wanted), len(per_step)),
               "all, and none in other steps", "by step: %s" % str(wrong)[:200])
    rows.judge("kernel name", names == ["runglass_spin"], ", ".join(names)[:200], "runglass_spin", "another name")
    if spans:
        durations = sorted(span["dur_ns"] / 1e3 for span in spans)
        median, p99 = statistics.median(durations), durations[int(0.99 * (len(durations) - 1))]
        rows.judge("duration of a kernel of %d µs" % MICROSECONDS, abs(median / MICROSECONDS - 1) <= 0.05,
                   "median %.1f µs, 1 %% above %.1f µs" % (median, p99), "± 5 %", "the median is off")
    rows.judge("data quality", not issues, "%d issues of the client" % len(issues), "none",
               "; ".join("%s × %s: %s" % (issue["code"], issue["count"], issue["detail"]) for issue in issues)[:300])
    return 0


if __name__ == "__main__":
    sys.exit(main())
