#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what the shipped runglassctl makes of input files against expected answers.

A golden is a folder: input (a file or folder, imported into a fresh store), query.sql (one SELECT), expected.csv; map.toml, where there is one,
says what the columns of a CSV file mean.
Usage: run_golden.py --ctl build/release/bin/runglassctl [--bless] FOLDER...     (--bless rewrites expected.csv)
"""
import argparse, difflib, os, subprocess, sys, tempfile


def run(ctl, *arguments):
    done = subprocess.run([ctl, *arguments], capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f'runglassctl {arguments[0]}: exit {done.returncode}: {done.stderr.strip()}')
    return done.stdout


def inputs(folder):
    """The files or folders whose name starts with "input": importers may look at the ending."""
    found = sorted(name for name in os.listdir(folder) if name.split('.')[0] == 'input')
    return [os.path.join(folder, name) for name in found] or sys.exit(f'{folder}: there is no input')


def check(ctl, folder, bless):
    expected = os.path.join(folder, 'expected.csv')
    with open(os.path.join(folder, 'query.sql'), encoding='utf-8') as file:
        query = file.read()
    with tempfile.TemporaryDirectory() as work:
        store = os.path.join(work, 'golden.rgl')
        mapping = os.path.join(folder, 'map.toml')
        run(ctl, 'import', '--store', store, '--run', 'golden', *(['--map', mapping] if os.path.exists(mapping) else []), *inputs(folder))
        run(ctl, 'verify', '--store', store)
        answer = run(ctl, 'query', '--store', store, '--format', 'csv', query)
    if bless:
        with open(expected, 'w', encoding='utf-8', newline='') as file:
            file.write(answer)
        print(f'{folder}: blessed')
        return True
    wanted = open(expected, encoding='utf-8', newline='').read() if os.path.exists(expected) else ''
    if answer == wanted:
        return True
    sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), answer.splitlines(True), expected, 'answer'))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--ctl', required=True)
    parser.add_argument('--bless', action='store_true')
    parser.add_argument('folders', nargs='+')
    options = parser.parse_args()
    return 0 if all([check(options.ctl, folder, options.bless) for folder in options.folders]) else 1


if __name__ == '__main__':
    sys.exit(main())
