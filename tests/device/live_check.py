# SPDX-License-Identifier: Apache-2.0
"""Agent, hub and console on the live GPU: what a user sees while a training runs, and the store afterwards."""
import json
import os
import shutil
import subprocess
import sys
import time

from check_rows import FAIL
from local_hub import LocalHub, parse_arguments, torch_problem, wait_until

NO_CUDA = 77
VIEWS = ("gpus", "timeline", "overview")
MOST_STORE_BYTES = 15 << 20
# A font requested by another name, or without a name, is Noto Sans.
FONTS = """<?xml version="1.0"?>
<fontconfig>
  <dir>%s</dir>
  <cachedir>%s</cachedir>
  <alias><family>monospace</family><prefer><family>JetBrains Mono</family></prefer></alias>
  <match target="pattern"><edit name="family" mode="append_last"><string>Noto Sans</string></edit></match>
</fontconfig>
"""
PNG = b"\x89PNG\r\n\x1a\n"


def judge_command(rows, hub, words, wanted):
    """A command whose output must hold each of `wanted`."""
    found = hub.command(*words)
    print("$ runglassctl " + " ".join(words) + "\n" + found.stdout)
    missing = [word for word in wanted if word and word not in found.stdout]
    reason = "absent: %s" % ", ".join(missing) if missing else " ".join(found.stdout.split())[-200:]
    rows.judge("runglassctl " + words[0], found.returncode == 0 and not missing,
               "exit %d, %d lines" % (found.returncode, len(found.stdout.splitlines())),
               "exit 0" + ("".join(", names " + word for word in wanted)), reason)


def picture_environment(tools, folder):
    """The console brings its own fonts and plugins: the host needs neither Qt nor fontconfig."""
    config = os.path.join(folder, "fonts.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(FONTS % (os.path.join(tools, "share", "fonts"), os.path.join(folder, "font-cache")))
    return dict(os.environ, FONTCONFIG_FILE=config, QT_PLUGIN_PATH=os.path.join(tools, "libexec", "plugins"), XDG_RUNTIME_DIR=folder,
                XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder)


def take_pictures(rows, hub, out):
    console = os.path.join(hub.tools, "bin", "runglass")
    if not os.path.exists(console):
        rows.skip("runglass screenshot", "the console is not in this folder; %s can be opened elsewhere" % os.path.join(out, "gpu_check.rgl"))
        return
    for view in VIEWS:
        path = os.path.join(out, "gpu_check-%s.png" % view)
        command = [console, "screenshot", "--store", hub.store, "--view", view, "--size", "1920x1080", "--out", path]
        found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                               env=picture_environment(hub.tools, hub.folder), cwd=hub.folder, check=False)
        print(found.stdout)
        head = b""
        if os.path.exists(path):
            with open(path, "rb") as file:
                head = file.read(24)
        size = tuple(int.from_bytes(head[at:at + 4], "big") for at in (16, 20)) if head.startswith(PNG) else None
        measured = "%d × %d, %d bytes" % (size + (os.path.getsize(path),)) if size else "no picture"
        rows.judge("runglass screenshot --view " + view, found.returncode == 0 and size == (1920, 1080), measured, "1920 × 1080",
                   " ".join(found.stdout.split())[-200:])


def look_live(rows, hub, out):
    gpus = hub.query("SELECT model FROM device WHERE kind = 'gpu'")
    rows.judge("GPUs in the store", bool(gpus), ", ".join(sorted({gpu["model"] for gpu in gpus})) or "none", "at least one",
               hub.tail(os.path.join(hub.folder, "agent.log")))
    judge_command(rows, hub, ["status", "--store", hub.store], ["live-gpu"])
    judge_command(rows, hub, ["top", "--store", hub.store, "--frames", "1"], [])
    judge_command(rows, hub, ["query", "--store", hub.store, "SELECT device_uuid, metric, sample_count FROM series WHERE device_uuid IS NOT NULL"],
                  ["power_watts"] if gpus else [])
    take_pictures(rows, hub, out)


def look_back(rows, hub, out):
    spans = hub.query("SELECT t.name, count(*) AS n FROM span s JOIN track t USING (track_id) WHERE t.kind = 'gpu_stream' GROUP BY t.name")
    steps = hub.query("SELECT count(*) AS n FROM step")[0]["n"]
    rows.judge("GPU work in the store", bool(spans) and steps > 0,
               "%d spans on %d streams, %d steps" % (sum(row["n"] for row in spans), len(spans), steps), "spans and steps", "nothing arrived")
    judge_command(rows, hub, ["verify", "--store", hub.store], [])
    judge_command(rows, hub, ["analyze", "--store", hub.store], [])
    findings = hub.query("SELECT kind, subject, severity, summary FROM finding")
    critical = [finding for finding in findings if finding["severity"] == "critical"]
    print(json.dumps(findings, indent=1))
    rows.judge("findings of a healthy training", not critical, "%d, of these %d critical" % (len(findings), len(critical)), "none critical",
               "; ".join(finding["summary"] for finding in critical)[:200])
    size = os.path.getsize(hub.store)
    if size <= MOST_STORE_BYTES:
        shutil.copyfile(hub.store, os.path.join(out, "gpu_check.rgl"))
        rows.record("store", "gpu_check.rgl, %.1f MB" % (size / 1e6))
    else:
        rows.record("store", "%.1f MB, not copied" % (size / 1e6))


def main():
    arguments, rows = parse_arguments("live")
    seconds = 6 if arguments.quick else 25
    with LocalHub(arguments.tools, os.path.join(arguments.work, "hub")) as hub:
        environment = hub.trainer_environment("live-gpu", RUNGLASS_TRACE_EVERY=20)
        if torch_problem():
            trainer = hub.start_trainer("cuda_probe.py", ["seconds", seconds, 10, 500], environment)
        else:
            trainer = hub.start_trainer("torch_trainer.py", ["live", seconds], environment)
        if not wait_until(lambda: hub.query("SELECT 1 FROM step LIMIT 1") or trainer.poll() is not None, 60):
            rows.add("steps in the store", "none after 60 s", "some", FAIL, hub.tail(trainer.log))
            return 0
        if trainer.poll() == NO_CUDA:
            rows.skip("training", hub.tail(trainer.log))
            return 0
        time.sleep(seconds / 4)
        look_live(rows, hub, arguments.out)
        hub.finish_trainer(trainer, seconds + 60)
        hub.wait_for_exits(1)
        hub.stop()
        look_back(rows, hub, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
