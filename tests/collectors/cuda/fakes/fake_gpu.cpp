// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/cuda/fakes/fake_gpu.h"

#include <time.h>

#include <atomic>
#include <cstdlib>

namespace {

constexpr int kDevices = 4;

struct Stream {
  std::atomic<std::int64_t> free_at{0};
  std::atomic<int> capturing{0};
};
struct Event {
  std::atomic<std::int64_t> at{0};
  bool recorded = false;
};

fake::Report g_report;
std::atomic<fake::Observer> g_observer{nullptr};
Stream g_default[kDevices];
std::atomic<int> g_captures{0};
std::atomic<std::int64_t> g_busy_until{0};
std::atomic<std::int64_t> g_records{0}, g_queries{0};
thread_local int t_device = 0, t_mode = 0;
thread_local bool t_has_context = false;

std::int64_t number(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : -1;
}
const std::int64_t kRecordsUntilFailure = number("FAKE_RECORD_FAILS_AFTER"), kQueriesUntilFailure = number("FAKE_QUERY_FAILS_AFTER");
const double kRate = 1 + static_cast<double>(number("FAKE_DRIFT_PPM") > 0 ? number("FAKE_DRIFT_PPM") : 0) / 1e6;
const bool kNeverDone = number("FAKE_NEVER_DONE") > 0, kInstant = number("FAKE_INSTANT") > 0, kOneQueue = number("FAKE_ONE_QUEUE") > 0;

Stream& streamOf(void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle) <= 2 ? g_default[t_device] : *static_cast<Stream*>(handle);
}

// Counts calls that are unsafe while any thread captures in global mode, unless the calling thread relaxed its capture mode.
void mindCaptures() {
  if (g_captures.load(std::memory_order_relaxed) > 0 && t_mode == 0) ++g_report.unsafe_in_capture;
  if (!t_has_context) ++g_report.strays;
}

void waitUntil(std::int64_t time) {
  while (fakeNow() < time) {
    const timespec nap{0, 20'000};
    nanosleep(&nap, nullptr);
  }
}

}  // namespace

fake::Report* fakeReport() { return &g_report; }

std::int64_t fakeNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

int fakeSetDevice(int device) {
  if (device < 0 || device >= kDevices) return fake::kInvalidValue;
  t_device = device;
  t_has_context = true;
  return fake::kSuccess;
}
int fakeGetDevice(int* device) {
  *device = t_device;
  return fake::kSuccess;
}

int fakeStreamCreate(void** stream) {
  *stream = new Stream;
  return fake::kSuccess;
}
int fakeStreamSynchronize(void* stream) {
  if (streamOf(stream).capturing != 0) return fake::kCaptureUnsupported;
  waitUntil(streamOf(stream).free_at);
  return fake::kSuccess;
}
int fakeDeviceSynchronize() { return fakeStreamSynchronize(nullptr); }

void fakeObserve(fake::Observer observer) { g_observer = observer; }
bool fakeObserved() { return g_observer.load(std::memory_order_relaxed) != nullptr; }

int fakeEnqueue(void* handle, std::int64_t ns, const fake::Work& work) {
  t_has_context = true;
  Stream& stream = streamOf(handle);
  if (stream.capturing.load(std::memory_order_relaxed) != 0) return fake::kSuccess;
  if (kInstant) ns = 0;
  std::int64_t before = stream.free_at.load(std::memory_order_relaxed);
  const std::int64_t now = fakeNow();
  while (!stream.free_at.compare_exchange_weak(before, (before > now ? before : now) + ns)) {
  }
  if (const fake::Observer observer = g_observer.load(std::memory_order_relaxed)) {
    const std::int64_t start = before > now ? before : now;
    observer(work, t_device, handle, now, start, start + ns);
  }
  if (kOneQueue) g_busy_until = stream.free_at.load();
  return fake::kSuccess;
}

int fakeCapture(void* stream, int on) {
  streamOf(stream).capturing = on;
  g_captures += on != 0 ? 1 : -1;
  return fake::kSuccess;
}
int fakeIsCapturing(void* handle, int* status) {
  const Stream& stream = streamOf(handle);
  *status = stream.capturing.load(std::memory_order_relaxed);
  const bool legacy = reinterpret_cast<std::uintptr_t>(handle) <= 1;
  return legacy && g_captures.load(std::memory_order_relaxed) > 0 && t_mode == 0 ? fake::kCaptureImplicit : fake::kSuccess;
}
int fakeExchangeCaptureMode(int* mode) {
  if (!t_has_context) ++g_report.strays;
  const int before = t_mode;
  t_mode = *mode;
  *mode = before;
  return fake::kSuccess;
}

int fakeEventCreate(void** event) {
  mindCaptures();
  *event = new Event;
  return fake::kSuccess;
}
int fakeEventRecord(void* handle, void* stream) {
  if (kRecordsUntilFailure >= 0 && g_records++ >= kRecordsUntilFailure) return fake::kIllegalAddress;
  if (streamOf(stream).capturing.load(std::memory_order_relaxed) != 0) {
    ++g_report.unsafe_in_capture;
    return fake::kCaptureUnsupported;
  }
  Event& event = *static_cast<Event*>(handle);
  const std::int64_t now = fakeNow();
  std::int64_t free_at = streamOf(stream).free_at.load(std::memory_order_relaxed);
  if (kOneQueue && free_at == 0) free_at = g_busy_until;
  event.at.store(free_at > now ? free_at : now, std::memory_order_relaxed);
  event.recorded = true;
  return fake::kSuccess;
}
int fakeEventQuery(void* handle) {
  mindCaptures();
  if (kQueriesUntilFailure >= 0 && g_queries++ >= kQueriesUntilFailure) return fake::kIllegalAddress;
  const Event& event = *static_cast<Event*>(handle);
  const bool ours = kNeverDone && event.recorded;
  return !ours && event.at.load(std::memory_order_relaxed) <= fakeNow() ? fake::kSuccess : fake::kNotReady;
}
int fakeEventSynchronize(void* event) {
  waitUntil(static_cast<Event*>(event)->at);
  return fake::kSuccess;
}
int fakeEventElapsed(float* ms, void* start, void* end) {
  const Event &from = *static_cast<Event*>(start), &to = *static_cast<Event*>(end);
  if (!from.recorded || !to.recorded) return fake::kInvalidHandle;
  *ms = static_cast<float>(static_cast<double>(to.at - from.at) / 1e6 * kRate);
  return fake::kSuccess;
}
