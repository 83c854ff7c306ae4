#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.md, taken at its word: readme_test.py --build DIR.

Every `sh` block is run, line by line and in the order of the page, in an empty folder that has this tree's build and scenarios where the root
of the repository has them. A `python` block is the file that the sentence before it names. The one plain block is the two commands, which are
not run here: `./dev run` is tests/run_live_test.sh, `./dev test` is what runs this. A block of another kind is a failure."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_LINES, MAX_LINKS, MAX_COMMANDS = 120, 12, 5
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def text_of(path):
    with open(os.path.join(SOURCE, path), encoding='utf-8') as file:
        return file.read()


def blocks(text):
    """[(heading, sentence before, kind, content)] in order."""
    found, heading, before, kind, content = [], '', '', None, []
    for line in text.splitlines():
        if kind is not None:
            if line == '```':
                found.append((heading, before, kind, content))
                kind = None
            else:
                content.append(line)
        elif line.startswith('```'):
            kind, content = line[3:], []
        elif line.startswith('#'):
            heading = line
        elif line:
            before = line
    expect(kind is None, 'a block is not closed')
    return found


def check_shape(text, found):
    lines, links = text.splitlines(), re.findall(r'\]\(([^)]+)\)', text)
    expect(len(lines) <= MAX_LINES, 'README.md has %d lines' % len(lines))
    expect(len(links) <= MAX_LINKS, 'README.md has %d links' % len(links))
    expect(len(re.findall(r'(?m)^- \*\*', text.split('\n## ')[0])) == 6, 'not six bullets')
    for heading, _, kind, content in found:
        if kind == '':
            expect([line.split('#')[0].split() for line in content] == [['./dev', 'run'], ['./dev', 'test']], 'not the two commands: %s' % content)
        else:
            expect(kind in ('sh', 'python'), 'a block of kind "%s" below %s' % (kind, heading))
        expect(kind != 'sh' or len(content) <= MAX_COMMANDS, '%s: more than %d commands' % (heading, MAX_COMMANDS))
    scenarios = [heading for heading, _, kind, _ in found if kind == 'sh' and heading.startswith('### ')]
    expect(len(scenarios) == 3, 'scenarios: %s' % scenarios)


def script_of(found):
    lines = ['set -euo pipefail', "trap 'jobs -p | xargs -r kill; wait' EXIT"]
    for _, _, kind, content in found:
        for line in content if kind == 'sh' else []:
            lines += ["echo '+ %s'" % line.replace("'", "'\\''"), line]
    # Programs started in the background are still running, and the hub reports the cause of the slowdown within its next rounds.
    concluded = 'runglassctl query --store cluster.rgl "SELECT kind FROM finding" | grep -q slow_rank'
    return '\n'.join(lines + ['for n in $(seq 120); do %s && break; sleep 0.5; done' % concluded,
                              'for pid in $(jobs -p); do kill -0 "$pid"; done', 'echo "+ end"']) + '\n'


def own_network():
    """What a command is put behind so that it has all ports for itself; None: not possible here."""
    up = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
    for unshare in (['unshare', '-n'], ['unshare', '-rn']):
        if shutil.which('ip') and subprocess.run(unshare + up + ['true'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return unshare + up
    return None


def run(found, build, folder):
    os.mkdir(os.path.join(folder, 'build'))
    os.symlink(build, os.path.join(folder, 'build', 'release'))
    os.symlink(os.path.join(SOURCE, 'resources'), os.path.join(folder, 'resources'))
    for _, before, kind, content in found:
        if kind == 'python':
            name = re.search(r'`(\w+\.py)`', before)
            expect(name is not None, 'no file name before a python block: %s' % before)
            with open(os.path.join(folder, name.group(1) if name else 'unnamed.py'), 'w', encoding='utf-8') as file:
                file.write('\n'.join(content) + '\n')
    env = {name: value for name, value in os.environ.items() if not name.startswith(('RUNGLASS', 'XDG_', 'SLURM_'))}
    # Rings of this user's other trainers do not belong to this page.
    env.update(HOME=folder, RUNGLASS_DIR=os.path.join(folder, 'rings'), QT_QPA_PLATFORM='offscreen')
    network = own_network()
    if network is None:
        print('SKIPPED: no network namespace of its own (unshare, ip): ports 7070 and 7071 may be in use here')
        sys.exit(0)
    done = subprocess.run(network + ['bash', '-c', script_of(found)], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=240, check=False)
    print(done.stdout)
    expect(done.returncode == 0 and '+ end' in done.stdout.splitlines(), 'a command of README.md failed: exit %d' % done.returncode)


def ask(build, store, sql):
    done = subprocess.run([os.path.join(build, 'bin/runglassctl'), 'query', '--store', store, '--format', 'csv', sql], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.splitlines()[1:]


def check_outcome(build, folder):
    at = lambda name: os.path.join(folder, name)
    expect(ask(build, at('run.rgl'), 'SELECT count(*) FROM step') == ['100'], 'run.rgl: steps: %s' % ask(build, at('run.rgl'), 'SELECT count(*) FROM step'))
    expect(ask(build, at('night.rgl'), "SELECT count(*) FROM scalar WHERE tag = 'loss'") == ['100'], 'night.rgl: the loss of 100 steps is not there')
    slow = ask(build, at('cluster.rgl'), "SELECT DISTINCT rank FROM finding WHERE kind = 'slow_rank'")
    expect(slow == ['37'], 'cluster.rgl: slow ranks: %s' % slow)
    for picture in ('night.png', 'ranking.png'):
        with open(at(picture), 'rb') as file:
            expect(file.read(8) == b'\x89PNG\r\n\x1a\n', '%s is no picture' % picture)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    build = os.path.abspath(parser.parse_args().build)
    text = text_of('README.md')
    found = blocks(text)
    check_shape(text, found)
    if not failures:
        with tempfile.TemporaryDirectory() as folder:
            run(found, build, folder)
            if not failures:
                check_outcome(build, folder)
    for failure in failures:
        print('FAILED: ' + failure)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
