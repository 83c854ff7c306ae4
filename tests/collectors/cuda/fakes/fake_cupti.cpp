// SPDX-License-Identifier: Apache-2.0
// libcupti.so, limited to the functions that the tracer calls: records of version FAKE_CUPTI_VERSION (26), packed into the client's
// buffers, which are returned when they are flushed and all their work has ended. Its clock is not the host's.
//   FAKE_CUPTI_RECORDS=n     records per buffer; small: many buffers
//   FAKE_CUPTI_BAD_SIZE=1    kernels are longer than in their version
//   FAKE_CUPTI_WILD=1        the iteration leaves the buffer
//   FAKE_CUPTI_IN_USE=1      another client has subscribed
//   FAKE_CUPTI_FAILS=f       calls of this name fail (subscribe, enable, register)
//   FAKE_CUPTI_DROPS=n       reported as dropped once
//   FAKE_CUPTI_UNTIMED=1     kernels have no times
//   FAKE_CUPTI_LATE=1        every other buffer is returned one flush later
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/collectors/cuda/fakes/fake_gpu.h"

namespace {

enum Kind : std::uint32_t { kMemcpy = 1, kMemset = 2, kDriver = 4, kRuntime = 5, kKernel = 10, kExternal = 39 };
enum Status { kOk = 0, kInvalid = 1, kLimit = 12, kInUse = 39, kUnknown = 999 };

std::int64_t number(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}
bool fails(const char* call) {
  const char* text = std::getenv("FAKE_CUPTI_FAILS");
  return text != nullptr && std::string_view(text) == call;
}
const std::int64_t kVersion = number("FAKE_CUPTI_VERSION", 26);
const std::size_t kMax = static_cast<std::size_t>(number("FAKE_CUPTI_RECORDS", 1000));
constexpr std::int64_t kClockAhead = 1'700'000'000'000'000'000;

std::size_t kernelBytes() {
  const std::size_t more = number("FAKE_CUPTI_BAD_SIZE", 0) > 0 ? 8 : 0;
  return more + (kVersion <= 14 ? 160 : kVersion <= 16 ? 168 : kVersion == 17 ? 176 : kVersion == 18 ? 200 : kVersion <= 28 ? 208 : 216);
}
std::size_t copyBytes() { return kVersion == 13 ? 72 : kVersion <= 16 ? 80 : kVersion <= 25 ? 88 : 96; }
std::size_t setBytes() { return kVersion == 13 ? 72 : kVersion <= 16 ? 80 : 88; }

std::size_t bytesOf(std::uint32_t kind) {
  return kind == kKernel ? kernelBytes() : kind == kMemcpy ? copyBytes() : kind == kMemset ? setBytes() : kind == kExternal ? 24 : 40;
}

struct Buffer {
  std::uint8_t* bytes;
  std::size_t size, used = 0, records = 0, number = 0;
  std::int64_t over = 0, made = fakeNow();                 // over: host time at which all its work has ended
  std::vector<std::pair<std::size_t, std::int64_t>> ends;  // of kernels: position of their times, and when these are known
};

using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Complete = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

std::mutex g_mutex;
Request g_request = nullptr;
Complete g_complete = nullptr;
std::set<int> g_enabled;
std::vector<Buffer> g_buffers;  // the last one is being filled
std::uint32_t g_correlation = 100;
std::size_t g_dropped = static_cast<std::size_t>(number("FAKE_CUPTI_DROPS", 0));
std::map<void*, std::uint32_t> g_streams;
thread_local std::vector<std::uint64_t> t_external;

std::uint32_t streamId(void* stream) {
  if (reinterpret_cast<std::uintptr_t>(stream) <= 1) return 7;
  return g_streams.try_emplace(stream, static_cast<std::uint32_t>(13 + g_streams.size())).first->second;
}

template <class T>
void put(std::vector<std::uint8_t>& record, std::size_t at, T value) {
  std::memcpy(record.data() + at, &value, sizeof(value));
}

void append(const std::vector<std::uint8_t>& record, std::int64_t over, std::size_t times_at = 0) {
  if (g_buffers.empty() || g_buffers.back().records >= kMax || g_buffers.back().size - g_buffers.back().used < record.size()) {
    Buffer buffer{};
    std::size_t most = 0;
    if (g_request != nullptr) g_request(&buffer.bytes, &buffer.size, &most);
    if (buffer.bytes == nullptr) {
      ++g_dropped;
      return;
    }
    ++fakeReport()->cupti_buffers;
    static std::size_t made = 0;
    buffer.number = made++;
    g_buffers.push_back(buffer);
  }
  Buffer& buffer = g_buffers.back();
  std::memcpy(buffer.bytes + buffer.used, record.data(), record.size());
  if (times_at != 0) buffer.ends.emplace_back(buffer.used + times_at, over);
  buffer.used += record.size();
  ++buffer.records;
  buffer.over = buffer.over > over ? buffer.over : over;
}

std::uint64_t stamp(std::int64_t host) { return static_cast<std::uint64_t>(host + kClockAhead); }

void appendKernel(const fake::Work& work, int device, std::uint32_t stream, std::int64_t start, std::int64_t end, std::uint64_t node) {
  static std::set<std::string>& names = *new std::set<std::string>;  // lives as long as the process
  std::vector<std::uint8_t> record(kernelBytes(), 0xAB);             // unknown fields must not matter
  const bool untimed = number("FAKE_CUPTI_UNTIMED", 0) > 0;
  put(record, 0, static_cast<std::uint32_t>(kKernel));
  put(record, 16, untimed ? 0 : stamp(start));
  put(record, 24, untimed ? 0 : stamp(end));
  put(record, 40, device);
  put(record, 48, stream);
  for (const std::size_t at : {56, 60, 68, 72, 76}) put(record, at, at == 76 ? 0 : 1);
  put(record, 52, work.grid);
  put(record, 64, work.block);
  put(record, 80, work.shared);
  put(record, 92, g_correlation);
  put(record, 104, names.insert(work.name).first->c_str());
  put(record, 120, std::uint64_t{0});
  put(record, 144, node);
  append(record, end, 16);
}

void observe(const fake::Work& work, int device, void* stream, std::int64_t called, std::int64_t start, std::int64_t end) {
  const std::lock_guard lock(g_mutex);
  ++g_correlation;
  const std::uint32_t id = streamId(stream);
  if (work.kind == fake::Work::kKernel && g_enabled.contains(kKernel)) {
    const int count = work.graph_kernels > 0 ? work.graph_kernels : 1;
    for (int i = 0; i < count; ++i)
      appendKernel(work, device, id, start + (end - start) * i / count, start + (end - start) * (i + 1) / count,
                   work.graph_kernels > 0 ? static_cast<std::uint64_t>(i) + 1 : 0);
  } else if (work.kind != fake::Work::kKernel && g_enabled.contains(work.kind == fake::Work::kCopy ? kMemcpy : kMemset)) {
    static const std::uint8_t kKinds[] = {9, 1, 2, 8, 0};  // CUPTI's numbers for CUDA's
    const std::uint32_t kind = work.kind == fake::Work::kCopy ? kMemcpy : kMemset;
    std::vector<std::uint8_t> record(bytesOf(kind), 0xAB);
    put(record, 0, kind);
    put(record, 4, kKinds[work.copy_kind]);
    put(record, 8, work.bytes);
    put(record, 16, stamp(start));
    put(record, 24, stamp(end));
    put(record, 32, device);
    put(record, 40, id);
    put(record, 44, g_correlation);
    append(record, end, 16);
  }
  for (const std::uint32_t kind : {kDriver, kRuntime}) {
    if (!g_enabled.contains(static_cast<int>(kind))) continue;
    std::vector<std::uint8_t> record(40, 0xAB);
    put(record, 0, kind);
    put(record, 8, stamp(called + (kind == kRuntime ? 0 : 200)));
    put(record, 16, stamp(called + 500));
    put(record, 32, g_correlation);
    append(record, called);
  }
  if (!t_external.empty() && g_enabled.contains(kExternal)) {
    std::vector<std::uint8_t> record(24, 0xAB);
    put(record, 0, static_cast<std::uint32_t>(kExternal));
    put(record, 4, std::uint32_t{3});
    put(record, 8, t_external.back());
    put(record, 16, g_correlation);
    append(record, called);
  }
}

}  // namespace

FAKE_API int cuptiGetVersion(std::uint32_t* version) {
  *version = static_cast<std::uint32_t>(kVersion);
  return kOk;
}
FAKE_API int cuptiSubscribe(void** subscriber, void*, void*) {
  if (fails("subscribe")) return kUnknown;
  if (number("FAKE_CUPTI_IN_USE", 0) > 0 || fakeReport()->cupti_subscribed > 0) return kInUse;
  ++fakeReport()->cupti_subscribed;
  *subscriber = &g_mutex;
  return kOk;
}
FAKE_API int cuptiUnsubscribe(void* subscriber) {
  if (subscriber != &g_mutex) return kInvalid;
  --fakeReport()->cupti_subscribed;
  return kOk;
}
FAKE_API int cuptiActivityRegisterCallbacks(Request request, Complete complete) {
  if (fails("register")) return kUnknown;
  g_request = request;
  g_complete = complete;
  return kOk;
}
FAKE_API int cuptiActivityEnable(int kind) {
  if (fails("enable")) return kUnknown;
  const std::lock_guard lock(g_mutex);
  g_enabled.insert(kind);
  fakeReport()->cupti_enabled = static_cast<std::int64_t>(g_enabled.size());
  fakeObserve(observe);
  return kOk;
}
FAKE_API int cuptiActivityDisable(int kind) {
  const std::lock_guard lock(g_mutex);
  g_enabled.erase(kind);
  fakeReport()->cupti_enabled = static_cast<std::int64_t>(g_enabled.size());
  if (g_enabled.empty()) fakeObserve(nullptr);
  return kOk;
}
FAKE_API int cuptiActivityFlushAll(std::uint32_t how) {
  std::vector<Buffer> ready;
  {
    const std::lock_guard lock(g_mutex);
    const std::int64_t now = fakeNow();
    for (auto it = g_buffers.begin(); it != g_buffers.end();) {
      const bool late = number("FAKE_CUPTI_LATE", 0) > 0 && it->number % 2 == 1 && now - it->made < 60'000'000;
      if ((it->over > now || late) && how == 0) {
        ++it;
        continue;
      }
      for (const auto& [at, end] : it->ends)
        if (end > now) std::memset(it->bytes + at, 0, 16);  // not ended: no times
      ready.push_back(*it);
      it = g_buffers.erase(it);
    }
  }
  for (const Buffer& buffer : ready) {
    --fakeReport()->cupti_buffers;
    g_complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
  }
  return kOk;
}
FAKE_API int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  if (*record == nullptr) {
    *record = buffer;
    return valid > 0 ? kOk : kLimit;
  }
  std::uint32_t kind = 0;
  std::memcpy(&kind, *record, sizeof(kind));
  if (number("FAKE_CUPTI_WILD", 0) > 0) {
    *record = buffer + valid - 2;
    return kOk;
  }
  std::uint8_t* next = *record + bytesOf(kind);
  if (next >= buffer + valid) return kLimit;
  *record = next;
  return kOk;
}
FAKE_API int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(g_mutex);
  *dropped = g_dropped;
  g_dropped = 0;
  return kOk;
}
FAKE_API int cuptiGetTimestamp(std::uint64_t* time) {
  *time = stamp(fakeNow());
  return kOk;
}
FAKE_API int cuptiGetStreamIdEx(void*, void* stream, std::uint8_t, std::uint32_t* id) {
  const std::lock_guard lock(g_mutex);
  *id = streamId(stream);
  return kOk;
}
FAKE_API int cuptiActivityPushExternalCorrelationId(int, std::uint64_t id) {
  t_external.push_back(id);
  return kOk;
}
FAKE_API int cuptiActivityPopExternalCorrelationId(int, std::uint64_t* last) {
  if (t_external.empty()) return kInvalid;
  *last = t_external.back();
  t_external.pop_back();
  return kOk;
}
