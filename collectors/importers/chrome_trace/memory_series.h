// SPDX-License-Identifier: Apache-2.0
// MemorySeries: the "[memory]" instants of PyTorch's profiler, one for every allocation and release, as series of each device.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder.
// Units:      ns, bytes.
// Errors:     put(): false for an instant without a size, or of a device beyond kMaxDevices.
// Cost:       one pass over the args and a look-up.
#pragma once

#include <simdjson.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "model/recorder.h"

namespace runglass {

class MemorySeries {
 public:
  static constexpr std::size_t kMaxDevices = 1'024;

  explicit MemorySeries(Recorder& out) : m_out(out) {}
  // allocator_allocated_bytes and allocator_reserved_bytes; for profilers without totals, allocator_change_bytes. `args` must be followed
  // by EventSlicer::kPadding readable bytes.
  bool put(AttemptId attempt, std::optional<std::int32_t> rank, TimeNs time, std::string_view args);

 private:
  struct Device {
    SeriesId allocated, reserved, change;
  };
  Recorder& m_out;
  simdjson::ondemand::parser m_parser;
  std::map<std::pair<std::int64_t, std::int64_t>, Device> m_devices;  // by type and index
};

}  // namespace runglass
