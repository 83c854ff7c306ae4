#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the CUDA tracer believes of the binary interfaces of CUDA, cuBLAS, NCCL and CUPTI, held against the headers installed here.

    tests/collectors/cuda/abi_check.py [--cuda /usr/local/cuda] [--cxx c++]

Every interposed function, every function the tracer looks up, every record and constant it relies on. Exits 77 (skipped) where there are no
headers; a library whose header is missing is named and left out.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SOURCES = os.path.join(ROOT, "collectors", "cuda")
SKIPPED = 77
# Used by nvcc's start-up code and by per-thread default streams: not declared in a public header.
UNDECLARED = re.compile(r"^__cuda|_ptsz$")

PRELUDE = r"""
#include <cstddef>
#include <type_traits>
%s
#include "collectors/cuda/gpu_api.h"
#include "collectors/cuda/cupti_abi.h"

// Values that travel the same way: integers and enums of one size, pointers, floats of one size, structs of one size.
template <class T> constexpr int kind = std::is_pointer_v<T> ? 1 : std::is_floating_point_v<T> ? 2 : std::is_class_v<T> || std::is_union_v<T> ? 3 :
    std::is_void_v<T> ? 4 : 5;
template <class T> constexpr std::size_t bytes = sizeof(T);
template <> constexpr std::size_t bytes<void> = 0;
template <class A, class B> constexpr bool alike = kind<A> == kind<B> && bytes<A> == bytes<B>;
template <class A, class B> struct Same : std::false_type {};
template <class R, class... P, class S, class... Q> struct Same<R (*)(P...), S (*)(Q...)> {
  template <class, class> struct All : std::false_type {};
  template <class... X> struct Pack {};
  template <class... X, class... Y> requires(sizeof...(X) == sizeof...(Y)) struct All<Pack<X...>, Pack<Y...>>
      : std::bool_constant<(alike<X, Y> && ... && true)> {};
  static constexpr bool value = alike<R, S> && All<Pack<P...>, Pack<Q...>>::value;
};
#define FIELD(theirs, their_field, ours, our_field)                                                                \
  static_assert(offsetof(theirs, their_field) == offsetof(ours, our_field) &&                                      \
                    sizeof(theirs::their_field) == sizeof(ours::our_field), #theirs "::" #their_field)
"""


def run(command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)


def interposed(compiler):
    """Names and prototypes of what the hooks export, macros expanded."""
    found = {}
    for name in sorted(os.listdir(SOURCES)):
        if not name.startswith("hooks_"):
            continue
        text = run([compiler, "-E", "-P", "-xc", "-std=gnu11", "-I", ROOT, os.path.join(SOURCES, name)]).stdout
        for match in re.finditer(r'__attribute__\s*\(\(visibility\("default"\)\)\)\s*(\w[\w\s*]*?)\s*\b(\w+)\s*(\([^;{}]*\))\s*;', text):
            if not match.group(2).startswith("rg_"):
                found[match.group(2)] = (match.group(1), match.group(3))
    return found


def looked_up():
    """(table, field, function) of every FIND in the tables of functions."""
    pairs = []
    for name, table in (("gpu_api.c", "rgc_gpu_api"), ("cupti_library.c", "rgc_cupti")):
        with open(os.path.join(SOURCES, name)) as file:
            for field, function in re.findall(r'^\s*FIND\((\w+),.*?"(\w+)"\);', file.read(), re.M):
                pairs.append((table, field, function))
    return pairs


def size_rows():
    with open(os.path.join(SOURCES, "cupti_library.c")) as file:
        table = re.search(r"kSizes\[\] = \{(.*?)\n\};", file.read(), re.S).group(1)
    return [tuple(int(number) for number in row.split(",")) for row in re.findall(r"\{([\d, ]+)\}", table)]


KERNEL = {"start": "start", "end": "end", "deviceId": "device", "contextId": "context", "streamId": "stream", "gridX": "grid[0]", "gridY": "grid[1]",
          "gridZ": "grid[2]", "blockX": "block[0]", "blockZ": "block[2]", "staticSharedMemory": "static_shared_bytes",
          "dynamicSharedMemory": "dynamic_shared_bytes", "correlationId": "correlation", "gridId": "grid_id", "name": "name", "queued": "queued",
          "submitted": "submitted", "graphNodeId": "graph_node"}
COPY = {"bytes": "bytes", "start": "start", "end": "end", "deviceId": "device", "contextId": "context", "streamId": "stream",
        "correlationId": "correlation"}
RECORDS = [("CUpti_ActivityKernel", 5, "rgc_cupti_kernel", KERNEL), ("CUpti_ActivityMemcpy", 3, "rgc_cupti_copy", dict(COPY, copyKind="copy_kind")),
           ("CUpti_ActivityMemcpyPtoP", 2, "rgc_cupti_peer_copy", dict(COPY, copyKind="copy_kind")), ("CUpti_ActivityMemset", 2, "rgc_cupti_copy", COPY),
           ("CUpti_ActivityAPI", 0, "rgc_cupti_call", {"start": "start", "end": "end", "correlationId": "correlation"}),
           ("CUpti_ActivityExternalCorrelation", 0, "rgc_cupti_external", {"externalKind": "external_kind", "externalId": "external",
                                                                            "correlationId": "correlation"})]
CONSTANTS = [("CUPTI_ACTIVITY_KIND_MEMCPY", "RGC_CUPTI_MEMCPY"), ("CUPTI_ACTIVITY_KIND_MEMSET", "RGC_CUPTI_MEMSET"),
             ("CUPTI_ACTIVITY_KIND_DRIVER", "RGC_CUPTI_DRIVER"), ("CUPTI_ACTIVITY_KIND_RUNTIME", "RGC_CUPTI_RUNTIME"),
             ("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "RGC_CUPTI_KERNEL"), ("CUPTI_ACTIVITY_KIND_MEMCPY2", "RGC_CUPTI_MEMCPY_PEER"),
             ("CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION", "RGC_CUPTI_EXTERNAL"), ("CUPTI_ERROR_MAX_LIMIT_REACHED", "RGC_CUPTI_LIMIT_REACHED"),
             ("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", "RGC_CUPTI_IN_USE"), ("CUPTI_ACTIVITY_FLAG_FLUSH_FORCED", "RGC_CUPTI_FLUSH_FORCED"),
             ("CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0", "RGC_CUPTI_CUSTOM")]


def cupti_checks(headers, lines, api_version):
    """Every version of every record that the headers know, and the sizes of the newest, which is what this CUPTI writes."""
    newest = {}
    for stem, oldest, ours, fields in RECORDS:
        numbers = sorted({int(number or 0) for number in re.findall(r"\}\s*%s(\d*)\s*;" % stem, headers)})
        for number in numbers:
            if number < oldest:
                continue
            theirs = stem + (str(number) if number else "")
            newest[stem] = theirs
            for field, mine in fields.items():
                lines.append("FIELD(%s, %s, %s, %s);" % (theirs, field, ours, mine))
    for theirs, ours in CONSTANTS:
        lines.append('static_assert(int(%s) == int(%s), "%s");' % (theirs, ours, theirs))
    rows = [row for row in size_rows() if row[0] <= api_version <= row[1]]
    if not rows:
        print("CUPTI's version %d is not in kSizes: exact mode refuses it" % api_version)
    for row in rows:
        for stem, size in zip(("CUpti_ActivityKernel", "CUpti_ActivityMemcpy", "CUpti_ActivityMemcpyPtoP", "CUpti_ActivityMemset"), row[2:]):
            lines.append('static_assert(sizeof(%s) == %d, "kSizes: %s");' % (newest[stem], size, newest[stem]))
    # Definitions of older libraries are in the headers of newer ones.
    for number, size in ((5, 160), (6, 168), (7, 176), (8, 200), (9, 208)):
        if re.search(r"\}\s*CUpti_ActivityKernel%d\s*;" % number, headers):
            assert size in {row[2] for row in size_rows()}, size
            lines.append('static_assert(sizeof(CUpti_ActivityKernel%d) == %d, "kSizes");' % (number, size))


def walk_with_the_real_library(path):
    """CUPTI's own walk over a buffer says how long it thinks its records are; it needs no GPU."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        print("not loaded: %s" % error)
        return 0
    version = ctypes.c_uint32()
    if library.cuptiGetVersion(ctypes.byref(version)) != 0:
        return 0
    rows = [row for row in size_rows() if row[0] <= version.value <= row[1]]
    if not rows:
        return 0
    failures = 0
    for kind, size in zip((10, 1, 22, 2, 4, 5, 39), rows[0][2:] + (40, 40, 24)):
        words = (ctypes.c_uint64 * 128)(*[kind] * 128)
        at = ctypes.c_void_p()
        for _ in range(2):
            status = library.cuptiActivityGetNextRecord(words, ctypes.c_size_t(ctypes.sizeof(words)), ctypes.byref(at))
        stride = (at.value or 0) - ctypes.addressof(words)
        if status == 0 and stride != size:
            print("FAIL  kind %d: CUPTI %d steps %d bytes, kSizes says %d" % (kind, version.value, stride, size))
            failures += 1
    print("walked by %s, version %d" % (path, version.value))
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", default=os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda")
    parser.add_argument("--cxx", default="c++")
    arguments = parser.parse_args()
    include = os.path.join(arguments.cuda, "include")
    if not os.path.exists(os.path.join(include, "cuda_runtime_api.h")) or not os.path.exists(os.path.join(include, "cuda.h")):
        print("skipped: no CUDA headers in %s" % include)
        return SKIPPED
    headers = ["cuda_runtime_api.h", "cuda.h"]
    for name in ("cublas_api.h", "cublasLt.h", "nccl.h", "cupti.h", "cupti_activity_deprecated.h"):
        if os.path.exists(os.path.join(include, name)):
            headers.append(name)
        else:
            print("left out: no %s in %s" % (name, include))
    # The libraries' headers contain C++ overloads of the runtime's functions: these are checked separately.
    libraries = ("cublas_api.h", "cublasLt.h", "nccl.h")
    includes = "\n".join("#include <%s>" % name for name in headers if name not in libraries)
    with_libraries = includes + "".join("\n#include <%s>" % name for name in headers if name in libraries)
    flags = [arguments.cxx, "-std=c++20", "-w", "-I", ROOT, "-isystem", include]
    expanded = run(flags + ["-xc++", "-E", "-P", "-"], with_libraries).stdout
    version = re.search(r"VERSION (\d+)", run(flags + ["-xc++", "-E", "-P", "-"], includes + "\nVERSION CUPTI_API_VERSION\n").stdout)

    ours = interposed(arguments.cxx)
    lines, of_libraries, missing = [], [], []
    declared = lambda name: re.search(r"\b%s\s*\(" % name, expanded) is not None
    prototypes = ["namespace ours {"] + ["%s %s%s;" % (result, name, parameters) for name, (result, parameters) in ours.items()] + ["}"]
    checked = 0
    wanted = [(name, "decltype(&ours::%s)" % name) for name in ours] + [(name, "decltype(%s::%s)" % (table, field)) for table, field, name in looked_up()]
    for name, mine in wanted:
        # In new headers, the second version of a function has the name of the first; the library exports both.
        theirs = next((one for one in (name, re.sub(r"_ptsz$", "", name), name + "_v2") if declared(one)), None)
        # cuBLAS overloads some of its functions in C++: the one with a symbol is declared, but not defined.
        plain = re.search(r"(\w+)\s+%s\s*(\([^;{}]*\))\s*;" % theirs, expanded) if theirs and name.startswith("cublas") else None
        if plain:
            of_libraries.append("namespace theirs { %s %s%s; }" % (plain.group(1), theirs, plain.group(2)))
            theirs = "theirs::" + theirs
        if theirs:
            (of_libraries if name.startswith(("cublas", "nccl")) else lines).append('static_assert(Same<decltype(&::%s), %s>::value, "%s");' % (theirs, mine, name))
            checked += 1
        elif not UNDECLARED.search(name) and not name.startswith(("cupti",) if "cupti.h" not in headers else ("-",)):
            missing.append(name)
    for theirs, mine in (("cudaLaunchConfig_t", "rgc_launch_config"), ("CUlaunchConfig", "rgc_driver_launch_config"), ("dim3", "rgc_dim3")):
        if re.search(r"\b%s\b" % theirs, expanded):
            lines.append('static_assert(sizeof(%s) == sizeof(%s), "%s");' % (theirs, mine, theirs))
    lines.append("FIELD(cudaLaunchConfig_t, stream, rgc_launch_config, stream);")
    lines.append("FIELD(CUlaunchConfig, hStream, rgc_driver_launch_config, stream);")
    if "nccl.h" in headers:
        of_libraries.append('static_assert(sizeof(ncclUniqueId) == sizeof(rgc_nccl_id), "ncclUniqueId");')
    if "cupti.h" in headers and version:
        cupti_checks(expanded, lines, int(version.group(1)))
    for name in missing:
        print("not declared by these headers: %s" % name)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, checks in (("cuda", includes, lines), ("libraries", with_libraries, of_libraries)):
            path = os.path.join(folder, name + ".cpp")
            with open(path, "w") as file:
                file.write(PRELUDE % text + "\n".join(prototypes + checks) + "\n")
            result = run(flags + ["-fsyntax-only", path])
            if result.returncode != 0:
                print("\n".join(line for line in result.stderr.splitlines() if "error" in line)[:4000])
                failures += 1
    print("%d functions and %d facts held against %s" % (checked, len(lines) + len(of_libraries) - checked, include))
    if checked < 40:
        print("FAIL  so few are no check")
        failures = 1
    for name in ("libcupti.so", "libcupti.so.13", "libcupti.so.12"):
        path = os.path.join(arguments.cuda, "lib64", name)
        if os.path.exists(path):
            failures += walk_with_the_real_library(path)
            break
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
