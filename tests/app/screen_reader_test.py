#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""screen_reader_test.py BIN: the console in a real window on a display and buses of its own; what a screen reader is given over AT-SPI.

Exits 77 where Debian's xvfb, dbus, at-spi2-core or python3-gi is not installed."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEADLINE = 60
ACCESSIBLE = "org.a11y.atspi.Accessible"
TELEMETRY = os.path.join(ROOT, "tests/golden/nvidia_smi_csv/input.csv")
MOST_NODES = 3000
SHOWING = 25  # ATSPI_STATE_SHOWING
NAMED = ("push button", "toggle button", "radio button", "check box", "combo box", "entry", "slider", "table")


def outside():
    if not all(map(shutil.which, ("Xvfb", "dbus-run-session"))) or not os.path.exists("/usr/libexec/at-spi-bus-launcher"):
        return "xvfb, dbus or at-spi2-core is not installed"
    # Debian's module; another Python may be first in PATH.
    if subprocess.run(["/usr/bin/python3", "-c", "from gi.repository import Gio"], capture_output=True).returncode != 0:
        return "python3-gi is not installed"
    return None


class Desktop:
    """The accessibility bus of this session."""

    def __init__(self):
        from gi.repository import Gio, GLib
        self.Gio, self.GLib = Gio, GLib
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1, None).unpack()[0]
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)

    def call(self, place, interface, method, arguments=None):
        name, path = place
        return self.bus.call_sync(name, path, interface, method, arguments, None, 0, 10000, None).unpack()

    def children(self, place):
        return [tuple(child) for child in self.call(place, ACCESSIBLE, "GetChildren")[0]]

    def text(self, place, what):
        return self.call(place, "org.freedesktop.DBus.Properties", "Get", self.GLib.Variant("(ss)", (ACCESSIBLE, what)))[0]

    def role(self, place):
        return self.call(place, ACCESSIBLE, "GetRoleName")[0]

    def shows(self, place):
        return self.call(place, ACCESSIBLE, "GetState")[0][0] >> SHOWING & 1

    def path(self, place):
        names = []
        while place and place[1] != "/org/a11y/atspi/null" and len(names) < 20:
            names.append(self.text(place, "Name") or self.role(place))
            place = self.text(place, "Parent")
        return " < ".join(names)

    def application(self, name):
        for place in self.children(("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")):
            if self.text(place, "Name") == name:
                return place
        return None

    def all_below(self, place):
        found, waiting = [], [place]
        while waiting and len(found) < MOST_NODES:
            at = waiting.pop(0)
            if at != place and not self.shows(at):
                continue
            found.append((at, self.role(at), self.text(at, "Name")))
            waiting += self.children(at)
        return found


def wait_for(condition):
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.1)
    sys.exit("not within %d s: %s" % (DEADLINE, condition.__name__))


def inside(binaries, folder):
    read, write = os.pipe()
    display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"], pass_fds=[write],
                               stderr=subprocess.DEVNULL)
    os.close(write)
    os.environ["DISPLAY"] = ":" + os.read(read, 16).decode().strip()
    store = os.path.join(folder, "s.rgl")
    subprocess.run([os.path.join(binaries, "runglassctl"), "import", "--store", store, TELEMETRY], check=True, stdout=subprocess.DEVNULL)
    console = subprocess.Popen([os.path.join(binaries, "runglass"), store, "--view", "gpus"],
                               env={**os.environ, "QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"})
    try:
        desktop = Desktop()

        def console_is_on_the_bus():
            return desktop.application("runglass") or desktop.application("Runglass")

        application = wait_for(console_is_on_the_bus)

        def grid_has_cells():
            for place, role, name in desktop.all_below(application):
                if role == "table" and name == "GPUs by host" and desktop.children(place):
                    return place
            return None

        grid = wait_for(grid_has_cells)
        cells = [desktop.text(cell, "Name") for cell in desktop.children(grid)]
        nodes = desktop.all_below(application)
        buttons = [name for _, role, name in nodes if role in NAMED]
        wrong = []
        if not any("GPU 0" in cell for cell in cells):
            wrong.append("the grid's cells do not name GPU 0: %s" % cells[:6])
        for place in ("Watch", "Timeline", "GPUs", "Findings"):
            if not any(name.startswith(place) for name in buttons):
                wrong.append("no button %s among %s" % (place, buttons))
        wrong += ["a %s without a name in %s" % (role, desktop.path(at)) for at, role, name in nodes if not name and role in NAMED]
        print("screen reader: %d objects, %d buttons, %d cells of GPUs, %d wrong" % (len(nodes), len(buttons), len(cells), len(wrong)))
        print("\n".join(wrong))
        return 1 if wrong else 0
    finally:
        console.terminate()
        console.wait()
        display.terminate()
        display.wait()


def main():
    missing = outside()
    if missing:
        print("skipped: " + missing)
        return 77
    binaries = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        return inside(binaries, sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_RUNTIME_DIR": folder}
        environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
        environment.pop("WAYLAND_DISPLAY", None)
        return subprocess.run(["dbus-run-session", "--", "/usr/bin/python3", os.path.abspath(__file__), binaries, folder], env=environment,
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
