#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of README and docs (docs/pictures.toml): pictures.py compares the list with the files and with what the pages show;
pictures.py --make BIN makes those of a scenario anew with the programs in BIN, all or those named after it."""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

try:
    import tomllib
except ImportError:  # Python 3.11 is Debian 12's; the list is simple enough for any
    sys.exit("pictures.py: needs Python 3.11")

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "docs")
THEME = "light"


def pictures():
    with open(os.path.join(DOCS, "pictures.toml"), "rb") as file:
        return tomllib.load(file)["picture"]


def size_of(path):
    with open(path, "rb") as file:
        head = file.read(24)
    if head[:8] != b"\x89PNG\r\n\x1a\n":
        return "no PNG"
    return "%dx%d" % struct.unpack(">II", head[16:24])


def files_below(folder, ending):
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith(ending):
                yield os.path.join(path, name)


def check():
    wrong = []
    listed = {}
    for picture in pictures():
        listed[picture["file"]] = picture
        path = os.path.join(DOCS, picture["file"])
        if not os.path.isfile(path):
            wrong.append("%s: listed, and not there" % picture["file"])
        elif size_of(path) != picture["size"]:
            wrong.append("%s: is %s, listed as %s" % (picture["file"], size_of(path), picture["size"]))
        if ("scenario" in picture) == ("window" in picture):
            wrong.append("%s: has a scenario or a window" % picture["file"])
    for path in files_below(DOCS, ".png"):
        if os.path.relpath(path, DOCS) not in listed:
            wrong.append("%s: is not in docs/pictures.toml" % os.path.relpath(path, ROOT))
    shown = set()
    for page in [os.path.join(ROOT, "README.md"), *files_below(DOCS, ".md")]:
        with open(page, encoding="utf-8") as file:
            for target in re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", file.read()):
                path = os.path.normpath(os.path.join(os.path.dirname(page), target))
                shown.add(os.path.relpath(path, DOCS))
                if not os.path.isfile(path):
                    wrong.append("%s: shows %s, which is not there" % (os.path.relpath(page, ROOT), target))
    wrong += ["%s: no page shows it" % name for name in listed if name not in shown]
    for line in wrong:
        print("pictures: " + line)
    print("pictures: %d listed, %d wrong" % (len(listed), len(wrong)))
    return 1 if wrong or not listed else 0


def store_of(scenario, binaries, folder):
    """Played through the shipped agent and hub, as a user would."""
    store, socket = os.path.join(folder, scenario + ".rgl"), os.path.join(folder, scenario + ".sock")
    hub = subprocess.Popen([os.path.join(binaries, "runglassctl"), "serve", "--store", store, "--listen", "unix:" + socket],
                           stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if os.path.exists(socket):
                break
            time.sleep(0.05)
        subprocess.run([os.path.join(binaries, "runglass-agent"), "--simulate",
                        os.path.join(ROOT, "resources/scenarios", scenario + ".toml"), "--hub", "unix:" + socket, "--speed", "max",
                        "--state-dir", os.path.join(folder, scenario)], check=True, stdout=subprocess.DEVNULL)
    finally:
        hub.terminate()
        hub.wait()
    subprocess.run([os.path.join(binaries, "runglassctl"), "analyze", "--store", store], check=True, stdout=subprocess.DEVNULL)
    return store


def make(binaries, names):
    stores = {}
    with tempfile.TemporaryDirectory() as folder:
        for picture in pictures():
            if "scenario" not in picture or (names and picture["file"] not in names):
                continue
            scenario = picture["scenario"]
            if scenario not in stores:
                stores[scenario] = store_of(scenario, binaries, folder)
            command = [os.path.join(binaries, "runglass"), "screenshot", "--store", stores[scenario], "--view", picture["view"], "--size",
                       picture["size"], "--theme", picture.get("theme", THEME), "--out", os.path.join(DOCS, picture["file"])]
            for name in ("select", "tab"):
                if name in picture:
                    command += ["--" + name, picture[name]]
            subprocess.run(command, check=True)
            print("pictures: made docs/" + picture["file"])
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--make":
        sys.exit(make(os.path.abspath(sys.argv[2]), sys.argv[3:]))
    sys.exit(check())
