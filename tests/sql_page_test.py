#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/formats/sql.md, taken at its word: sql_page_test.py --build DIR.

Plays the start page's example through the shipped agent and hub, analyzes it, imports a log with a failure and a line that cannot be read, and
runs every `sql` block of the page: each must succeed and give at least one row. Some answers are known and are compared."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SOURCE, 'tests'))
from pictures import store_of

QUERIES = 20
LOG = ''.join('iter %d: loss %.4f, time 50.00ms\n' % (n, 4 / (n + 1)) for n in range(40)) + 'RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1970\n'
TELEMETRY = 'timestamp, index, power.draw [W]\n2026/01/01 10:00:00.000, 0, 100 W\nsoon, 0, 1 W\n2026/01/01 10:00:01.000, 0, 1, 2, 3\n'
# Known facts of the example: a rank of stage 2 computes 25 % slower from step 100 to 180, and a GPU falls off the bus at step 250.
KNOWN = {
    2: lambda rows: [row['end_cause'] for row in rows] == ['hardware fault: Xid 79', 'finished'],
    3: lambda rows: [row['seconds_down'] for row in rows] == [None, 30],
    5: lambda rows: all(row['median_s'] <= row['p99_s'] and 0 < row['stddev_s'] < 1 for row in rows),
    8: lambda rows: rows[0]['rank'] == 37,
    9: lambda rows: rows[0]['rank'] == 37 and 20 < rows[0]['slower_percent'] < 30 and rows[1]['slower_percent'] < 5,
    11: lambda rows: [row['step'] for row in rows] == list(range(1, 321)),
    12: lambda rows: rows[0]['steps'] == 320,
    13: lambda rows: rows[0]['p10'] <= rows[0]['p50'] <= rows[0]['p90'],
    16: lambda rows: 'NCCL error' in rows[0]['text'],
    18: lambda rows: len(rows) == 5,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    binaries = os.path.join(os.path.abspath(parser.parse_args().build), 'bin')
    with open(os.path.join(SOURCE, 'docs/formats/sql.md'), encoding='utf-8') as file:
        queries = re.findall(r'(?ms)^### (\d+)\. ([^\n]*)\n\n```sql\n(.*?)^```$', file.read())
    failures = [] if [int(number) for number, _, _ in queries] == list(range(1, QUERIES + 1)) else ['not the queries 1 to %d' % QUERIES]
    with tempfile.TemporaryDirectory() as folder:
        store, log = store_of('example', binaries, folder), os.path.join(folder, 'train.log')
        with open(log, 'w', encoding='utf-8') as file:
            file.write(LOG)
        odd = os.path.join(folder, 'gpu.csv')
        with open(odd, 'w', encoding='utf-8') as file:
            file.write(TELEMETRY)
        ctl = os.path.join(binaries, 'runglassctl')
        subprocess.run([ctl, 'import', '--store', store, log, odd], check=True, stdout=subprocess.DEVNULL)
        for number, title, sql in queries:
            done = subprocess.run([ctl, 'query', '--store', store, '--format', 'json', sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            rows = json.loads(done.stdout) if done.returncode == 0 else []
            print('%s. %s: %d rows' % (number, title, len(rows)))
            if not rows or not KNOWN.get(int(number), bool)(rows):
                failures.append('%s. %s: %s' % (number, title, done.stderr.strip() or 'not what is known of the example: %s' % rows[:3]))
    for failure in failures:
        print('FAILED: ' + failure)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
