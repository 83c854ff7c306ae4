#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""build_progress.py BUILD_DIR [ninja arguments]: builds and shows one line, steps done and the time left, instead of a line
per step. On a terminal the line is rewritten; elsewhere it is printed every 20 s. Output of a step (warnings, errors) is passed on.
Exit status: ninja's."""
import os
import re
import subprocess
import sys
import time

MARK = re.compile(r'^@(\d+)/(\d+)@ ')
EVERY_S = 20


def clock(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f'{minutes} min {rest:02} s' if minutes else f'{rest} s'


def line(done, total, elapsed):
    """The estimate assumes that the steps left cost what the steps so far cost; with few of them there is none yet."""
    text = f'building: {done} of {total} steps, {clock(elapsed)}'
    if done < total and done >= 10 and elapsed >= 5:
        text += f', about {clock(elapsed * (total - done) / done)} left'
    return text


class Progress:
    def __init__(self, out, terminal, now=time.monotonic):
        self.out, self.terminal, self.now = out, terminal, now
        self.start = self.printed = now()
        self.shown = False  # a line stands on the terminal without its end
        self.last = None

    def feed(self, text):
        mark = MARK.match(text)
        if not mark:
            if text.startswith('ninja: no work to do'):
                return
            self.end_line()
            self.out.write(text)
            self.out.flush()
            return
        self.last = (int(mark[1]), int(mark[2]))
        now = self.now()
        if self.terminal:
            self.out.write('\r\x1b[K' + line(*self.last, now - self.start))
            self.shown = True
        elif now - self.printed >= EVERY_S:
            self.out.write(line(*self.last, now - self.start) + '\n')
            self.printed = now
        self.out.flush()

    def end_line(self):
        if self.shown:
            self.out.write('\n')
            self.shown = False

    def end(self, ok):
        self.end_line()
        if self.last:
            done, total = self.last
            what = 'built' if ok else 'build failed'
            self.out.write(f'{what}: {done} of {total} steps, {clock(self.now() - self.start)}\n')
        self.out.flush()


def main(arguments):
    environment = dict(os.environ, NINJA_STATUS='@%f/%t@ ')
    process = subprocess.Popen(['ninja', '-C'] + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True, errors='replace')
    progress = Progress(sys.stderr, sys.stderr.isatty())
    try:
        for text in process.stdout:
            if not text.startswith('ninja: Entering directory'):
                progress.feed(text)
        status = process.wait()
    except KeyboardInterrupt:
        status = process.wait()
    progress.end(status == 0)
    return status


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
