#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py BUILD_DIR [--files N]: line coverage per room from the profiles that the programs and tests of a coverage build have left in
BUILD_DIR/profiles. Counted are lines of code that is in any program or library of the build; killed processes leave no profile.
--files: also the N files with the most lines that were not run."""
import argparse, collections, glob, json, os, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ('model', 'net', 'storage', 'analysis', 'collectors', 'widgets', 'app')


def is_instrumented(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF' and b'__llvm_covmap' in file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('--files', type=int, default=0)
    given = parser.parse_args()
    profiles = glob.glob(given.build + '/profiles/*.profraw')
    if not profiles:
        sys.exit(f'coverage: {given.build}/profiles: no profiles; run the tests of the preset coverage first')
    merged = given.build + '/profiles/all.profdata'
    subprocess.run(['llvm-profdata-16', 'merge', '-sparse', '-failure-mode=all', '-o', merged] + profiles, check=True)
    binaries = sorted(path for folder in ('bin', 'lib') for path in glob.glob(f'{given.build}/{folder}/*')
                      if os.path.isfile(path) and is_instrumented(path))
    command = ['llvm-cov-16', 'export', '-summary-only', '-instr-profile=' + merged, binaries[0]]
    for path in binaries[1:]:
        command += ['-object', path]
    files = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)['data'][0]['files']

    total, run, left = collections.Counter(), collections.Counter(), []
    for file in files:
        path = os.path.relpath(file['filename'], ROOT)
        room, lines = path.split('/')[0], file['summary']['lines']
        if room in ROOMS:
            for group in (room, 'all'):
                total[group] += lines['count']
                run[group] += lines['covered']
            left.append((lines['count'] - lines['covered'], lines['count'], path))
    print('room            lines   covered')
    for room in ROOMS + ('all',):
        print(f'{room:12} {total[room]:8}   {100 * run[room] / total[room]:5.1f} %' if total[room] else f'{room:12}        -   not built')
    for missing, count, path in sorted(left, reverse=True)[:given.files]:
        print(f'{missing:6} of {count:6} lines not run: {path}')


if __name__ == '__main__':
    main()
