# SPDX-License-Identifier: Apache-2.0
"""The tracer against torch.profiler on the same ten steps of a transformer, with one process per GPU: what the store holds of rank 0.

The tracer's events and the profiler run at once. Exact mode runs in a process of its own, on the same steps: two profilers cannot have CUPTI at
once.
"""
import collections
import json
import os
import re
import statistics
import subprocess
import sys

from check_rows import FAIL
from local_hub import LocalHub, parse_arguments, torch_problem

LONG_NS, TOLERANCE, MAX_WORLD = 20_000, 0.05, 8
FIRST, PROFILED = 1000, 10
# Kernels of cuBLAS and cuBLASLt: the tracer records the call as one product, and does not see their launches.
PRODUCT = re.compile(r"gemm|nvjet|cutlass|xmma|splitKreduce|cublasLt|gemv", re.I)
COLLECTIVE = re.compile(r"^nccl(Dev)?Kernel", re.I)
COPY_NAME = re.compile(r"Memcpy (\w+to\w+|\w+)", re.I)


def run(hub, mode, world, out, every, seconds):
    ranks = []
    for rank in range(world):
        environment = hub.trainer_environment(mode, RUNGLASS_TRACE_EVERY=every, RANK=rank, LOCAL_RANK=rank, WORLD_SIZE=world,
                                              MASTER_ADDR="127.0.0.1", MASTER_PORT=20000 + os.getpid() % 20000)
        ranks.append(hub.start_trainer("torch_trainer.py", [mode, out], environment))
    for process in ranks:
        hub.finish_trainer(process, seconds)
    hub.wait_for_exits(world)
    hub.stop()
    spans = hub.query("SELECT s.name, s.category, s.step, s.dur_ns, s.bytes, s.args FROM span s JOIN track t USING (track_id) "
                      "WHERE t.kind = 'gpu_stream' AND t.rank = 0 AND s.step BETWEEN %d AND %d" % (FIRST, FIRST + PROFILED - 1))
    for issue in hub.query("SELECT code, count, detail FROM ingest_issue"):
        print("issue %(code)s x %(count)s: %(detail)s" % issue)
    with open(out, encoding="utf-8") as file:
        return spans, json.load(file), hub.query("SELECT code, detail FROM ingest_issue WHERE code LIKE 'client.gpu_exact%'")


def is_call(span):
    """One span for a call of a library: a product, a collective, a launch of a graph."""
    return span["name"].startswith(("cublas", "nccl")) or span["name"].endswith("GraphLaunch")


def sums(rows, item, ours, theirs, what):
    if not ours or not theirs:
        rows.judge(item, not ours and not theirs, "tracer %d, profiler %d" % (len(ours), len(theirs)), "the same", "one of the two saw none")
        return
    ratio = sum(ours) / sum(theirs)
    rows.judge(item, abs(ratio - 1) <= TOLERANCE, "%.3f × the profiler's (%d calls; %d %s)" % (ratio, len(ours), len(theirs), what), "± 5 %", "")


def judge_medians(rows, item, pairs):
    """pairs: (name, our durations, theirs)"""
    ratios = [(statistics.median(ours) / statistics.median(theirs), name) for name, ours, theirs in pairs
              if ours and theirs and statistics.median(theirs) >= LONG_NS]
    if not ratios:
        rows.skip(item, "no kernel of 20 µs or more", "± 5 %")
        return
    worst, name = max(ratios, key=lambda pair: abs(pair[0] - 1))
    middle = statistics.median(ratio for ratio, _ in ratios)
    rows.judge(item, abs(worst - 1) <= TOLERANCE, "median ratio %.3f of %d names, worst %.3f" % (middle, len(ratios), worst), "± 5 %", name[:80])


def judge_counts(rows, item, ours, theirs):
    """ours, theirs: {name: durations}"""
    wrong = ["%d / %d %s" % (len(ours.get(name, ())), len(theirs.get(name, ())), name[:60]) for name in sorted(set(ours) | set(theirs))
             if len(ours.get(name, ())) != len(theirs.get(name, ()))]
    for line in wrong:
        print("count differs, tracer / profiler: " + line)
    total = sum(map(len, ours.values()))
    rows.judge(item, total > 0 and not wrong, "%d of %d in %d names" % (total, sum(map(len, theirs.values())), len(ours)), "equal by name",
               "%d names differ, as %s" % (len(wrong), "; ".join(wrong[:2])) if wrong else "none")


def copies(pairs):
    """{kind: (count, bytes)}"""
    found = collections.defaultdict(lambda: [0, 0])
    for name, size in pairs:
        kind = COPY_NAME.search(name)
        found[kind.group(1) if kind else name][0] += 1
        found[kind.group(1) if kind else name][1] += size or 0
    return dict(found)


def judge_always(rows, spans, profile, world):
    theirs = collections.defaultdict(list)
    for event in profile["events"]:
        if event["cat"] == "kernel":
            theirs[event["name"][:1023]].append(event["dur_ns"])
    direct, products, collectives = collections.defaultdict(list), [], []
    for span in spans:
        if span["name"].startswith("cublas"):
            products.append(span["dur_ns"])
        elif span["category"] == "comm":
            collectives.append(span["dur_ns"])
        elif span["category"] == "compute" and not is_call(span):
            direct[span["name"]].append(span["dur_ns"])
    judge_counts(rows, "kernels that PyTorch launches", direct, {name: theirs.get(name, []) for name in direct})
    judge_medians(rows, "their duration, 20 µs and more", [(name, direct[name], theirs.get(name, [])) for name in direct])
    left = {name: durations for name, durations in theirs.items() if name not in direct}
    of_products = [d for name, durations in left.items() if PRODUCT.search(name) for d in durations]
    of_collectives = [d for name, durations in left.items() if COLLECTIVE.search(name) for d in durations]
    if "libcublas" in profile["mapped"] or "libcublasLt" in profile["mapped"]:
        sums(rows, "time in matrix products", products, of_products, "kernels")
    else:
        rows.skip("time in matrix products", "cuBLAS is linked into this PyTorch", "± 5 %")
    judge_collectives(rows, collectives, of_collectives, profile, world)
    ours_copied = copies((span["name"], span["bytes"]) for span in spans if span["category"] == "memcpy")
    theirs_copied = copies((event["name"], event["bytes"]) for event in profile["events"] if event["cat"] == "gpu_memcpy")
    rows.judge("copies and their bytes", ours_copied == theirs_copied and bool(ours_copied),
               ", ".join("%d %s of %d bytes" % (n, kind, size) for kind, (n, size) in sorted(ours_copied.items())) or "none", "equal by direction",
               "profiler: %s" % theirs_copied)
    unseen = {name: d for name, d in left.items() if not PRODUCT.search(name) and not COLLECTIVE.search(name)}
    share = sum(map(sum, unseen.values())) / max(sum(map(sum, theirs.values())), 1)
    for name, durations in sorted(unseen.items()):
        print("only in the profiler: %d x %s" % (len(durations), name))
    named = " (%s)" % min(unseen)[:40] if unseen else ""
    rows.record("GPU time that only the profiler saw", "%.1f %% in %d names%s" % (100 * share, len(unseen), named))


def judge_collectives(rows, ours, theirs, profile, world):
    if profile["calls"] is None or "libnccl" not in profile["mapped"]:
        rows.skip("NCCL calls", "this PyTorch has no NCCL of its own library", "equal")
        return
    made = profile["calls"]["all_reduce"]
    rows.judge("NCCL calls", len(ours) == made, "%d of %d, world size %d" % (len(ours), made, world), "all", "")
    if not theirs:
        rows.skip("time in NCCL", "NCCL launches no kernel for world size %d" % world, "± 5 %")
    else:
        sums(rows, "time in NCCL", ours, theirs, "kernels")


def judge_exact(rows, spans, profile, issues):
    mine, theirs, twice = collections.defaultdict(list), collections.defaultdict(list), 0
    for span in spans:
        if json.loads(span["args"] or "{}").get("exact", False):
            mine[span["name"] if span["category"] in ("compute", "comm") else span["category"]].append(span["dur_ns"])
        elif not is_call(span):
            twice += 1
    if not mine and issues:
        rows.add("exact mode: on", "refused", "on", FAIL, "; ".join("%s: %s" % (issue["code"], issue["detail"]) for issue in issues)[:200])
        return
    kinds = {"gpu_memcpy": "memcpy", "gpu_memset": "memset"}
    for event in profile["events"]:
        theirs[kinds.get(event["cat"], event["name"][:1023])].append(event["dur_ns"])
    judge_counts(rows, "exact mode: kernels, copies, memsets", mine, theirs)
    judge_medians(rows, "exact mode: duration, 20 µs and more", [(name, mine[name], theirs.get(name, [])) for name in mine])
    rows.judge("exact mode: nothing twice", twice == 0, "%d spans by events of what CUPTI reports" % twice, "0", "")


def main():
    arguments, rows = parse_arguments("tracer against torch.profiler")
    problem = torch_problem()
    if problem:
        rows.skip("all of it", problem)
        return 0
    count = "import torch; print(torch.cuda.device_count())"
    found = subprocess.run([sys.executable, "-c", count], stdout=subprocess.PIPE, text=True, check=True, timeout=90)
    world = min(int(found.stdout.split()[-1]), MAX_WORLD)
    profile = None
    with LocalHub(arguments.tools, os.path.join(arguments.work, "profile")) as hub:
        spans, profile, _ = run(hub, "profile", world, os.path.join(arguments.work, "profile.json"), 1, 100)
        print("libraries of their own: " + ", ".join(profile["mapped"]))
        judge_always(rows, spans, profile, world)
    with LocalHub(arguments.tools, os.path.join(arguments.work, "exact")) as hub:
        spans, _, issues = run(hub, "exact", world, os.path.join(arguments.work, "exact.json"), 0, 100)
        judge_exact(rows, spans, profile, issues)
    return 0


if __name__ == "__main__":
    sys.exit(main())
