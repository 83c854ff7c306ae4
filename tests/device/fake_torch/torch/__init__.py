# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch as torch_trainer.py uses, on the libraries of tests/collectors/cuda/fakes: every call launches work of known kind, number and
length there, and the profiler reports that work.

FAKE_PROFILER=misses_one: the profiler leaves out the first kernel.
"""
import ctypes
import sys
import types

__version__ = "0.0 (stand-in)"
version = types.SimpleNamespace(cuda="12.4")
float16 = float32 = bfloat16 = "number"
KERNEL_US, SMALL_US = 100, 2  # chosen here
PRODUCT_US, COLLECTIVE_US, COPY_US = 250, 100, 30  # those of the fakes
H2D, D2H = 1, 2
COPIES = {H2D: "Memcpy HtoD (Pinned -> Device)", D2H: "Memcpy DtoH (Device -> Pageable)"}


class Libraries:
    """Loaded as PyTorch's are; functions are looked up in the process, where a preloaded tracer comes first."""

    def __init__(self):
        for name in ("libfakegpu.so.1", "libcuda.so.1", "libcudart.so.12", "libcublasLt.so.12", "libcublas.so.12", "libnccl.so.2"):
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        self.call = ctypes.CDLL(None)
        handle, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        self.call.cuLaunchKernel.argtypes = [handle] + [ctypes.c_uint] * 7 + [handle] * 3
        self.call.cudaMemcpyAsync.argtypes = [handle, handle, size, number, handle]
        self.call.cudaMemsetAsync.argtypes = [handle, number, size, handle]
        self.call.cublasSgemm_v2.argtypes = [handle] + [number] * 5 + [handle, handle, number, handle, number, handle, handle, number]
        self.call.ncclAllReduce.argtypes = [handle, handle, size, number, number, handle, handle]
        self.function, self.cublas, self.communicator, self.stream = handle(), handle(), handle(), handle()
        self.call.cudaSetDevice(0)
        self.call.cudaStreamCreateWithFlags(ctypes.byref(self.stream), 1)
        self.call.cuModuleGetFunction(ctypes.byref(self.function), None, b"of_the_driver")
        self.call.cublasCreate_v2(ctypes.byref(self.cublas))
        self.call.cublasSetStream_v2(self.cublas, self.stream)
        self.recorded = None

    def record(self, kind, name, microseconds, size=None):
        if self.recorded is not None:
            self.recorded.append({"cat": kind, "name": name, "dur": microseconds, "args": {} if size is None else {"bytes": size}})

    def kernel(self, microseconds=KERNEL_US):
        self.call.cuLaunchKernel(self.function, microseconds, 1, 1, 1, 1, 1, 0, self.stream, None, None)
        self.record("kernel", "of_the_driver", microseconds)

    def product(self):
        self.call.cublasSgemm_v2(self.cublas, 0, 0, 8, 8, 8, None, None, 8, None, 8, None, None, 8)
        self.record("kernel", "inner_gemm", PRODUCT_US)

    def copy(self, size, kind):
        self.call.cudaMemcpyAsync(None, None, size, kind, self.stream)
        self.record("gpu_memcpy", COPIES[kind], COPY_US, size)

    def all_reduce(self):
        self.call.ncclAllReduce(None, None, 64, 7, 0, self.communicator, self.stream)
        self.record("kernel", "ncclDevKernel", COLLECTIVE_US)

    def synchronize(self):
        self.call.cudaStreamSynchronize(self.stream)


gpu = Libraries()


class Tensor:
    grad = "gradient"

    def itself(self, *_, **__):
        return self
    cuda = to = pin_memory = float = pow = mean = itself

    def copy_(self, *_, **__):
        gpu.copy(4096, H2D)

    def add_(self, *_):
        gpu.kernel(SMALL_US)

    def backward(self):
        for _ in range(4):
            gpu.kernel()
        gpu.product()

    def item(self):
        gpu.copy(4, D2H)
        gpu.synchronize()
        return 1.0


def make(*_, **__):
    return Tensor()


randn = empty_like = zeros = make


def mm(*_):
    gpu.product()


def manual_seed(_):
    pass


class Module(Tensor):
    def parameters(self):
        return [Tensor(), Tensor()]

    def __call__(self, _):
        for _ in range(3):
            gpu.kernel()
        gpu.product()
        return Tensor()


class AdamW:
    def __init__(self, *_, **__):
        pass

    def zero_grad(self, **_):
        pass

    def step(self):
        gpu.kernel()


def module(name, **names):
    made = types.ModuleType("torch." + name)
    vars(made).update(names)
    sys.modules["torch." + name] = made
    return made


class Profile:
    def __init__(self, **_):
        self.events = []

    def __enter__(self):
        gpu.recorded = self.events
        return self

    def __exit__(self, *_):
        gpu.recorded = None

    def export_chrome_trace(self, path):
        import json
        import os
        events = self.events
        if os.environ.get("FAKE_PROFILER") == "misses_one":
            events = events[:1] + events[2:]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


def init_process_group(_):
    gpu.call.ncclCommInitRank(ctypes.byref(gpu.communicator), 1, UniqueId(), 0)


def nothing(*_):
    pass


nn = module("nn", TransformerEncoderLayer=make, Sequential=lambda *_: Module())
optim = module("optim", AdamW=AdamW)
cuda = module("cuda", is_available=lambda: True, device_count=lambda: 1, set_device=nothing, is_bf16_supported=lambda: True, synchronize=gpu.synchronize,
              get_device_properties=lambda _: types.SimpleNamespace(total_memory=80 << 30))
profiler = module("profiler", ProfilerActivity=types.SimpleNamespace(CUDA="cuda"), profile=Profile)
distributed = module("distributed", is_nccl_available=lambda: True, init_process_group=init_process_group, destroy_process_group=nothing,
                     all_reduce=lambda _: gpu.all_reduce())
