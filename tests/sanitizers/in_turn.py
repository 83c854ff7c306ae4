#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""in_turn.py BUILD_DIR [--minutes M] [--turn N] [--rest] [--jobs J] PROGRAM... [-- ctest arguments]: builds each test program and runs its tests,
one program after the other, until M minutes are over. The turn decides which program is the first, so that what one commit's share leaves is
another's beginning; it prints what it left. --rest: where all programs had their turn, the tests of no program's label run too.
Exit status: 1 if a build or a test failed. A build that the time ends is no failure, but the first program is always built and tested."""
import argparse
import os
import signal
import subprocess
import sys
import time

PROGRESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'cmake', 'build_progress.py')
# Two commits that follow each other start this many programs apart: coprime to most counts, so that all have been first after some.
STRIDE = 7


def order(programs, turn):
    programs = sorted(programs)
    first = turn * STRIDE % len(programs)
    return programs[first:] + programs[:first]


class Runner:
    """Programs of one build tree. seconds: what a build may take, None without a limit."""

    def __init__(self, build, jobs, ctest):
        self.build_dir, self.jobs, self.ctest = build, jobs, ctest

    def build(self, program, seconds):
        # A process group of its own, so that ninja under the progress line can be stopped with it; it keeps what is complete.
        process = subprocess.Popen([sys.executable, PROGRESS, self.build_dir, '-j', str(self.jobs), program], start_new_session=True)
        try:
            return 'ok' if process.wait(seconds) == 0 else 'failed'
        except subprocess.TimeoutExpired:
            return 'late'
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGINT)
                process.wait()

    def test(self, arguments):
        return subprocess.call(['ctest', '--test-dir', self.build_dir, '--output-on-failure', '--no-tests=error', '-j', str(self.jobs), *arguments, *self.ctest]) == 0


def run(runner, programs, minutes, rest, out, now=time.monotonic):
    end = None if minutes is None else now() + minutes * 60
    done, failed = [], []
    for program in programs:
        left = None if end is None or not done else end - now()
        if left is not None and left <= 0:
            break
        built = runner.build(program, left)
        if built == 'late':
            break
        done.append(program)
        if built == 'failed' or not runner.test(['-L', f'^{program}$']):
            failed.append(program)
    left_out = programs[len(done):]
    if rest and not left_out:
        names = '|'.join(programs)
        if not runner.test(['-LE', f'^(unsanitized|{names})$']):
            failed.append('tests of no program')
    print(f'{len(done)} of {len(programs)} programs: {" ".join(done)}', file=out)
    if left_out:
        print(f'left to other commits: {" ".join(left_out)}', file=out)
    if failed:
        print(f'failed: {", ".join(failed)}', file=out)
    return 1 if failed else 0


def main(arguments):
    ctest = []
    if '--' in arguments:
        cut = arguments.index('--')
        arguments, ctest = arguments[:cut], arguments[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('programs', nargs='+')
    parser.add_argument('--minutes', type=float)
    parser.add_argument('--turn', type=int, default=0)
    parser.add_argument('--rest', action='store_true')
    parser.add_argument('--jobs', type=int, default=1)
    given = parser.parse_args(arguments)
    return run(Runner(given.build, given.jobs, ctest), order(given.programs, given.turn), given.minutes, given.rest, sys.stdout)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
