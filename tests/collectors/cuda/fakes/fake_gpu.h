// SPDX-License-Identifier: Apache-2.0
// A simulated GPU: streams with a virtual clock that runs ahead of the host's, events on them, and counters of misuse.
//
// Threading:  any thread.
// Ownership:  streams and events live until the process ends.
// Units:      ns of CLOCK_MONOTONIC.
// Errors:     CUDA's numbers. Injected by environment: FAKE_RECORD_FAILS_AFTER=n, FAKE_QUERY_FAILS_AFTER=n (then always 700),
//             FAKE_NEVER_DONE=1 (no event completes). FAKE_INSTANT=1: work takes no time. FAKE_DRIFT_PPM=n: the GPU's clock runs fast.
//             FAKE_ONE_QUEUE=1: an event on an idle stream waits for all work launched before it.
// Cost:       an atomic operation and a clock reading per call, so that a bench measures the tracer and not the fake.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#define FAKE_API extern "C" __attribute__((visibility("default")))

namespace fake {

enum Error {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidHandle = 400,
  kNotReady = 600,
  kIllegalAddress = 700,
  kCaptureUnsupported = 900,
  kCaptureImplicit = 906
};

// Counters that a test checks at the end.
struct Report {
  std::atomic<std::int64_t> launches, gemms, collectives, copies;
  std::atomic<std::int64_t> unsafe_in_capture;                               // calls that would have invalidated another thread's capture
  std::atomic<std::int64_t> cupti_subscribed, cupti_enabled, cupti_buffers;  // current numbers: subscriptions, kinds, buffers
  std::atomic<std::int64_t> strays;  // event calls of a thread that never chose a device: these create a context on GPU 0
};

// GPU work as seen by a profiler.
struct Work {
  enum Kind : std::uint8_t { kKernel, kCopy, kSet } kind = kKernel;
  const char* name = "inner_gemm";
  std::int64_t bytes = 0;
  int copy_kind = 0;  // CUDA's
  unsigned grid = 1, block = 1, shared = 0;
  int graph_kernels = 0;  // per launch; they share its time
};
using Observer = void (*)(const Work& work, int device, void* stream, std::int64_t called, std::int64_t start, std::int64_t end);

}  // namespace fake

FAKE_API fake::Report* fakeReport();
FAKE_API std::int64_t fakeNow();

FAKE_API int fakeSetDevice(int device);
FAKE_API int fakeGetDevice(int* device);
FAKE_API int fakeStreamCreate(void** stream);
FAKE_API int fakeStreamSynchronize(void* stream);
FAKE_API int fakeDeviceSynchronize();
// Puts `ns` of work on the stream. During a capture it is only recorded.
FAKE_API int fakeEnqueue(void* stream, std::int64_t ns, const fake::Work& work = {});
// Called with all work from now on; nullptr: with none.
FAKE_API void fakeObserve(fake::Observer observer);
FAKE_API bool fakeObserved();
FAKE_API int fakeCapture(void* stream, int on);
FAKE_API int fakeIsCapturing(void* stream, int* status);
FAKE_API int fakeExchangeCaptureMode(int* mode);
FAKE_API int fakeEventCreate(void** event);
FAKE_API int fakeEventRecord(void* event, void* stream);
FAKE_API int fakeEventQuery(void* event);
FAKE_API int fakeEventSynchronize(void* event);
FAKE_API int fakeEventElapsed(float* ms, void* start, void* end);
