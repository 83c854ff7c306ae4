#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time a Python trainer pays for one call of runglass.py (goal: <= 2 us per span or scalar). RUNGLASS_LIB names librunglass.so."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "collectors", "client", "python"))
import runglass as rg


def span():
    with rg.span("forward", "compute", microbatch=3):
        pass


def communication():
    with rg.span("all_reduce", "comm", part="communication", group=1, seq=2, bytes=3):
        pass


def scalar():
    rg.scalar("loss", 1.5, step=3)


def main():
    os.environ["RUNGLASS_RING_BYTES"] = str(1 << 28)  # room for every call: refused records would be cheaper
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        if not rg.init(run="timing", attempt="0", dir=directory):
            return 1
        with rg.step(1):
            for call in (span, communication, scalar):
                best, count = 1e9, 20000
                for _ in range(10):
                    begin = time.thread_time_ns()
                    for _ in range(count):
                        call()
                    best = min(best, (time.thread_time_ns() - begin) / count)
                print("%-14s %6.0f ns" % (call.__name__, best))
        print("dropped        %6d" % rg.dropped())
        rg.shutdown()
    return 0


sys.exit(main())
