# SPDX-License-Identifier: Apache-2.0
"""A trainer without PyTorch: launches kernels of a known length through the CUDA driver, so that counts and durations are known beforehand.

    cuda_probe.py steps N KERNELS MICROSECONDS          N steps of KERNELS launches each
    cuda_probe.py seconds S KERNELS MICROSECONDS        for S seconds
    cuda_probe.py until-killed FILE KERNELS MICROSECONDS   writes finished steps and the time to FILE, until it is killed

A launch with a grid of N blocks takes N microseconds by the GPU's own timer. The functions are looked up in the process, where a preloaded
tracer comes first. Exit 77: no CUDA driver or no device.
"""
import ctypes
import sys
import time

import runglass
from progress_file import ProgressWriter

PTX = """.version 6.0
.target sm_%d
.address_size 64
.visible .entry runglass_spin()
{
  .reg .pred %%p<3>;
  .reg .b32 %%r<3>;
  .reg .b64 %%t<5>;
  mov.u32 %%r1, %%ctaid.x;
  setp.ne.u32 %%p1, %%r1, 0;
  @%%p1 bra DONE;
  mov.u32 %%r2, %%nctaid.x;
  mul.wide.u32 %%t1, %%r2, 1000;
  mov.u64 %%t2, %%globaltimer;
SPIN:
  mov.u64 %%t3, %%globaltimer;
  sub.u64 %%t4, %%t3, %%t2;
  setp.lt.u64 %%p2, %%t4, %%t1;
  @%%p2 bra SPIN;
DONE:
  ret;
}
"""
NEWEST_TARGET = 70  # of PTX 6.0; drivers compile it for newer GPUs
MAJOR, MINOR = 75, 76


def unavailable(why):
    print("no CUDA: " + why, flush=True)
    sys.exit(77)


class Gpu:
    def __init__(self):
        try:
            ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            unavailable(str(error))
        self.cuda = ctypes.CDLL(None)
        handle, word = ctypes.c_void_p, ctypes.c_uint
        self.cuda.cuLaunchKernel.argtypes = [handle] + [word] * 7 + [handle] * 3
        self.cuda.cuModuleGetFunction.argtypes = [ctypes.POINTER(handle), handle, ctypes.c_char_p]
        self.cuda.cuModuleLoadData.argtypes = [ctypes.POINTER(handle), ctypes.c_char_p]
        self.cuda.cuCtxSetCurrent.argtypes = self.cuda.cuStreamSynchronize.argtypes = [handle]
        error = self.cuda.cuInit(0)
        device, count = ctypes.c_int(), ctypes.c_int()
        if error or self.cuda.cuDeviceGetCount(ctypes.byref(count)) or count.value == 0:
            unavailable("cuInit: error %d, %d devices" % (error, count.value))
        context, module, self.function, self.stream = handle(), handle(), handle(), handle()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", ctypes.byref(module), (PTX % self.target(device)).encode())
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, b"runglass_spin")
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)  # 1: not tied to the default stream

    def target(self, device):
        parts = []
        for attribute in (MAJOR, MINOR):
            value = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
            parts.append(value.value)
        return min(10 * parts[0] + parts[1], NEWEST_TARGET)

    def call(self, name, *arguments):
        error = getattr(self.cuda, name)(*arguments)
        if error:
            raise RuntimeError("%s: CUDA error %d" % (name, error))

    def step(self, kernels, microseconds):
        for _ in range(kernels):
            self.call("cuLaunchKernel", self.function, microseconds, 1, 1, 1, 1, 1, 0, self.stream, None, None)
        self.call("cuStreamSynchronize", self.stream)


def numbers(how, amount):
    """Step numbers from 1 on, for as long as `how` wants them."""
    until = time.monotonic() + float(amount) if how == "seconds" else None
    number = 0
    while how == "until-killed" or (number < int(amount) if how == "steps" else time.monotonic() < until):
        number += 1
        yield number


def main():
    how, amount, kernels, microseconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    runglass.init()
    gpu = Gpu()
    progress = ProgressWriter(amount) if how == "until-killed" else None
    for number in numbers(how, amount):
        with runglass.step(number):
            gpu.step(kernels, microseconds)
        if progress is not None:
            progress.finished(number)
    runglass.shutdown()


if __name__ == "__main__":
    main()
