# SPDX-License-Identifier: Apache-2.0
"""A hub and an agent of the relocatable folder on 127.0.0.1, for one check."""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from check_rows import Rows

HERE = os.path.dirname(os.path.abspath(__file__))
ROOM_FOR_RINGS = 1 << 30  # minimum space of the folder of rings: containers often have a /dev/shm of 64 MiB


def parse_arguments(check):
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="the relocatable folder")
    parser.add_argument("--work", required=True, help="an existing folder for this check's files")
    parser.add_argument("--rows", required=True, help="rows are appended to this file")
    parser.add_argument("--out", required=True, help="folder for files that the user keeps")
    parser.add_argument("--seconds", type=float, default=0, help="time that the check may take; 0: its own choice")
    parser.add_argument("--quick", action="store_true", help="short phases, to test the check itself")
    arguments = parser.parse_args()
    return arguments, Rows(arguments.rows, check)


def wait_until(condition, seconds, every=0.1):
    """The first true answer of `condition`, or its last one at the timeout."""
    until = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer or time.monotonic() > until:
            return answer
        time.sleep(every)


def room_for_rings(folder):
    for place in ("/dev/shm", folder):
        try:
            room = os.statvfs(place)
            if room.f_bavail * room.f_frsize >= ROOM_FOR_RINGS or place == folder:
                # Named after the check's process: gpu_check.py removes the folder of a check that it had to end.
                return tempfile.mkdtemp(prefix="runglass-check-%d-" % os.getpid(), dir=place)
        except OSError:
            continue
    return folder


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def torch_problem():
    """Why the parts that need PyTorch on a GPU cannot run; None: they can. Asked in a process of its own: PyTorch makes a context."""
    code = "import torch; print('cuda' if torch.cuda.is_available() else 'no CUDA device for PyTorch %s' % torch.__version__)"
    try:
        found = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=90, check=False)
    except subprocess.TimeoutExpired:
        return "import torch takes more than 90 s"
    if found.returncode != 0:
        return "PyTorch cannot be imported by %s: %s" % (sys.executable, (found.stderr.strip().splitlines() or ["?"])[-1])
    answer = (found.stdout.strip().splitlines() or ["?"])[-1]
    return None if answer == "cuda" else answer


class LocalHub:
    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder
        os.makedirs(folder, exist_ok=True)
        self.store = os.path.join(folder, "run.rgl")
        self.rings = room_for_rings(folder)
        self.hub = self.agent = None
        self.address = ""
        self.trainers = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        said = os.path.join(self.folder, "hub.log")
        self.hub = self.spawn(["runglassctl", "serve", "--store", self.store, "--listen", "127.0.0.1:0"], said)
        self.address = wait_until(lambda: self.listening(said), 30)
        if not self.address:
            raise RuntimeError("the hub does not listen: " + self.tail(said))
        config = os.path.join(self.folder, "agent.toml")
        with open(config, "w", encoding="utf-8") as file:
            # Only the trainers of this check: others may run on the machine.
            file.write("[source.client]\ndirs = [%s]\n\n[source.nvml]\nfast_ms = 100\n\n[source.trainer_output]\nenabled = false\n" % json.dumps(self.rings))
        self.agent = self.spawn(["runglass-agent", "--hub", self.address, "--config", config, "--state-dir", os.path.join(self.folder, "agent")],
                                os.path.join(self.folder, "agent.log"))

    def listening(self, said):
        with open(said, encoding="utf-8") as file:
            for line in file:
                if line.startswith("listening on ") and line.endswith("\n"):
                    return line.split()[2]
        if self.hub.poll() is not None:
            raise RuntimeError("the hub ended: " + self.tail(said))
        return ""

    def spawn(self, command, log):
        with open(log, "w", encoding="utf-8") as file:
            return subprocess.Popen([os.path.join(self.tools, "bin", command[0])] + command[1:], stdin=subprocess.DEVNULL, stdout=file,
                                    stderr=subprocess.STDOUT, cwd=self.folder)

    @staticmethod
    def tail(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return " ".join(file.read().split())[-300:]

    def trainer_environment(self, run, tracer=True, **more):
        trainer = os.path.join(self.tools, "trainer")
        paths = [os.path.join(trainer, "python")] + [path for path in (os.environ.get("PYTHONPATH"),) if path]
        environment = dict(os.environ, RUNGLASS_DIR=self.rings, RUNGLASS_RUN=run, RUNGLASS_ATTEMPT="1", PYTHONPATH=os.pathsep.join(paths),
                           RUNGLASS_LIB=os.path.join(trainer, "librunglass.so"), RUNGLASS_RING_BYTES=str(64 << 20))
        if tracer:
            # A space or a colon in the folder's path would end the name.
            environment["LD_PRELOAD"] = os.path.join(self.rings, "tracer.so")
            if not os.path.islink(environment["LD_PRELOAD"]):
                os.symlink(os.path.join(trainer, "librunglass_cuda.so"), environment["LD_PRELOAD"])
        environment.update({key: str(value) for key, value in more.items()})
        return environment

    def start_trainer(self, script, words, environment, **pipes):
        """A Python program of this folder; its output goes to trainer-N.log unless it is piped."""
        log = os.path.join(self.folder, "trainer-%d.log" % len(self.trainers))
        with open(log, "w", encoding="utf-8") as file:
            options = {"stdin": subprocess.DEVNULL, "stdout": file, "stderr": file, **pipes}
            process = subprocess.Popen([sys.executable, os.path.join(HERE, script)] + [str(word) for word in words], env=environment,
                                       cwd=self.folder, **options)
        process.log = log
        self.trainers.append(process)
        return process

    def finish_trainer(self, process, seconds):
        if process.wait(timeout=seconds) != 0:
            raise RuntimeError("the trainer failed: " + self.tail(process.log))

    def wait_for_exits(self, count):
        """Until the store holds the end of `count` trainers, and so all that they recorded: an agent that is
        stopped at once may not have found the ring of a short one."""
        if not wait_until(lambda: self.query("SELECT count(*) AS n FROM event WHERE kind = 'process_exit'")[0]["n"] >= count, 30):
            raise RuntimeError("the store does not hold the end of %d trainers after 30 s" % count)

    def command(self, *words, seconds=60):
        return subprocess.run([os.path.join(self.tools, "bin", "runglassctl")] + list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=seconds, cwd=self.folder, check=False)

    def query(self, sql):
        found = self.command("query", "--store", self.store, "--format", "json", sql)
        if found.returncode != 0:
            raise RuntimeError("query: %s: %s" % (sql, found.stdout.strip()[-300:]))
        return json.loads(found.stdout)

    def signal(self, number):
        for process in (self.agent, self.hub):
            process.send_signal(number)

    def stop(self):
        """In order: the agent sends what it holds, the hub closes its store. Ends by force what does not end by itself."""
        for process in (self.agent, self.hub):
            if process is None or process.poll() is not None:
                continue
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __exit__(self, *_):
        for process in self.trainers:
            if process.poll() is None:
                process.kill()
                process.wait()
        self.stop()
        shutil.rmtree(self.rings, ignore_errors=True)
