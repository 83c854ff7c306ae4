#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""runglass.py end to end: a Python trainer in a process of its own, its ring emptied by client_probe."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["RG_SOURCE_DIR"]
PYTHON = os.path.join(SOURCE, "collectors", "client", "python")


def run(script, directory, **environment):
    env = dict(os.environ, PYTHONPATH=PYTHON, RUNGLASS_DIR=directory, RUNGLASS_RUN="py", RUNGLASS_ATTEMPT="0", **environment)
    return subprocess.run([sys.executable, "-c", script], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)


def probe(directory, processes=1):
    result = subprocess.run([os.environ["RG_PROBE"], directory, str(processes), "20"], stdout=subprocess.PIPE, universal_newlines=True)
    assert result.returncode == 0, result.stdout
    return result.stdout


# Replaces librunglass.so on a machine without one.
WITHOUT_LIBRARY = "import ctypes\nctypes.CDLL = lambda path: (_ for _ in ()).throw(OSError('no'))\n"
EVERYTHING = """
import runglass as rg
assert rg.init(rank=1, world=2)
rg.layout(dp=2)
for n in range(3):
    with rg.step(n):
        with rg.span("forward", part="forward", microbatch=0):
            with rg.span("all_reduce", "comm", part="communication", group=1, seq=n, bytes=8):
                pass
        rg.scalar("loss", 3.5 - n)
        rg.scalar("load", n, per_rank=True)
rg.checkpoint_begin(3, "x")
rg.checkpoint_durable(3, "x", 10)
rg.fact("config_hash", "f00")
rg.fact("api_key", "f00")
rg.log("h\\u00e9llo" * 400, severity="warning")
assert rg.dropped() == 0
rg.shutdown()
rg.scalar("after", 1, step=1)
"""


def guide(language):
    """The code block of docs/guide/client.md in a language."""
    with open(os.path.join(SOURCE, "docs", "guide", "client.md"), encoding="utf-8") as file:
        return re.search("```%s\n(.*?)```" % language, file.read(), re.DOTALL).group(1)


class RunglassPy(unittest.TestCase):
    def setUp(self):
        self._directory = tempfile.TemporaryDirectory()
        self.dir = self._directory.name

    def tearDown(self):
        self._directory.cleanup()

    def check_everything(self, before):
        result = run(before + EVERYTHING, self.dir)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        out = probe(self.dir)
        for line in ("rank 1 tp 0 pp 0 dp 1", 'series loss rank -1 labels {"canonical":"loss"} points 3 first 3.5 last 1.5',
                     "series load rank 1 labels  points 3 first 0 last 2", "span forward rank 1 category compute step 2",
                     "span all_reduce rank 1 category comm step 0", "fact config_hash = f00", "checkpoint 3 durable 1",
                     "log client " + "h\u00e9llo" * 400, "event process_exit finished"):
            self.assertIn(line + "\n", out)
        for series in ("step_time_ns", 'step_part_ns rank 1 labels {"part":"forward"}', 'step_part_ns rank 1 labels {"part":"communication"}',
                       'step_part_wait_ns rank 1 labels {"part":"communication"}', "step_cpu_ns"):
            self.assertIn("series " + series, out)
        self.assertNotIn("series after", out)
        self.assertNotIn("fact api_key", out)
        self.assertNotIn("issue", out)
        self.assertEqual(os.listdir(self.dir), [], "a ring that was read to its end goes away")

    def test_tells_steps_spans_and_scalars(self):
        self.check_everything("")

    def test_sends_and_receives_name_their_peer(self):
        script = """
import runglass as rg
assert rg.init(rank=4, world=8)
for n in range(2):
    with rg.span("recv_forward", "comm", recv_from=0):
        pass
    with rg.span("send_backward", "comm", send_to=0, seq=7 + n):
        pass
rg.shutdown()
"""
        for before in ("", WITHOUT_LIBRARY):
            result = run(before + script, self.dir)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            out = probe(self.dir)
            for line in ("group p2p 0 \u2192 4 members 2", "group p2p 4 \u2192 0 members 2", "span recv_forward rank 4 category comm step -9223372036854775808",
                         "transfer recv_forward rank 4 seq 0", "transfer recv_forward rank 4 seq 1", "transfer send_backward rank 4 seq 8"):
                self.assertIn(line + "\n", out)
            self.assertNotIn("issue", out)

    def test_is_importable_from_the_build_folder_and_finds_the_library_by_itself(self):
        build = os.path.dirname(os.path.dirname(os.environ["RUNGLASS_LIB"]))
        env = {name: value for name, value in os.environ.items() if name != "RUNGLASS_LIB"}
        env.update(PYTHONPATH=os.path.join(build, "python"), RUNGLASS_DIR=self.dir)
        script = "import runglass as rg\nassert rg.init(run='py', rank=0, world=1)\nprint(rg._lib._name)\nrg.shutdown()"
        result = subprocess.run([sys.executable, "-c", script], env=env, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(os.path.realpath(result.stdout.strip()), os.path.realpath(os.environ["RUNGLASS_LIB"]))

    def test_tells_the_same_without_the_library(self):
        self.check_everything(WITHOUT_LIBRARY)

    def test_without_the_library_loses_nothing_over_many_laps_and_threads(self):
        result = run(WITHOUT_LIBRARY + """
import gc, threading, time, runglass as rg
assert rg.init(rank=0, world=1, gc_over_ms=0)
gc.set_threshold(50)  # collections in the middle of everything
def work(thread):
    for n in range(2000):
        while True:
            before = rg.dropped()
            rg.scalar("s%d" % thread, n, step=n, per_rank=True)
            if rg.dropped() == before: break
            time.sleep(0.001)
        junk = [[] for _ in range(5)]; junk.append(junk)
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
""", self.dir, RUNGLASS_RING_BYTES=str(4 << 20))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        out = probe(self.dir)
        for thread in range(4):
            self.assertIn("series s%d rank 0 labels  points 2000 first 0 last 1999\n" % thread, out)
        self.assertIn("span gc generation 0 rank 0 category gc", out)
        for issue in ("torn_record", "unknown_record", "bad_ring"):
            self.assertNotIn(issue, out)

    # A counter at its maximum wraps as in C: no exception reaches a trainer.
    def test_without_the_library_counters_wrap_around(self):
        result = run(WITHOUT_LIBRARY + """
import runglass as rg, runglass_ring as ring
assert rg.init(rank=0, world=1)
words = rg._lib._ring.words
for at in (ring._DROPPED, ring._LOST_NAMES, ring._IDENTITY_VERSION, ring._PROGRESS_VERSION):
    words[at] = (1 << 64) - 1
for n in range(3000): rg.scalar("x%d" % n, n, step=n)
with rg.step(1): pass
rg.layout(tp=1)
assert rg.dropped() < 3000, rg.dropped()
words[ring._HEAD] = words[ring._TAIL] = (1 << 64) - 1
words[ring._TAIL_CHECK] = 0
for n in range(10): rg.scalar("y", n, step=n)
""", self.dir, RUNGLASS_RING_BYTES="1")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_without_the_library_counts_what_a_full_ring_refused(self):
        result = run(WITHOUT_LIBRARY + """
import os, runglass as rg
assert rg.init(rank=0, world=1)
for n in range(3000): rg.scalar("x", n, step=n)
assert 1900 < rg.dropped() < 2100, rg.dropped()
os._exit(7)  # without a word
""", self.dir, RUNGLASS_RING_BYTES="1")
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        out = probe(self.dir)
        self.assertIn("issue client.ring_full", out)
        self.assertIn("gone without a word", out)

    def test_without_the_library_counters_at_their_end_raise_nothing(self):
        """A ring is a file: whoever writes over its counters must not end the trainer."""
        result = run(WITHOUT_LIBRARY + """
import os, runglass as rg
assert rg.init(rank=0, world=1)
words = rg._lib._ring.words
for at in (16, 17, 18, 24, 25, 32, 33, 34):
    for tail in (0, (1 << 64) - 1):
        words[at] = (1 << 64) - 1
        if at == 16: words[24], words[25] = tail, tail ^ ((1 << 64) - 1)
        for n in range(3000): rg.scalar("x%d" % n, n, step=n)
        with rg.step(1):
            with rg.span("y%d" % at): pass
        rg.layout(dp=1)
os._exit(7)
""", self.dir, RUNGLASS_RING_BYTES="1")
        self.assertEqual((result.returncode, result.stderr), (7, ""))

    def test_without_the_library_tells_exceptions_exits_and_forks(self):
        result = run(WITHOUT_LIBRARY + """
import os, runglass as rg
rg.init(rank=0, world=1)
pid = os.fork()
if pid == 0:
    rg.scalar("child", 1, step=1)
    os._exit(0)
os.waitpid(pid, 0)
rg.scalar("parent", 1, step=1)
raise ValueError("bad batch")
""", self.dir)
        self.assertEqual(result.returncode, 1)
        out = probe(self.dir)
        self.assertIn("attempt 0: rank 0: exception: ValueError: bad batch\n", out)
        self.assertIn("series parent", out)
        self.assertNotIn("series child", out)

    def test_tells_long_collections_and_waits_for_batches(self):
        result = run("""
import gc, time, runglass as rg
assert rg.init(rank=0, world=1, gc_over_ms=0)
def loader():
    for n in range(3):
        time.sleep(0.01)
        yield n
waiting = iter(rg.batches(loader()))
assert len(rg.batches([1, 2])) == 2
for n in range(3):
    with rg.step(n):
        assert next(waiting) == n
        gc.collect()
""", self.dir)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        out = probe(self.dir)
        for step in range(3):
            self.assertIn("span gc generation 2 rank 0 category gc step %d\n" % step, out)
            self.assertIn("span next_batch rank 0 category dataload step %d\n" % step, out)
        waited = re.search(r'series step_part_wait_ns rank 0 labels {"part":"data"} points 3 first (\S+)', out)
        self.assertGreater(float(waited.group(1)), 8e6, "the loader slept")
        silent = run("import gc, runglass as rg\nrg.init(rank=0, world=1, gc_over_ms=None)\ngc.collect()", self.dir)
        self.assertEqual(silent.returncode, 0)
        self.assertNotIn("gc generation", probe(self.dir))

    def test_asks_a_tracer_only_where_there_is_one(self):
        result = run("import runglass as rg\nprint(rg.trace_kernels(steps=3, exact=True), rg.keep_recent(60))", self.dir)
        self.assertEqual((result.returncode, result.stdout), (0, "False False\n"))

    def test_tells_an_uncaught_exception_and_still_prints_it(self):
        result = run("import runglass as rg\nrg.init(rank=0, world=1)\nraise ValueError('bad batch')", self.dir)
        self.assertEqual(result.returncode, 1)
        self.assertIn("ValueError: bad batch", result.stderr)
        out = probe(self.dir)
        self.assertIn("attempt 0: rank 0: exception: ValueError: bad batch\n", out)
        self.assertIn("run py state 3\n", out)
        self.assertIn("Traceback", out)

    def test_tells_versions_and_the_commit(self):
        result = run("import runglass as rg\nrg.init(rank=0, world=1)", self.dir)
        self.assertEqual(result.returncode, 0)
        self.assertIn("fact python_version = %d.%d." % sys.version_info[:2], probe(self.dir))

    def test_finds_the_commit_of_a_checkout(self):
        sys.path.insert(0, PYTHON)
        import runglass
        with tempfile.TemporaryDirectory() as top:
            git = os.path.join(top, ".git")
            os.makedirs(os.path.join(git, "refs", "heads"))
            os.makedirs(os.path.join(top, "src"))
            with open(os.path.join(git, "HEAD"), "w") as file:
                file.write("ref: refs/heads/main\n")
            with open(os.path.join(git, "packed-refs"), "w") as file:
                file.write("# pack-refs\n" + "b" * 40 + " refs/heads/main\n")
            self.assertEqual(runglass._git_hash(os.path.join(top, "src")), "b" * 40)
            with open(os.path.join(git, "refs", "heads", "main"), "w") as file:
                file.write("a" * 40 + "\n")
            self.assertEqual(runglass._git_hash(top), "a" * 40)

    def test_is_silent_when_off_and_says_one_line_without_a_library(self):
        calls = "import runglass as rg\nprint(rg.init())\nwith rg.step(1):\n  with rg.span('x'): rg.scalar('loss', 1)\nrg.log('x'); rg.shutdown()"
        off = run(calls, self.dir, RUNGLASS="off")
        self.assertEqual((off.returncode, off.stdout, off.stderr), (0, "False\n", ""))
        missing = run("import sys\nsys.modules['runglass_ring'] = None\n" + WITHOUT_LIBRARY + calls, self.dir)
        self.assertEqual((missing.returncode, missing.stdout), (0, "False\n"))
        self.assertEqual(missing.stderr.count("\n"), 1)
        self.assertTrue(missing.stderr.startswith("runglass: off: "))

    def test_the_guide_s_python_example_does_what_it_says(self):
        result = run(guide("python"), self.dir, RANK="5", WORLD_SIZE="8")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        out = probe(self.dir)
        for line in ("rank 5 tp 1 pp 1 dp 0", 'series loss rank -1 labels {"canonical":"loss"} points 3 first 4 last 2',
                     "series expert_load rank 5 labels  points 3 first 0.5 last 0.5", "span backward rank 5 category compute step 2",
                     'series data_range_last rank 5 labels {"source":"books"} points 3 first 32 last 96', "checkpoint 3 durable 1"):
            self.assertIn(line + "\n", out)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_the_guide_s_c_example_compiles_and_does_what_it_says(self):
        source, program = os.path.join(self.dir, "guide.c"), os.path.join(self.dir, "guide")
        with open(source, "w") as file:
            file.write(guide("c"))
        library = os.environ["RUNGLASS_LIB"]
        subprocess.check_call(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", SOURCE, source, library, "-o", program,
                               "-Wl,-rpath," + os.path.dirname(library)])
        rings = os.path.join(self.dir, "rings")
        env = dict(os.environ, RUNGLASS_DIR=rings, RUNGLASS_RUN="c", RUNGLASS_ATTEMPT="0", RANK="2", WORLD_SIZE="8")
        subprocess.check_call([program], env=env)
        out = probe(rings)
        for line in ("rank 2 tp 0 pp 0 dp 2", "span all_reduce rank 2 category comm step 2", "event process_exit finished"):
            self.assertIn(line + "\n", out)

    def test_a_forked_worker_is_detached(self):
        result = run("""
import os, runglass as rg
rg.init(rank=0, world=1)
pid = os.fork()
if pid == 0:
    rg.scalar("child", 1, step=1)
    os._exit(0 if not rg.enabled() else 1)
assert os.waitpid(pid, 0)[1] == 0
rg.scalar("parent", 1, step=1)
""", self.dir)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        out = probe(self.dir)
        self.assertIn("series parent", out)
        self.assertNotIn("series child", out)


if __name__ == "__main__":
    unittest.main()
