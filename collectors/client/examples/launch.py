#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts train_gpt.py once per rank on this machine and waits: launch.py [--ranks N] [arguments of train_gpt.py].

If one rank fails, the others are stopped and its status is ours. SIGTERM and Ctrl-C stop all ranks.
"""
import os
import signal
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(rank, world, port, arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    env = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
               OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
    return subprocess.Popen([sys.executable, os.path.join(here, "train_gpt.py")] + arguments, env=env, preexec_fn=lambda: os.nice(10))


def main():
    arguments = sys.argv[1:]
    world = 8
    if arguments[:1] == ["--ranks"]:
        world, arguments = int(arguments[1]), arguments[2:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
    os.environ.setdefault("RUNGLASS_RUN", "train_gpt-" + time.strftime("%Y%m%d-%H%M%S"))
    os.environ.setdefault("RUNGLASS_ATTEMPT", "%d-%d" % (time.time(), os.getpid()))
    port = free_port()
    ranks = [start(rank, world, port, arguments) for rank in range(world)]

    stopped_at = []

    def stop(number, frame):
        stopped_at.append(time.monotonic())
        for process in ranks:
            process.terminate()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    status = 0
    while any(process.poll() is None for process in ranks):
        failed = [process.returncode for process in ranks if process.returncode not in (None, 0)]
        if failed and status == 0:
            status = failed[0]
            stop(None, None)
        if stopped_at and time.monotonic() - stopped_at[0] > 10:  # a rank that waits for a dead peer does not handle SIGTERM
            for process in ranks:
                process.kill()
        time.sleep(0.1)
    sys.exit(status or next((abs(p.returncode) for p in ranks if p.returncode), 0))


if __name__ == "__main__":
    main()
