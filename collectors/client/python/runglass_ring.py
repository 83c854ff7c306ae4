# SPDX-License-Identifier: Apache-2.0
"""The ring of librunglass written in Python (3.7+, Linux, standard library only), for machines where librunglass.so is not: the same file
(collectors/client/ring_layout.h), the same agent, two to three times slower, and who this process is comes from fewer launchers.

The agent may read only what was written before the word that says so: where a processor lets stores overtake each other (aarch64), fence() keeps
their order.

One lock lets one thread in at a time. A collection or a signal handler that comes while this thread is inside is written when it leaves.
"""
import atexit
import errno
import fcntl
import mmap
import os
import struct
import sys
import threading
import time

NONE = -(1 << 63)
# Constants of ring_layout.h; tests/collectors/client/ring_layout_test.py compares all of them with the header.
_MAGIC, _VERSION, _HEADER, _MAX_STRINGS, _STRING_BYTES = 0x31474E4952475252, 2, 8192, 4096, 524288
_STRING_DATA_AT = _HEADER + _MAX_STRINGS * 8
_SLOTS_AT = _STRING_DATA_AT + _STRING_BYTES
_SLOT, _PAYLOAD, _MIN_SLOTS, _MAX_RING_SLOTS, _MOST_SLOTS = 64, 56, 1024, 1 << 24, 160
_LONGEST_STRING = 1023
# Offsets of the header's fields, in 8-byte words.
_HEAD, _DROPPED, _LOST_NAMES, _TAIL, _TAIL_CHECK, _STRINGS, _IDENTITY_VERSION, _PROGRESS_VERSION = 16, 17, 18, 24, 25, 32, 33, 34
_PID_AT, _BOOT_ID_AT, _END_TIME_AT, _END_STATE_AT, _PROGRESS_AT, _IDENTITY_AT = 32, 64, 104, 280, 320, 432
_LAYOUT_AT, _COORDINATES_AT, _TEXTS_AT = _IDENTITY_AT + 24, _IDENTITY_AT + 48, _IDENTITY_AT + 68
_TEXTS = {"run": (0, 256), "attempt": (256, 256), "framework": (512, 64), "order": (576, 64), "end_cause": (640, 256)}
_SPAN, _SCALAR, _STEP, _PART, _DATA_RANGE, _CHECKPOINT, _LOG, _FACT = 1, 2, 3, 4, 5, 6, 7, 8
_END_EXIT, _END_SHUTDOWN = 1, 2
# Structs, with trailing padding only where another field follows.
_BEGIN_FORM, _PID_FORM, _STRING_FORM, _PROGRESS_FORM = "@QIIIIII", "@qqqq", "@II", "@qqqqqqII"
_IDENTITY_FORM, _LAYOUT_FORM, _COORDINATES_FORM = "@qqq", "@6i", "@5i"
_SPAN_FORM, _SCALAR_FORM, _STEP_FORM, _PART_FORM, _DATA_RANGE_FORM = "@qqqqqqiHH", "@qqdI", "@qqqqq", "@qqqqI", "@qqqqI"
_CHECKPOINT_FORM, _TEXT_FORM, _END_TIME_FORM, _END_STATE_FORM = "@qqqI4x", "@qIII4x", "@q", "@I"
_PARTS = (b"", b"forward", b"backward", b"communication", b"data", b"optimizer")
_INIT, _WARMUP, _STEADY = 0, 1, 2
_RANKS = (("RUNGLASS_RANK", "RUNGLASS_WORLD_SIZE", "RUNGLASS_LOCAL_RANK"), ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
          ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"), ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"))
_LAUNCH = (("SLURM_JOB_ID", "slurm"), ("SLURM_STEP_ID", "step"), ("SLURM_RESTART_COUNT", "requeue"), ("TORCHELASTIC_RUN_ID", "elastic"),
           ("TORCHELASTIC_RESTART_COUNT", "elastic_restart"))
_SECRET = ("TOKEN", "SECRET", "PASSW", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATE_KEY", "ACCESS_KEY", "AUTH")


def _next(counter, by=1):  # wraps at 64 bits, as in C
    return counter + by & (1 << 64) - 1


def _number(name):
    text = os.environ.get(name, "") if name else ""
    return int(text) if text.isdigit() else NONE


def _launch(name):
    value = os.environ.get(name, "")
    return "" if name == "TORCHELASTIC_RUN_ID" and value == "none" else value


def _rank():
    for rank, world, local in _RANKS:
        if _number(rank) != NONE and _number(world) != NONE:
            return _number(rank), _number(world), _number(local)
    return NONE, NONE, NONE


def _attempt():
    said = os.environ.get("RUNGLASS_ATTEMPT") or " ".join("%s=%s" % (label, _launch(name)) for name, label in _LAUNCH if _launch(name))
    return said or "launcher=%d" % os.getppid()


def _run():
    if os.environ.get("RUNGLASS_RUN"):
        return os.environ["RUNGLASS_RUN"]
    if os.environ.get("SLURM_JOB_ID"):
        return "%s-%s" % (os.environ.get("SLURM_JOB_NAME", "slurm"), os.environ["SLURM_JOB_ID"])
    script = os.path.splitext(os.path.basename(sys.argv[0] or "run"))[0] if sys.argv else "run"
    return _launch("TORCHELASTIC_RUN_ID") or "%s-%d" % (script, os.getppid())


def _directory(given):
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    path = given or os.environ.get("RUNGLASS_DIR") or (runtime + "/runglass" if runtime else "/dev/shm/runglass-%d" % os.getuid())
    os.makedirs(path, 0o700, exist_ok=True)
    info = os.lstat(path)
    if os.path.islink(path) or info.st_uid != os.getuid() or info.st_mode & 0o022:
        raise OSError(errno.EPERM, "%s is not a directory of ours that only we can write to" % path)
    return path


class _Fence(object):
    """What a lock's release and the next acquisition order for all threads holds for other processes too. x86 keeps the order of stores by itself."""

    def __init__(self):
        self._lock = None if os.uname().machine in ("x86_64", "i686") else threading.Lock()
        if self._lock:
            self._lock.acquire()

    def __call__(self):
        if self._lock:
            self._lock.release()
            self._lock.acquire()


class _Ring(object):
    """The file. Every method but write() and name() is called under the lock."""

    def __init__(self, directory):
        wanted, slots = int(os.environ.get("RUNGLASS_RING_BYTES") or 32768 * _SLOT) // _SLOT, _MIN_SLOTS
        while slots * 2 <= wanted and slots < _MAX_RING_SLOTS:
            slots *= 2
        stem = "%d-%x" % (os.getpid(), time.monotonic_ns())
        temporary = os.path.join(directory, "." + stem + ".new")
        self.fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.posix_fallocate(self.fd, 0, _SLOTS_AT + slots * _SLOT)
            self.map = mmap.mmap(self.fd, _SLOTS_AT + slots * _SLOT)
            self.words = memoryview(self.map).cast("Q")  # an item is one store of eight bytes
            self.slots = slots
            struct.pack_into(_BEGIN_FORM, self.map, 0, _MAGIC, _VERSION, _HEADER, slots, _MAX_STRINGS, _STRING_BYTES, 0)
            struct.pack_into(_PID_FORM, self.map, _PID_AT, os.getpid(), os.getuid(), time.monotonic_ns(), time.time_ns())
            try:
                with open("/proc/sys/kernel/random/boot_id", "rb") as file:
                    self.map[_BOOT_ID_AT:_BOOT_ID_AT + 36] = file.read(36)
            except (OSError, ValueError):
                pass
            self.words[_TAIL_CHECK] = (1 << 64) - 1
            fcntl.lockf(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rename(temporary, os.path.join(directory, stem + ".ring"))
        except Exception:
            os.unlink(temporary)
            os.close(self.fd)
            raise
        self.lock, self.owner, self.later, self.fence = threading.Lock(), None, [], _Fence()
        self.ids, self.string_bytes = {b"": 0}, 0
        self.words[_STRINGS] = 1  # id 0: no name

    def name(self, text):
        """The number of a text; 0 if it cannot be written now."""
        text = text[:_LONGEST_STRING]
        known = self.ids.get(text)
        if known is not None:
            return known
        if self.owner == threading.get_ident():
            return 0
        with self.lock:
            self.owner = threading.get_ident()
            try:
                number = self.words[_STRINGS]
                if text in self.ids:
                    return self.ids[text]
                if number >= _MAX_STRINGS or self.string_bytes + len(text) > _STRING_BYTES:
                    self.words[_LOST_NAMES] = _next(self.words[_LOST_NAMES])
                    return 0
                at = _STRING_DATA_AT + self.string_bytes
                self.map[at:at + len(text)] = text
                struct.pack_into(_STRING_FORM, self.map, _HEADER + number * 8, self.string_bytes, len(text))
                self.string_bytes += len(text)
                self.fence()
                self.words[_STRINGS] = number + 1
                self.ids[text] = number
                return number
            finally:
                self._leave()

    def write(self, kind, a, b, payload):
        if self.owner == threading.get_ident():  # a garbage collection or signal handler interrupted this method
            self.later.append((kind, a, b, payload))
            return
        with self.lock:
            self.owner = threading.get_ident()
            try:
                self._put(kind, a, b, payload)
            finally:
                self._leave()

    def _leave(self):
        while self.later:
            self._put(*self.later.pop(0))
        self.owner = None

    def _put(self, kind, a, b, payload):
        words, need = self.words, (len(payload) + _PAYLOAD - 1) // _PAYLOAD
        head, check, tail = words[_HEAD], words[_TAIL_CHECK], words[_TAIL]
        if check != tail ^ ((1 << 64) - 1) or tail > head:
            tail = 0
        if need > _MOST_SLOTS or head + need - tail > self.slots:
            words[_DROPPED] = _next(words[_DROPPED])
            return
        words[_HEAD] = _next(head, need)
        for i in range(need):
            at = _SLOTS_AT + ((head + i) & (self.slots - 1)) * _SLOT + 8
            piece = payload[i * _PAYLOAD:(i + 1) * _PAYLOAD]
            self.map[at:at + len(piece)] = piece
        self.fence()
        for i in range(need - 1, -1, -1):  # the first slot's word last
            position = head + i
            word = (position + 1) & 0xFFFFFFFF
            if i == 0:
                self.fence()
                word |= kind << 32 | need << 40 | (a & 0xFF) << 48 | (b & 0xFF) << 56
            words[(_SLOTS_AT + (position & (self.slots - 1)) * _SLOT) // 8] = word

    def progress(self, values, op, phase):
        if not self.lock.acquire(False):
            return  # the next change reports it
        try:
            version = self.words[_PROGRESS_VERSION]
            self.fence()  # the copy written now was the live one before
            struct.pack_into(_PROGRESS_FORM, self.map, _PROGRESS_AT + ((version + 1) & 1) * 56, *values, op, phase)
            self.fence()
            self.words[_PROGRESS_VERSION] = _next(version)
        finally:
            self.lock.release()

    def text(self, field, value):
        offset, size = _TEXTS[field]
        value = (value or b"")[:size - 1]
        self.map[_TEXTS_AT + offset:_TEXTS_AT + offset + size] = value + b"\0" * (size - len(value))


class _Thread(threading.local):
    def __init__(self):
        self.spans, self.track_of, self.track = [], None, 0


class Library(object):
    """The functions of librunglass that runglass.py calls, by the same names."""

    def __init__(self):
        if sys.platform != "linux" or sys.byteorder != "little" or struct.calcsize(_PROGRESS_FORM) != 56:
            raise OSError("only on little-endian Linux")
        self._ring = None
        self._thread = _Thread()
        self._step, self._seen = NONE, 0
        atexit.register(self._end, None, _END_EXIT)

    # --- life

    def rg_init(self, options):
        given = options._obj
        if self._ring is not None and self._pid == os.getpid():
            return 0
        try:
            ring = _Ring(_directory(given.dir.decode() if given.dir else None))
        except Exception as error:
            sys.stderr.write("runglass: off: %s\n" % error)
            return -1
        told = [value if value != NONE else found for value, found in zip((given.rank, given.world, given.local_rank), _rank())]
        struct.pack_into(_IDENTITY_FORM, ring.map, _IDENTITY_AT, *told)
        struct.pack_into(_COORDINATES_FORM, ring.map, _COORDINATES_AT, *[-1] * 5)
        ring.text("run", given.run or _run().encode())
        ring.text("attempt", given.attempt or _attempt().encode())
        ring.text("framework", given.framework)
        ring.text("order", b"tp-cp-ep-dp-pp")
        ring.fence()
        ring.words[_IDENTITY_VERSION] = 2
        self._ring, self._pid, self._rank_told = ring, os.getpid(), told
        self._step, self._seen, self._phase, self._phase_said = NONE, 0, _INIT, False
        return 0

    def _end(self, cause, state):
        ring, self._ring = self._ring, None
        if ring is None or self._pid != os.getpid():
            return
        if cause:
            ring.text("end_cause", cause)
        struct.pack_into(_END_TIME_FORM, ring.map, _END_TIME_AT, time.monotonic_ns())
        _Fence()()  # the ring's own fence may be in use by another thread
        struct.pack_into(_END_STATE_FORM, ring.map, _END_STATE_AT, state)
        os.close(ring.fd)  # releases the lock; the mapping stays for threads that still use it

    def rg_shutdown(self, cause):
        self._end(cause or b"finished", _END_SHUTDOWN)

    def rg_enabled(self):
        return int(self._ring is not None)

    def rg_rank(self):
        return self._rank_told[0] if self._ring else NONE

    def rg_local_rank(self):
        return self._rank_told[2] if self._ring else NONE

    def rg_dropped(self):
        return self._ring.words[_DROPPED] if self._ring else 0

    def rg_now(self):
        return time.monotonic_ns()

    def _identity(self, at, form, values, order=None):
        ring = self._ring
        if ring is None:
            return
        with ring.lock:
            ring.words[_IDENTITY_VERSION] = _next(ring.words[_IDENTITY_VERSION])
            ring.fence()
            struct.pack_into(form, ring.map, at, *values)
            if order:
                ring.text("order", order)
            ring.fence()
            ring.words[_IDENTITY_VERSION] = _next(ring.words[_IDENTITY_VERSION])

    def rg_layout(self, tp, pp, dp, cp, ep, vpp, order):
        self._identity(_LAYOUT_AT, _LAYOUT_FORM, (tp, pp, dp, cp, ep, vpp), order)

    def rg_coordinates(self, *values):
        self._identity(_COORDINATES_AT, _COORDINATES_FORM, values)

    # --- steps

    def _progress(self):
        ring, spans = self._ring, self._thread.spans
        inner = spans[-1] if spans else None
        values = (time.monotonic_ns(), self._step) + ((inner[3], inner[4], inner[5], inner[7]) if inner else (NONE,) * 4)
        ring.progress(values, inner[0] if inner else 0, self._phase)

    def rg_step_begin(self, step):
        if self._ring is None:
            return
        if not self._phase_said:
            self._phase = _INIT if self._seen == 0 else _WARMUP if self._seen < 10 else _STEADY
        self._phase_of_step, self._parts = self._phase, {}
        self._cpu, self._start, self._step = time.process_time_ns(), time.monotonic_ns(), int(step)
        self._progress()

    def rg_step_end(self):
        ring, step = self._ring, self._step
        if ring is None or step == NONE:
            return
        now = time.monotonic_ns()
        ring.write(_STEP, self._phase_of_step, 0,
                   struct.pack(_STEP_FORM, step, self._start, now - self._start, time.process_time_ns() - self._cpu, NONE))
        for part, (dur, wait) in sorted(self._parts.items()):
            self.rg_part(_PARTS[part], dur, wait if part in (3, 4) else NONE)
        self._seen += 1
        self._step = NONE

    def rg_phase(self, phase):
        if self._ring is None or not 0 <= phase <= 4:
            return
        self._phase_said, self._phase = True, phase
        if phase != _STEADY:
            self._phase_of_step = phase
        self._progress()

    def rg_part(self, part, dur, wait):
        if self._ring is not None and part and self._step != NONE:
            self._ring.write(_PART, 0, 0, struct.pack(_PART_FORM, self._step, time.monotonic_ns(), dur, wait, self._ring.name(part)))

    # --- values

    def rg_name(self, text):
        return self._ring.name(text) if self._ring is not None and text else 0

    def rg_scalar_id(self, name, per_rank, step, value):
        if self._ring is not None:
            step = self._step if step == NONE else int(step)
            self._ring.write(_SCALAR, int(bool(per_rank)), 0, struct.pack(_SCALAR_FORM, step, time.monotonic_ns(), value, name))

    def rg_data_range(self, source, first, last):
        if self._ring is not None:
            self._ring.write(_DATA_RANGE, 0, 0, struct.pack(_DATA_RANGE_FORM, self._step, time.monotonic_ns(), first, last, self._ring.name(source or b"")))

    # --- spans

    def _track(self):
        thread = self._thread
        if thread.track_of is not self._ring:
            main = threading.current_thread() is threading.main_thread()
            thread.track_of, thread.spans = self._ring, []
            thread.track = self._ring.name(b"thread\x1fmain" if main else b"thread\x1fthread %d" % threading.get_ident())
        return thread.track

    def _put_span(self, track, depth, name, category, start, dur, microbatch, group, seq, size):
        small = microbatch if -(1 << 31) < microbatch < 1 << 31 else -(1 << 31)
        self._ring.write(_SPAN, category if 0 <= category <= 12 else 12, depth,
                         struct.pack(_SPAN_FORM, start, dur, self._step, seq, size, group, small, name & 0xFFFF, track & 0xFFFF))

    def rg_span_begin_id(self, name, category, part, microbatch, group, seq, size):
        if self._ring is None:
            return
        self._track()
        spans = self._thread.spans
        if microbatch == NONE and spans:
            microbatch = spans[-1][3]
        part = part if 0 < part < len(_PARTS) else 0
        cpu = time.thread_time_ns() if part in (3, 4) else 0
        # 0 name, 1 category, 2 part, 3 microbatch, 4 group, 5 seq, 6 bytes, 7 start, 8 cpu, 9 parts inside
        spans.append([name, category, part, microbatch, group, seq, size, time.monotonic_ns(), cpu, 0])
        self._progress()

    def rg_span_end(self):
        if self._ring is None or self._thread.track_of is not self._ring or not self._thread.spans:
            return
        now, spans = time.monotonic_ns(), self._thread.spans
        name, category, part, microbatch, group, seq, size, start, cpu, inside = spans.pop()
        dur = now - start
        self._put_span(self._thread.track, len(spans), name, category, start, dur, microbatch, group, seq, size)
        if part and self._step != NONE:
            total, waited = self._parts.get(part, (0, 0))
            own = dur - inside
            wait = max(own - (time.thread_time_ns() - cpu), 0) if part in (3, 4) else 0
            self._parts[part] = (total + own, waited + wait)
        if spans:
            spans[-1][9] += dur if part else inside
        self._progress()

    def rg_track(self, kind, name):
        return self._ring.name(kind + b"\x1f" + name) if self._ring is not None else 0

    def rg_span(self, track, name, category, start, dur, microbatch, group, seq, size):
        if self._ring is not None:
            self._put_span(track or self._track(), 0, self._ring.name(name), category, start, dur, microbatch, group, seq, size)

    # --- text

    def _checkpoint(self, durable, step, path, size):
        if self._ring is not None:
            path = (path or b"")[:4096]
            self._ring.write(_CHECKPOINT, durable, 0, struct.pack(_CHECKPOINT_FORM, step, time.monotonic_ns(), size, len(path)) + path)

    def rg_checkpoint_begin(self, step, path):
        self._checkpoint(0, step, path, NONE)

    def rg_checkpoint_durable(self, step, path, size):
        self._checkpoint(1, step, path, size)

    def _text(self, kind, a, b, name, first, second=b""):
        ring = self._ring
        ring.write(kind, a, b, struct.pack(_TEXT_FORM, time.monotonic_ns(), ring.name(name), len(first), len(second)) + first + second)

    def rg_log(self, severity, stream, text):
        if self._ring is not None and text:
            self._text(_LOG, severity if 0 <= severity <= 4 else 1, len(text) > 8000, stream or b"client", text[:8000])

    def rg_fact(self, key, value):
        upper = (key or b"").decode("utf-8", "replace").upper()
        if self._ring is None or not key or value is None or upper == "KEY" or upper.endswith("_KEY") or any(part in upper for part in _SECRET):
            return
        self._text(_FACT, 0, 0, b"", key, value[:4096])
