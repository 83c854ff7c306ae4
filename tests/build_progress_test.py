#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ./dev shows of a build: one line with an estimate, and everything that a step prints."""
import io
import os
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'cmake'))
import build_progress  # noqa: E402


class Clock:
    def __init__(self):
        self.s = 0.0

    def __call__(self):
        return self.s


class BuildProgress(unittest.TestCase):
    def play(self, terminal, lines):
        """lines: (seconds, text) as ninja prints them."""
        clock, out = Clock(), io.StringIO()
        progress = build_progress.Progress(out, terminal, clock)
        for clock.s, text in lines:
            progress.feed(text)
        progress.end(True)
        return out.getvalue()

    def test_a_terminal_has_one_line_that_is_rewritten(self):
        shown = self.play(True, [(1, '@1/100@ Building a.o\n'), (60, '@50/100@ Building b.o\n'), (120, '@100/100@ Linking c\n')])
        self.assertEqual(shown.count('\n'), 2)  # the end of the line, and the summary
        self.assertIn('building: 50 of 100 steps, 1 min 00 s, about 1 min 00 s left', shown)
        self.assertTrue(shown.endswith('built: 100 of 100 steps, 2 min 00 s\n'))
        self.assertNotIn('Building a.o', shown)

    def test_a_log_has_a_line_every_twenty_seconds(self):
        shown = self.play(False, [(s, f'@{s}/100@ Building\n') for s in range(1, 101)])
        self.assertEqual([line.split(',')[0] for line in shown.splitlines()],
                         [f'building: {n} of 100 steps' for n in (20, 40, 60, 80, 100)] + ['built: 100 of 100 steps'])

    def test_there_is_no_estimate_from_too_little(self):
        self.assertNotIn('left', build_progress.line(2, 100, 60))
        self.assertNotIn('left', build_progress.line(50, 100, 1))

    def test_what_a_step_prints_is_passed_on_in_full(self):
        for terminal in (True, False):
            shown = self.play(terminal, [(1, '@1/2@ Building a.o\n'), (2, 'a.cpp:3: error: no such thing\n'), (2, '  3 | x\n')])
            self.assertIn('a.cpp:3: error: no such thing\n  3 | x\n', shown)

    def test_the_exit_status_is_ninjas(self):
        with tempfile.TemporaryDirectory() as folder:
            ninja = os.path.join(folder, 'ninja')
            with open(ninja, 'w') as script:
                script.write('#!/bin/sh\n[ "$NINJA_STATUS" = "@%f/%t@ " ] || exit 9\necho "@1/2@ Building a.o"\necho "a.cpp:1: error: broken"\nexit 3\n')
            os.chmod(ninja, os.stat(ninja).st_mode | stat.S_IXUSR)
            done = subprocess.run([sys.executable, os.path.join(ROOT, 'cmake', 'build_progress.py'), folder],
                                  env=dict(os.environ, PATH=folder + ':' + os.environ['PATH']), capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn('error: broken', done.stderr)
            self.assertIn('build failed: 1 of 2 steps', done.stderr)


if __name__ == '__main__':
    unittest.main()
