# SPDX-License-Identifier: Apache-2.0
"""The agent's NVML source against nvidia-smi, field by field: each reading of nvidia-smi is compared with the agent's samples of the same moment.

Invariants:
 1. nvidia-smi reads at some time between its start and its end, and the agent at a fixed period: a reading agrees when it lies between the
    smallest and the largest sample of that time, widened by the slack of the field's period and by the field's tolerance.
 2. A reading without a sample near it is not compared. A field that one side reports and the other does not is a failure.
"""
import collections
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

from check_rows import FAIL
from local_hub import LocalHub, cpu_seconds, parse_arguments, torch_problem, wait_until

# period of the source, seconds -> maximum distance of a sample from nvidia-smi's call
SLACK = {0.1: 0.35, 1: 1.35, 10: 2.0}
LEAST_AGREEING = 0.9
ABSENT = re.compile(r"^\[?(N/A|Not Supported|Unknown Error|Not Available|GPU .*|ERR!?|Insufficient Permissions|No data)\]?$", re.I)

# names: those of nvidia-smi, the newest first. factor: from its unit to the metric's. tolerance: in nvidia-smi's unit.
Field = collections.namedtuple("Field", "names metric factor tolerance relative unit period")
FIELDS = (
    Field(("power.draw",), "power_watts", 1, 3, 0.03, "W", 0.1),
    Field(("clocks.sm",), "sm_clock_hertz", 1e6, 15, 0, "MHz", 0.1),
    Field(("clocks.mem",), "memory_clock_hertz", 1e6, 1, 0, "MHz", 0.1),
    Field(("clocks_event_reasons.active", "clocks_throttle_reasons.active"), "clock_event_reasons", 1, 0, 0, "", 0.1),
    Field(("utilization.gpu",), "gpu_busy_ratio", 0.01, 5, 0, "%", 0.1),
    Field(("utilization.memory",), "gpu_memory_busy_ratio", 0.01, 5, 0, "%", 0.1),
    Field(("temperature.gpu",), "temperature_celsius", 1, 1, 0, "°C", 1),
    Field(("temperature.memory",), "memory_temperature_celsius", 1, 1, 0, "°C", 1),
    Field(("memory.used",), "gpu_memory_used_bytes", 1 << 20, 32, 0.01, "MiB", 1),
    Field(("memory.total",), "gpu_memory_total_bytes", 1 << 20, 1, 0, "MiB", 1),
    Field(("enforced.power.limit",), "power_limit_watts", 1, 0.01, 0, "W", 1),
    Field(("clocks.max.sm",), "sm_clock_max_hertz", 1e6, 0, 0, "MHz", 1),
    Field(("ecc.errors.corrected.aggregate.total",), "ecc_corrected_total", 1, 0, 0, "", 10),
    Field(("ecc.errors.uncorrected.aggregate.total",), "ecc_uncorrected_total", 1, 0, 0, "", 10),
    Field(("pcie.link.gen.gpucurrent", "pcie.link.gen.current"), "pcie_link_generation", 1, 0, 0, "", 10),
    Field(("pcie.link.width.current",), "pcie_link_width", 1, 0, 0, "", 10),
)
REMAPPED = (
    Field(("remapped_rows.correctable",), "remapped_rows_corrected_total", 1, 0, 0, "", 10),
    Field(("remapped_rows.uncorrectable",), "remapped_rows_uncorrected_total", 1, 0, 0, "", 10),
    Field(("remapped_rows.pending",), "row_remap_pending_count", 1, 0, 0, "", 10),
    Field(("remapped_rows.failure",), "row_remap_failed_count", 1, 0, 0, "", 10),
)
# nvidia-smi's name -> the name in the device's row or its facts
FACTS = (
    ("name", lambda device, facts: device["model"]),
    ("index", lambda device, facts: str(device["device_index"])),
    ("pci.bus_id", lambda device, facts: facts.get("pci")),
    ("driver_version", lambda device, facts: facts.get("driver")),
    ("ecc.mode.current", lambda device, facts: {True: "Enabled", False: "Disabled"}.get(facts.get("ecc"))),
    ("mig.mode.current", lambda device, facts: {True: "Enabled", False: "Disabled"}.get(facts.get("mig"))),
    ("compute_mode", lambda device, facts: {0: "Default", 2: "Prohibited", 3: "Exclusive_Process"}.get(facts.get("compute_mode"))),
)


class Smi:
    """nvidia-smi, and which fields this version of it knows."""

    def __init__(self, program):
        self.program = program

    def call(self, *arguments):
        return subprocess.run((self.program,) + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20, check=False)

    def table(self, query, names):
        """{uuid: {name: text}}; the first name is the uuid's. ValueError(field) where nvidia-smi does not know one."""
        found = self.call("--query-%s=%s" % (query, ",".join(names)), "--format=csv,noheader,nounits")
        unknown = re.search(r'Field "([^"]+)" is not a valid field', found.stdout)
        if unknown:
            raise ValueError(unknown.group(1))
        if found.returncode != 0:
            raise RuntimeError("nvidia-smi --query-%s: exit %d: %s" % (query, found.returncode, " ".join(found.stdout.split())[:200]))
        lines = [[cell.strip() for cell in line.split(",")] for line in found.stdout.splitlines() if line.strip()]
        return [dict(zip(names, line)) for line in lines if len(line) == len(names)]

    def known(self, query, first, wanted):
        """Of each tuple of names the first that this nvidia-smi knows, or None."""
        chosen = {names: 0 for names in wanted}
        while True:
            now = {names: names[at] for names, at in chosen.items() if at < len(names)}
            try:
                self.table(query, [first] + list(now.values()))
                return now
            except ValueError as error:
                refused = [names for names, name in now.items() if name == str(error)]
                if not refused:
                    raise RuntimeError("nvidia-smi refuses the field %s" % error) from error
                for names in refused:
                    chosen[names] += 1


def number(text):
    """None where nvidia-smi reports no value."""
    if text is None or ABSENT.match(text):
        return None
    if text in ("Yes", "No"):
        return 1.0 if text == "Yes" else 0.0
    try:
        return float(int(text, 16)) if text.startswith("0x") else float(text)
    except ValueError:
        return None


class Load:
    """Work on the GPU while nvidia-smi and the agent look, where PyTorch can make some."""

    def __init__(self, hub, possible, seconds):
        self.process = hub.start_trainer("torch_trainer.py", ["load", seconds], hub.trainer_environment("load", tracer=False)) if possible else None

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        if self.process is not None:
            self.process.wait()


def read_for(smi, names, seconds, readings):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begin = time.time()
        table = smi.table("gpu", ["uuid"] + names)
        readings.append((begin, time.time(), {row["uuid"]: row for row in table}))
        time.sleep(0.15)


def compare(field, name, readings, samples):
    """-> (compared, agreeing, distances, readings with a value)"""
    compared, agreeing, distances, valued = 0, 0, [], 0
    for begin, end, table in readings:
        for uuid, row in table.items():
            value = number(row.get(name))
            if value is None:
                continue
            valued += 1
            slack = SLACK[field.period]
            near = [at / field.factor for when, at in samples.get((uuid, field.metric), ()) if begin - slack <= when <= end + slack]
            if not near:
                continue
            compared += 1
            tolerance = max(field.tolerance, field.relative * abs(value)) + 1e-9
            if field.metric == "clock_event_reasons":
                agreeing += value in near
                distances.append(0 if value in near else 1)
            else:
                agreeing += min(near) - tolerance <= value <= max(near) + tolerance
                distances.append(min(abs(value - at) for at in near))
    return compared, agreeing, distances, valued


def goal_of(field):
    parts = ["± %g %s" % (field.tolerance, field.unit)] if field.tolerance else ["equal"]
    if field.relative:
        parts.append("or %g %%" % (100 * field.relative))
    return " ".join(parts).strip()


def judge_field(rows, field, name, readings, samples):
    item = name or field.names[0]
    recorded = [value for (_, metric), points in samples.items() if metric == field.metric for _, value in points]
    if name is None:
        rows.skip(item, "this nvidia-smi has no such field", goal_of(field))
        return
    compared, agreeing, distances, valued = compare(field, name, readings, samples)
    if not valued and not recorded:
        rows.skip(item, "not supported by this GPU: nvidia-smi reports none, the agent recorded none", goal_of(field))
    elif not valued or not recorded:
        rows.add(item, "nvidia-smi: %d readings; agent: %d samples" % (valued, len(recorded)), goal_of(field), FAIL,
                 "recorded by the agent only" if recorded else "the agent recorded none")
    elif not compared:
        rows.skip(item, "no sample of the agent within %g s of any reading" % SLACK[field.period], goal_of(field))
    else:
        last = [number(row.get(name)) for row in readings[-1][2].values()]
        texts = ", ".join("[none]" if value is None else "%g" % value for value in last[:8])
        measured = "%d of %d readings agree, median distance %g %s (last: %s)" % (agreeing, compared, statistics.median(distances), field.unit, texts)
        rows.judge(item, agreeing >= LEAST_AGREEING * compared, measured.replace("  ", " "), goal_of(field),
                   "the agent's last sample: %g" % (recorded[-1] / field.factor))


def same_fact(ours, theirs):
    if ours is None or theirs is None:
        return ours == theirs
    # The PCI domain has four or eight digits, depending on the version.
    return ours.lower().lstrip("0") == theirs.lower().lstrip("0")


def judge_facts(rows, smi, hub):
    devices = {device["device_uuid"]: device for device in hub.query("SELECT * FROM device WHERE kind = 'gpu'")}
    facts = {event["device_uuid"]: json.loads(event["message"])
             for event in hub.query("SELECT device_uuid, message FROM event WHERE kind = 'device_facts'")}
    known = smi.known("gpu", "uuid", [(name,) for name, _ in FACTS])
    table = {row["uuid"]: row for row in smi.table("gpu", ["uuid"] + list(known.values()))}
    rows.judge("uuid", set(table) == set(devices), "%d GPUs: %s" % (len(table), ", ".join(sorted(table))), "the same GPUs",
               "agent: " + ", ".join(sorted(devices)))
    for name, of_device in FACTS:
        if (name,) not in known:
            rows.skip(name, "this nvidia-smi has no such field", "equal")
            continue
        wrong, seen = [], set()
        for uuid in sorted(set(table) & set(devices)):
            theirs = None if ABSENT.match(table[uuid][name]) else table[uuid][name]
            ours = of_device(devices[uuid], facts.get(uuid, {}))
            seen.add(theirs or "none")
            if not same_fact(ours, theirs):
                wrong.append("%s: nvidia-smi %s, agent %s" % (uuid, theirs, ours))
        if seen == {"none"} and not wrong:
            rows.skip(name, "not supported by this GPU", "equal")
        else:
            rows.judge(name, not wrong, ", ".join(sorted(seen)), "equal", "; ".join(wrong))


def judge_processes(rows, smi, hub):
    """Memory of processes, by pid, as nvidia-smi listed them during the load."""
    series = hub.query("SELECT s.labels, x.value FROM series s, sample(s.series_id) x WHERE s.metric = 'gpu_process_memory_bytes'")
    ours = collections.defaultdict(list)
    for point in series:
        ours[json.loads(point["labels"])["pid"]].append(point["value"] / (1 << 20))
    wrong, compared = [], 0
    for pid, value in smi:
        if number(value) is None or pid not in ours:
            continue
        compared += 1
        tolerance = max(32, 0.02 * number(value))
        if not min(ours[pid]) - tolerance <= number(value) <= max(ours[pid]) + tolerance:
            wrong.append("pid %s: nvidia-smi %s MiB, agent %g MiB" % (pid, value, ours[pid][-1]))
    goal = "± 32 MiB or 2 %"
    if not compared:
        rows.skip("compute-apps used_memory", "no process that both list with its memory (nvidia-smi: %d, agent: %d)" % (len(smi), len(ours)), goal)
    else:
        rows.judge("compute-apps used_memory", not wrong, "%d readings compared" % compared, goal, "; ".join(wrong[:3]))


def process_readings(smi):
    try:
        return [(row["pid"], row["used_gpu_memory"]) for row in smi.table("compute-apps", ["pid", "used_gpu_memory"])]
    except (ValueError, RuntimeError):
        return []


def judge_source(rows, samples, cpu, seconds):
    gaps = []
    for (_, metric), points in samples.items():
        if metric == "power_watts":
            times = [when for when, _ in points]
            gaps += [later - before for before, later in zip(times, times[1:])]
    if gaps:
        gaps.sort()
        measured = "median %.1f ms, 99 %% within %.1f ms" % (1e3 * statistics.median(gaps), 1e3 * gaps[int(0.99 * (len(gaps) - 1))])
        rows.judge("sampling period", statistics.median(gaps) <= 0.11, measured, "100 ms ± 10 %", "the source is slower than fast_ms = 100")
    else:
        rows.skip("sampling period", "no samples of power", "100 ms ± 10 %")
    rows.record("CPU time of the agent", "%.2f %% of one core over %.0f s" % (100 * cpu / seconds, seconds))
    rows.record("metrics recorded", "%d of NVML" % len({metric for _, metric in samples}))
    print("metrics: " + ", ".join(sorted({metric for _, metric in samples})))


def main():
    arguments, rows = parse_arguments("nvml")
    program = shutil.which("nvidia-smi")
    if program is None:
        rows.skip("all fields", "nvidia-smi is not in PATH")
        return 0
    smi = Smi(program)
    known = smi.known("gpu", "uuid", [field.names for field in FIELDS])
    problem = torch_problem()
    idle, busy = (1, 2) if arguments.quick else (3, 14)
    readings, apps = [], []
    with LocalHub(arguments.tools, os.path.join(arguments.work, "hub")) as hub:
        if not wait_until(lambda: hub.query("SELECT 1 FROM device WHERE kind = 'gpu' LIMIT 1"), 15, every=0.5):
            rows.add("GPUs", "none in the store after 15 s", "as nvidia-smi", FAIL, hub.tail(os.path.join(hub.folder, "agent.log")))
            return 0
        began, cpu = time.monotonic(), cpu_seconds(hub.agent.pid)
        read_for(smi, list(known.values()), idle, readings)
        load = Load(hub, problem is None, busy)
        for _ in range(2):
            read_for(smi, list(known.values()), busy / 2, readings)
            apps += process_readings(smi)
        load.end()
        read_for(smi, list(known.values()), idle, readings)
        seconds, cpu = time.monotonic() - began, cpu_seconds(hub.agent.pid) - cpu
        hub.stop()
        samples = collections.defaultdict(list)
        for point in hub.query("SELECT s.device_uuid, s.metric, x.time_ns, x.value FROM series s, sample(s.series_id) x "
                               "WHERE s.device_uuid IS NOT NULL AND s.labels IS NULL ORDER BY x.time_ns"):
            samples[(point["device_uuid"], point["metric"])].append((point["time_ns"] / 1e9, point["value"]))
        judge_facts(rows, smi, hub)
        for field in FIELDS:
            judge_field(rows, field, known.get(field.names), readings, samples)
        judge_remapped(rows, smi, samples)
        judge_processes(rows, apps, hub)
        judge_source(rows, samples, cpu, seconds)
        if problem:
            rows.skip("under load", "the GPU was idle while it was read: " + problem)
    return 0


def judge_remapped(rows, smi, samples):
    """These change at a reset only, so that the last sample is of the same moment."""
    try:
        known = smi.known("remapped-rows", "gpu_uuid", [field.names for field in REMAPPED])
        table = smi.table("remapped-rows", ["gpu_uuid"] + list(known.values()))
    except RuntimeError as error:
        known, table = {}, []
        print(error)
    for field in REMAPPED:
        of_field = {key: points for key, points in samples.items() if key[1] == field.metric}
        last = max((points[-1][0] for points in of_field.values()), default=0)
        judge_field(rows, field, known.get(field.names), [(last, last, {row["gpu_uuid"]: row for row in table})], of_field)


if __name__ == "__main__":
    sys.exit(main())
