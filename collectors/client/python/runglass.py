# SPDX-License-Identifier: Apache-2.0
"""runglass: tell Runglass what a training process does (Python 3.7+, standard library only).

    import runglass as rg
    rg.init()                                   # run, attempt and rank come from the launcher's environment
    rg.layout(tp=2, pp=2, dp=2)
    for n in range(steps):
        with rg.step(n):
            with rg.span("forward", part="forward", microbatch=0):
                ...
            rg.scalar("loss", loss)

Without librunglass.so the ring is written by runglass_ring.py, which lies beside this file and is slower; without that too, or with
RUNGLASS=off, every call does nothing. No call raises, blocks or exits.
"""
import atexit
import ctypes
import faulthandler
import gc
import os
import platform
import signal
import sys
import time
import traceback

NONE = -(1 << 63)

_CATEGORIES = {name: i for i, name in enumerate(
    ("compute", "comm", "memcpy", "memset", "runtime", "cpu_op", "annotation", "sync", "dataload", "checkpoint", "gc", "idle", "other"))}
_PARTS = {None: 0, "forward": 1, "backward": 2, "communication": 3, "data": 4, "optimizer": 5}
_PHASES = {name: i for i, name in enumerate(("init", "warmup", "steady", "eval", "checkpoint"))}
_SEVERITIES = {name: i for i, name in enumerate(("debug", "info", "warning", "error", "critical"))}


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("run", ctypes.c_char_p), ("attempt", ctypes.c_char_p), ("dir", ctypes.c_char_p),
                ("framework", ctypes.c_char_p), ("rank", ctypes.c_int64), ("world", ctypes.c_int64), ("local_rank", ctypes.c_int64)]


_I, _L, _U, _S, _D = ctypes.c_int, ctypes.c_int64, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_double
_SIGNATURES = {
    "rg_init": (_I, [ctypes.POINTER(_Options)]), "rg_enabled": (_I, []), "rg_shutdown": (None, [_S]), "rg_rank": (_L, []),
    "rg_local_rank": (_L, []), "rg_layout": (None, [_I] * 6 + [_S]), "rg_coordinates": (None, [_I] * 5), "rg_fact": (None, [_S, _S]),
    "rg_step_begin": (None, [_L]), "rg_step_end": (None, []), "rg_phase": (None, [_I]), "rg_part": (None, [_S, _L, _L]),
    "rg_data_range": (None, [_S, _L, _L]), "rg_name": (_U, [_S]), "rg_scalar_id": (None, [_U, _I, _L, _D]),
    "rg_span_begin_id": (None, [_U, _I, _I, _L, _L, _L, _L]), "rg_span_end": (None, []), "rg_track": (_U, [_S, _S]),
    "rg_span": (None, [_U, _S, _I, _L, _L, _L, _L, _L, _L]), "rg_checkpoint_begin": (None, [_L, _S]),
    "rg_checkpoint_durable": (None, [_L, _S, _L]), "rg_log": (None, [_I, _S, _S]), "rg_dropped": (ctypes.c_uint64, []),
    "rg_now": (_L, []),
}

_lib = None
_on = False
_names = {}
_transfers = {}  # last number of each pair
_cause = None


def _tracer():
    """The CUDA tracer, where one was preloaded into this process."""
    try:
        process = ctypes.CDLL(None)
        process.rg_cuda_trace_every.restype, process.rg_cuda_trace_every.argtypes = _L, [_L]
        process.rg_cuda_trace_steps.restype, process.rg_cuda_trace_steps.argtypes = None, [_L]
        process.rg_cuda_trace_exact.restype, process.rg_cuda_trace_exact.argtypes = None, [_L]
        process.rg_cuda_keep_recent.restype, process.rg_cuda_keep_recent.argtypes = None, [_I]
        return process
    except (OSError, AttributeError, TypeError):
        return None


def trace_kernels(every=None, steps=None, exact=False):
    """Asks the preloaded CUDA tracer to time single kernels in every `every`-th step (0: none), or also in the next `steps` steps; exact:
    these as CUPTI sees them, those inside libraries and graphs too (steps=0: no more). Returns whether there is a tracer."""
    tracer = _tracer()
    if tracer is not None and every is not None:
        tracer.rg_cuda_trace_every(int(every))
    if tracer is not None and steps is not None:
        (tracer.rg_cuda_trace_exact if exact else tracer.rg_cuda_trace_steps)(int(steps))
    return tracer is not None


def keep_recent(seconds):
    """Asks the preloaded CUDA tracer to time every launch and keep about the last `seconds` for a post-mortem (0: no more). Returns whether
    there is a tracer."""
    tracer = _tracer()
    if tracer is not None:
        tracer.rg_cuda_keep_recent(int(seconds))
    return tracer is not None


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    tried = []
    # The tracer contains the library: this module and the tracer must write to one ring.
    for path in ("" if _tracer() is None else "preloaded", os.environ.get("RUNGLASS_LIB"), os.path.join(here, "librunglass.so"), os.path.join(here, "..", "lib", "librunglass.so"),
                 "librunglass.so", "librunglass.so.0"):
        if not path:
            continue
        try:
            library = ctypes.CDLL(None if path == "preloaded" else path)
            for name, (result, arguments) in _SIGNATURES.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
            return library
        except (OSError, AttributeError) as error:
            tried.append("%s: %s" % (path, error))
    try:
        import runglass_ring
        return runglass_ring.Library()
    except Exception as error:  # an unusual platform: continue without it
        tried.append("runglass_ring: %s" % error)
    sys.stderr.write("runglass: off: no library: %s (set RUNGLASS_LIB)\n" % tried[0])
    return None


def _bytes(text):
    return None if text is None else str(text).encode("utf-8", "replace").replace(b"\0", b" ")


def _id(name):
    """The library's number of a name; asked once per name."""
    known = _names.get(name)
    if known is None:
        known = _names[name] = _lib.rg_name(_bytes(name))
    return known


def _number(value):
    return NONE if value is None else int(value)


def init(run=None, attempt=None, dir=None, framework=None, rank=None, world=None, local_rank=None, gc_over_ms=1.0):
    """Switches on. What is not given comes from the environment (torchrun, Slurm, MPI, Ray, Kubernetes, SageMaker, ModelArts, Azure ML).
    Python's garbage collections of `gc_over_ms` and more are spans of the track "Python GC"; None: they are not. Returns whether it is on."""
    global _lib, _on
    if _on:
        return True
    if os.environ.get("RUNGLASS", "").lower() in ("off", "0"):
        return False
    if _lib is None:
        _lib = _load()
        if _lib is None:
            return False
        atexit.register(_at_exit)
        atexit.register(_disarm_stacks)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_detach)
    options = _Options(ctypes.sizeof(_Options), _bytes(run), _bytes(attempt), _bytes(dir), _bytes(framework), _number(rank), _number(world),
                       _number(local_rank))
    _names.clear()
    _transfers.clear()
    _on = _lib.rg_init(ctypes.byref(options)) == 0
    if _on:
        _hook_exceptions()
        _send_facts()
        _watch_collections(gc_over_ms)
        _arm_stacks()
    return _on


def enabled():
    return _on


def shutdown(cause=None):
    """Orderly end of the run; cause defaults to "finished"."""
    global _on
    if _on:
        _on = False
        _lib.rg_shutdown(_bytes(cause))


def _at_exit():
    if _cause is not None:
        shutdown(_cause)


def _detach():
    global _on
    _on = False
    _stacks["path"] = None


# Open until the process ends: faulthandler writes to its descriptor, and the agent checks which process holds it.
_stacks = {"file": None, "path": None}


def _ring_path():
    """The file of this process's ring, as the library holds it open."""
    for number in os.listdir("/proc/self/fd"):
        try:
            path = os.readlink("/proc/self/fd/" + number)
        except OSError:
            continue
        if path.endswith(".ring") and os.path.basename(path).startswith("%d-" % os.getpid()):
            return path
    return None


def _arm_stacks():
    """On SIGURG faulthandler writes the stacks of all threads to a file beside the ring; an agent that captures sends it. The signal is one
    that does nothing where nobody handles it, and a handler of the trainer's own is left alone. RUNGLASS_STACKS=off: not at all."""
    try:
        if os.environ.get("RUNGLASS_STACKS", "").lower() in ("off", "0") or _stacks["file"] is not None:
            return
        if signal.getsignal(signal.SIGURG) is not signal.SIG_DFL:
            return
        ring = _ring_path()
        if ring is None:
            return
        path = ring[:-len(".ring")] + ".stack"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        os.write(file, b"runglass stacks 1 pid %d signal %d\n" % (os.getpid(), signal.SIGURG))
        faulthandler.register(signal.SIGURG, file=file, all_threads=True, chain=False)
        _stacks["file"], _stacks["path"] = file, path
    except (OSError, AttributeError, RuntimeError, ValueError):  # another system, no /proc: no stacks
        pass


def _disarm_stacks():
    path, _stacks["path"] = _stacks["path"], None
    if path is not None:
        try:
            os.unlink(path)
        except OSError:
            pass


def _hook_exceptions():
    """Records an uncaught exception as a log line and as the cause of the end; the previous hook still runs."""
    previous = sys.excepthook
    if getattr(previous, "_runglass", False):
        return

    def hook(kind, value, where):
        global _cause
        if not issubclass(kind, KeyboardInterrupt):
            _cause = ("exception: %s: %s" % (kind.__name__, value))[:250]
            log("".join(traceback.format_exception(kind, value, where)), severity="critical", stream="exception")
        previous(kind, value, where)

    hook._runglass = True
    sys.excepthook = hook


_collection = {"over_ns": None, "began": None, "track": 0, "names": ()}


def _on_collection(phase, info):
    """Called by the collector itself: touches nothing that could start another."""
    if phase == "start":
        _collection["began"] = time.monotonic_ns() if _on else None
        return
    began = _collection["began"]
    if not _on or began is None or _collection["over_ns"] is None:
        return
    took = time.monotonic_ns() - began
    if took >= _collection["over_ns"]:
        name = _collection["names"][min(info.get("generation", 2), 2)]
        _lib.rg_span(_collection["track"], name, 10, began, took, NONE, NONE, NONE, NONE)


def _watch_collections(over_ms):
    _collection["over_ns"] = None if over_ms is None else int(over_ms * 1e6)
    if over_ms is None:
        return
    _collection["names"] = (b"gc generation 0", b"gc generation 1", b"gc generation 2")
    _collection["track"] = _lib.rg_track(b"thread", b"Python GC")
    for name in _collection["names"]:
        _lib.rg_name(name)
    if _on_collection not in gc.callbacks:
        gc.callbacks.append(_on_collection)


def _git_hash(folder):
    """The commit checked out above a folder, read from the files git keeps; None where there is none."""
    try:
        while not os.path.exists(os.path.join(folder, ".git")):
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            folder = parent
        git = os.path.join(folder, ".git")
        if os.path.isfile(git):  # a worktree: "gitdir: PATH"
            with open(git) as file:
                git = os.path.join(folder, file.read().split(":", 1)[1].strip())
        with open(os.path.join(git, "HEAD")) as file:
            head = file.read().strip()
        if not head.startswith("ref: "):
            return head
        roots = [git]
        if os.path.exists(os.path.join(git, "commondir")):
            with open(os.path.join(git, "commondir")) as file:
                roots.append(os.path.join(git, file.read().strip()))
        for root in roots:
            loose = os.path.join(root, head[5:])
            if os.path.exists(loose):
                with open(loose) as file:
                    return file.read().strip()
            packed = os.path.join(root, "packed-refs")
            if os.path.exists(packed):
                with open(packed) as file:
                    for line in file:
                        if line.strip().endswith(" " + head[5:]):
                            return line.split(" ", 1)[0]
    except (OSError, IndexError, UnicodeDecodeError):
        pass
    return None


def _send_facts():
    rank, local_rank = _lib.rg_rank(), _lib.rg_local_rank()
    if rank > 0 and local_rank != 0:
        return  # one process per node reports the node's software
    facts = {"python_version": platform.python_version()}
    torch = sys.modules.get("torch")
    if torch is not None:
        facts["torch_version"] = getattr(torch, "__version__", None)
        facts["torch_cuda_version"] = getattr(getattr(torch, "version", None), "cuda", None)
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    facts["git_hash"] = _git_hash(os.path.dirname(os.path.abspath(script)) if script else os.getcwd())
    for key, value in facts.items():
        if value is not None:
            fact(key, value)


def layout(tp=0, pp=0, dp=0, cp=0, ep=0, vpp=0, order=None):
    """Sizes of the parallel dimensions (0 = not known); order: fastest-varying first, default "tp-cp-ep-dp-pp"."""
    if _on:
        _lib.rg_layout(tp, pp, dp, cp, ep, vpp, _bytes(order))


def coordinates(tp=-1, pp=-1, dp=-1, cp=-1, ep=-1):
    """This rank's place, where the order does not give it."""
    if _on:
        _lib.rg_coordinates(tp, pp, dp, cp, ep)


def fact(key, value):
    if _on:
        _lib.rg_fact(_bytes(key), _bytes(value))


def phase(name):
    """init, warmup, steady, eval or checkpoint: what the coming steps are."""
    if _on:
        _lib.rg_phase(_PHASES.get(name, -1))


def scalar(name, value, step=None, per_rank=False):
    """A value of the whole run (record it on one rank), or of this rank. step: None = the current one."""
    if _on:
        _lib.rg_scalar_id(_names.get(name) or _id(name), per_rank, NONE if step is None else step, value)


def part(name, dur_ns, wait_ns=None):
    if _on:
        _lib.rg_part(_bytes(name), dur_ns, NONE if wait_ns is None else wait_ns)


def data_range(source, first, last):
    if _on:
        _lib.rg_data_range(_bytes(source), first, last)


def checkpoint_begin(step, path=""):
    if _on:
        _lib.rg_checkpoint_begin(step, _bytes(path))


def checkpoint_durable(step, path="", size=None):
    if _on:
        _lib.rg_checkpoint_durable(step, _bytes(path), _number(size))


def log(text, severity="info", stream="client"):
    if _on:
        _lib.rg_log(_SEVERITIES.get(severity, 1), _bytes(stream), _bytes(text))


def dropped():
    """Records refused so far because no agent emptied the ring in time."""
    return _lib.rg_dropped() if _on else 0


class step(object):
    """with rg.step(n): one training step."""
    __slots__ = ("_n",)

    def __init__(self, n):
        self._n = n

    def __enter__(self):
        if _on:
            _lib.rg_step_begin(self._n)
        return self

    def __exit__(self, kind, value, where):
        if _on:
            _lib.rg_step_end()
        return False


def _transfer(sender, receiver, seq):
    """Group and number of a transfer, as rg_pair() makes it: both ends give the same. Each process counts the transfers of a pair."""
    if sender < 0 or receiver < 0:
        return NONE, seq
    group = 1 << 62 | sender << 31 | receiver
    if seq == NONE:
        seq = _transfers[group] = _transfers.get(group, -1) + 1
    return group, seq


class span(object):
    """with rg.span("all_reduce", "comm", part="communication", group=3, seq=17, bytes=4096): a piece of work on this thread.
    with rg.span("send_forward", "comm", send_to=4): or recv_from=: one end of a transfer between two ranks; the n-th send to a rank and its
    n-th receive from here belong together, or those with the same `seq`."""
    __slots__ = ("_name", "_category", "_part", "_microbatch", "_group", "_seq", "_bytes")

    def __init__(self, name, category="compute", part=None, microbatch=NONE, group=NONE, seq=NONE, bytes=NONE, send_to=None, recv_from=None):
        if _on and send_to is not None:
            group, seq = _transfer(_lib.rg_rank(), send_to, seq)
        elif _on and recv_from is not None:
            group, seq = _transfer(recv_from, _lib.rg_rank(), seq)
        self._name = name
        self._category = category
        self._part = part
        self._microbatch = microbatch
        self._group = group
        self._seq = seq
        self._bytes = bytes

    def __enter__(self):
        if _on:
            name = self._name
            _lib.rg_span_begin_id(_names.get(name) or _id(name), _CATEGORIES.get(self._category, 12), _PARTS.get(self._part, 0),
                                  self._microbatch, self._group, self._seq, self._bytes)
        return self

    def __exit__(self, kind, value, where):
        if _on:
            _lib.rg_span_end()
        return False


class batches(object):
    """for batch in rg.batches(loader): the loader's batches; waiting for each is a span `next_batch` and counts as the step's data part.
    What is loaded between two steps belongs to no step: take batches inside `with rg.step(n)` to have it counted."""

    def __init__(self, loader, name="next_batch"):
        self._loader = loader
        self._name = name

    def __len__(self):
        return len(self._loader)

    def __iter__(self):
        iterator = iter(self._loader)
        while True:
            try:
                with span(self._name, "dataload", part="data"):
                    batch = next(iterator)
            except StopIteration:
                return
            yield batch
