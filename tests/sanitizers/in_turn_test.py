#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which test programs a sanitizer's run builds and tests within its share of time."""
import io
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import in_turn  # noqa: E402


class Fake:
    """Programs whose build and tests take the given minutes. broken: what does not build; failing: what does not pass."""

    def __init__(self, build=1, test=1, broken=(), failing=()):
        self.build_min, self.test_min, self.broken, self.failing = build, test, broken, failing
        self.s, self.tested = 0, []

    def now(self):
        return self.s

    def build(self, program, seconds):
        if seconds is not None and seconds < self.build_min * 60:
            self.s += seconds
            return 'late'
        self.s += self.build_min * 60
        return 'failed' if program in self.broken else 'ok'

    def test(self, arguments):
        self.tested.append(arguments)
        self.s += self.test_min * 60
        return not any(f'^{name}$' in arguments for name in self.failing)


class InTurn(unittest.TestCase):
    def run_all(self, fake, minutes, rest=False, programs=('a', 'b', 'c', 'd')):
        out = io.StringIO()
        return in_turn.run(fake, list(programs), minutes, rest, out, fake.now), out.getvalue()

    def test_without_a_limit_all_are_tested_and_the_rest_with_them(self):
        fake = Fake(build=100)
        status, text = self.run_all(fake, None, rest=True)
        self.assertEqual(status, 0)
        self.assertEqual(fake.tested, [['-L', f'^{name}$'] for name in 'abcd'] + [['-LE', '^(unsanitized|a|b|c|d)$']])
        self.assertNotIn('left', text)

    def test_what_the_time_does_not_reach_is_named_and_no_failure(self):
        fake = Fake(build=3, test=1)
        status, text = self.run_all(fake, 10, rest=True)
        self.assertEqual(status, 0)
        self.assertEqual(fake.tested, [['-L', '^a$'], ['-L', '^b$']])  # the build of c was cut off after 2 minutes
        self.assertEqual(fake.now(), 600)
        self.assertIn('left to other commits: c d', text)

    def test_the_first_is_tested_even_where_its_build_takes_all_the_time(self):
        fake = Fake(build=30)
        self.assertEqual(self.run_all(fake, 10)[0], 0)
        self.assertEqual(fake.tested, [['-L', '^a$']])

    def test_a_failure_is_reported_and_the_others_still_run(self):
        fake = Fake(broken=['a'], failing=['b'])
        status, text = self.run_all(fake, None)
        self.assertEqual(status, 1)
        self.assertIn('failed: a, b', text)
        self.assertEqual(fake.tested, [['-L', f'^{name}$'] for name in 'bcd'])

    def test_every_program_is_first_in_some_turn(self):
        programs = [f'p{i}' for i in range(31)]
        self.assertEqual({in_turn.order(programs, turn)[0] for turn in range(31)}, set(programs))
        self.assertEqual(sorted(in_turn.order(programs, 5)), sorted(programs))


if __name__ == '__main__':
    unittest.main()
