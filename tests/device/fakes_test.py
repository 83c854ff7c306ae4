# SPDX-License-Identifier: Apache-2.0
"""The GPU check where no GPU is: fakes_test.py CASE --kit FOLDER --fakes DIR --nvml FILE --console 0|1

NVML, the CUDA driver and nvidia-smi are stand-ins that agree with each other; PyTorch is the host's, if any, and has no CUDA device.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "packaging"))
sys.dont_write_bytecode = True
from checks import end, expect, same  # noqa: E402

given = None


class Host:
    """A machine whose driver is a stand-in."""

    def __init__(self, work, nvml_state="", **environment):
        tools, libraries = os.path.join(work, "bin"), os.path.join(work, "lib")
        os.makedirs(tools)
        os.makedirs(libraries)
        shutil.copy(os.path.join(HERE, "fake_nvidia_smi.py"), os.path.join(tools, "nvidia-smi"))
        os.chmod(os.path.join(tools, "nvidia-smi"), 0o755)
        shutil.copy(given.nvml, os.path.join(libraries, "libnvidia-ml.so.1"))
        state = os.path.join(work, "nvml")
        with open(state, "w", encoding="utf-8") as file:
            file.write(nvml_state)
        self.out = os.path.join(work, "out")
        self.environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"], LD_LIBRARY_PATH=given.fakes + os.pathsep + libraries,
                                FAKE_NVML=state, PYTHON=sys.executable, **environment)
        self.environment.pop("DISPLAY", None)

    def check(self, *options):
        """-> (exit status, {row: (measured, result)}, output)"""
        found = subprocess.run([os.path.join(given.kit, "run.sh"), "--quick", "--out", self.out, *options], env=self.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=280)
        rows = {}
        table = os.path.join(self.out, "gpu_check.md")
        if os.path.exists(table):
            with open(table, encoding="utf-8") as file:
                for line in file:
                    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
                    if line.startswith("| ") and len(cells) == 4:
                        rows[cells[0]] = (cells[1], cells[3])
        return found.returncode, rows, found.stdout


def expect_result(rows, name, result, reason=""):
    found = rows.get(name, ("", "no such row"))
    expect(found[1].split(":")[0] == result and reason in found[1], "%s: %s (%s), wanted %s %s" % (name, found[1], found[0], result, reason))


def case_healthy():
    with tempfile.TemporaryDirectory() as work:
        host = Host(work)
        status, rows, said = host.check()
        for name in ("uuid", "name", "index", "driver_version", "power.draw", "clocks.sm", "clocks.mem", "clocks_throttle_reasons.active", "utilization.gpu",
                     "utilization.memory", "temperature.gpu", "temperature.memory", "memory.used", "memory.total", "enforced.power.limit",
                     "ecc.errors.corrected.aggregate.total", "ecc.errors.uncorrected.aggregate.total", "compute-apps used_memory"):
            expect_result(rows, "nvml: " + name, "pass")
        expect_result(rows, "nvml: clocks.max.sm", "skipped", "not supported by this GPU")
        expect_result(rows, "nvml: pcie.link.gen.gpucurrent", "no such row")
        for name in ("kernels in traced steps", "kernel name", "duration of a kernel of 500 µs", "data quality"):
            expect_result(rows, "driver probe: " + name, "pass")
        recent = "recent ring after kill -9: "
        for name in ("the hub reports the death", "newest GPU work recovered", "finished steps recovered whole"):
            expect_result(rows, recent + "driver probe: " + name, "pass")
        for name in ("GPUs in the store", "runglassctl status", "runglassctl top", "runglassctl query", "runglassctl verify",
                     "runglassctl analyze", "GPU work in the store"):
            expect_result(rows, "live: " + name, "pass")
        # Checks that need PyTorch on a GPU: the reason is printed, with or without PyTorch.
        for name in ("nvml: under load", "tracer against torch.profiler: all of it", recent + "PyTorch", "overhead: transformer step",
                     "overhead: launch-bound step"):
            found = rows.get(name, ("", "no such row"))[1]
            expect(found.startswith("skipped: ") and ("no CUDA device" in found or "cannot be imported" in found), "%s: %s" % (name, found))
        files = sorted(os.listdir(host.out))
        if given.console == "1":
            for view in ("gpus", "timeline", "overview"):
                expect_result(rows, "live: runglass screenshot --view " + view, "pass")
                expect("gpu_check-%s.png" % view in files, "no picture of " + view)
        for name in ("gpu_check.md", "gpu_check.rgl", "gpu_check_logs.tar.gz"):
            expect(name in files, "%s is not in %s" % (name, files))
        expect(len(files) <= 8, "too many files: %s" % files)
        failed = {name: row for name, row in rows.items() if row[1].startswith("FAIL")}
        same((status, failed), (0, {}), "exit status and failed rows\n" + said)


def case_wrong_value():
    with tempfile.TemporaryDirectory() as work:
        status, rows, said = Host(work, nvml_state="milliwatts 500000\n").check("--only", "nvml")
        expect_result(rows, "nvml: power.draw", "FAIL", "the agent's last sample: 500")
        expect_result(rows, "nvml: temperature.gpu", "pass")
        same([name for name, row in rows.items() if row[1].startswith("FAIL")], ["nvml: power.draw"], "failed rows")
        same(status, 1, said + "\nexit status")


def case_broken_tool():
    """A check that cannot run to its end hides no other."""
    with tempfile.TemporaryDirectory() as work:
        status, rows, said = Host(work, FAKE_SMI="broken").check("--only", "nvml,probe")
        expect_result(rows, "nvml: the check itself", "FAIL", "couldn't communicate with the NVIDIA driver")
        expect_result(rows, "driver probe: kernels in traced steps", "pass")
        same(status, 1, said + "\nexit status")


def with_torch(work, **environment):
    return Host(work, PYTHONPATH=os.path.join(HERE, "fake_torch"), **environment)


def case_torch():
    """The parts under PyTorch, on a stand-in for it. Durations of a machine that is busy with other tests are not judged, but for medians."""
    with tempfile.TemporaryDirectory() as work:
        host = with_torch(work)
        status, rows, said = host.check("--only", "tracer,recent,live,overhead")
        for name in ("kernels that PyTorch launches", "their duration, 20 µs and more", "copies and their bytes", "NCCL calls",
                     "exact mode: kernels, copies, memsets", "exact mode: nothing twice"):
            expect_result(rows, "tracer against torch.profiler: " + name, "pass")
        for name in ("time in matrix products", "time in NCCL"):
            found = rows.get("tracer against torch.profiler: " + name, ("none", ""))
            expect("× the profiler's (" in found[0], "%s: %s" % (name, found))
        for name in ("the hub reports the death", "newest GPU work recovered", "finished steps recovered whole"):
            expect_result(rows, "recent ring after kill -9: PyTorch: " + name, "pass")
        expect_result(rows, "live: GPU work in the store", "pass")
        for workload in ("transformer step", "launch-bound step"):
            for mode in ("step calls", "always-on tracer", "always-on tracer with its traced steps", "traced step", "exact mode", "after exact mode"):
                found = rows.get("overhead: %s, %s" % (workload, mode), ("", "no such row"))
                expect("middle half" in found[0] + found[1], "%s, %s: %s" % (workload, mode, found))
        expect("the check itself" not in said, said)
        same(status, 1 if any(row[1].startswith("FAIL") for row in rows.values()) else 0, said + "\nexit status")


def case_torch_differs():
    with tempfile.TemporaryDirectory() as work:
        status, rows, said = with_torch(work, FAKE_PROFILER="misses_one").check("--only", "tracer")
        for name in ("kernels that PyTorch launches", "exact mode: kernels, copies, memsets"):
            expect_result(rows, "tracer against torch.profiler: " + name, "FAIL", "1 names differ")
        expect_result(rows, "tracer against torch.profiler: NCCL calls", "pass")
        same(status, 1, said + "\nexit status")


LATE = """import json, subprocess, sys
rows = sys.argv[sys.argv.index("--rows") + 1]
child = subprocess.Popen(["sleep", "1000"])
with open(rows, "w") as file:
    file.write(json.dumps({"check": "late", "item": "first", "measured": str(child.pid), "goal": "", "result": "pass", "reason": ""}) + "\\n")
    file.write('{"check": "late", "item": "cut o')
child.wait()
"""


def case_late_check():
    """A check that hangs is ended with all that it started; what it had measured stands."""
    sys.path.insert(0, HERE)
    import check_rows
    import gpu_check
    with tempfile.TemporaryDirectory() as work:
        script, rows_path = os.path.join(work, "late_check.py"), os.path.join(work, "rows")
        with open(script, "w", encoding="utf-8") as file:
            file.write(LATE)
        arguments = argparse.Namespace(tools=work, out=work, quick=True)
        ended = gpu_check.run_check("late", script, 3, arguments, work, rows_path)
        rows = check_rows.read_rows(rows_path)
        same([row["item"] for row in rows], ["first"], "rows of the check")
        same([(row["result"], row["measured"]) for row in ended], [("FAIL", "not done within 3 s")], "the row of its end")
        child = "/proc/%s/stat" % rows[0]["measured"] if rows else "/proc/self/stat"
        until = time.monotonic() + 10
        while alive(child) and time.monotonic() < until:
            time.sleep(0.05)
        expect(not alive(child), "what the check started is still there")


def alive(stat):
    try:
        with open(stat, encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def main():
    global given
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("--kit", required=True)
    parser.add_argument("--fakes", required=True)
    parser.add_argument("--nvml", required=True)
    parser.add_argument("--console", default="0")
    given = parser.parse_args()
    globals()["case_" + given.case]()
    end()


if __name__ == "__main__":
    main()
