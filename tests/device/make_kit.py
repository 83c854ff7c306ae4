# SPDX-License-Identifier: Apache-2.0
"""The kit of the GPU check as a folder: the relocatable folder, with the console for pictures, and the scripts that run there.

make_kit.py --build DIR --out FOLDER [--console]
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ONLY_HERE = ("make_kit.py", "fakes_test.py", "fake_nvidia_smi.py")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--console", action="store_true")
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    os.makedirs(given.out)
    tree = os.path.join(HERE, "..", "..", "packaging", "tools", "tools_tree.py")
    command = [sys.executable, tree, "--build", given.build, "--out", os.path.join(given.out, "tools")]
    subprocess.run(command + (["--console"] if given.console else []), check=True)
    for path in [os.path.join(HERE, "run.sh")] + glob.glob(os.path.join(HERE, "*.py")):
        if os.path.basename(path) not in ONLY_HERE:
            shutil.copy(path, given.out)


if __name__ == "__main__":
    main()
