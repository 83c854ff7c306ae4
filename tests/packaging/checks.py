# SPDX-License-Identifier: Apache-2.0
"""What holds and what does not, for the scripts of this folder: each collects all failures of a case and tells them at its end."""
import sys

failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def same(actual, wanted, what):
    expect(actual == wanted, '%s: %r, wanted %r' % (what, actual, wanted))


def skip(why):
    print('SKIPPED: ' + why)
    sys.exit(0)


def end():
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)
