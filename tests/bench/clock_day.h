// SPDX-License-Identifier: Apache-2.0
// ClockDay: a store with a day of clock readings of 1,250 nodes, one per minute and node. Most clocks follow NTP, a tenth runs free, some
// are stepped.
//
// Threading:  one thread.
// Ownership:  owns the store, in a temporary folder.
// Units:      ns, bytes.
// Errors:     aborts if the store cannot be written.
// Cost:       about 1.8 M readings, a few seconds.
#pragma once

#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {

class ClockDay {
 public:
  static constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;
  static constexpr DurNs kMinute = 60 * kNsPerSecond;
  static constexpr std::uint64_t kNodes = 1'250;
  static constexpr int kMinutes = 24 * 60;

  // The offset of a node's clock at a time of that clock; the clock starts at `start`.
  static DurNs offsetOf(std::uint64_t node, TimeNs raw, TimeNs start = kStart) {
    const double t = static_cast<double>(raw - start) / 1e9, day = 2 * std::numbers::pi / 86'400, phase = static_cast<double>(node);
    const double drift = node % 10 == 0 ? 1e-5 * static_cast<double>(node % 7) : 0;
    const double wander = 1e5 * std::fabs(std::sin(phase)) * std::sin(24 * day * t + phase) + 2e7 * std::sin(day * t + phase);
    const DurNs step = node % 50 == 0 && t > 30'000 ? 300 * kNsPerMs : 0;
    return 30 * kNsPerMs + static_cast<DurNs>(drift * t * 1e9 + wander) + step;
  }

  explicit ClockDay(int minutes = kMinutes) {
    auto writer = m_store.writer().value();
    for (std::uint64_t i = 0; i < kNodes; ++i) m_nodes.push_back(writer->node({.uuid = "n" + std::to_string(i)}));
    (void)writer->close();
    m_empty = std::filesystem::file_size(m_store.path());
    openWriter();
    for (int minute = 0; minute < minutes; ++minute) this->minute(minute, 0, kNodes);
    closeWriter();
    m_bytes = static_cast<std::int64_t>(std::filesystem::file_size(m_store.path())) - static_cast<std::int64_t>(m_empty);
    openWriter();
  }
  void minute(int minute, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      const TimeNs raw = kStart + minute * kMinute + static_cast<TimeNs>(m_random() % 1'000'000'000);
      const auto noise = static_cast<DurNs>(m_random() % 80'000) - 40'000;
      m_writer->clock({.node = m_nodes[i],
                       .session = "0123456789abcdef0123456789abcdef",
                       .raw = raw,
                       .offset = offsetOf(i, raw) + noise,
                       .error = 150'000 + static_cast<DurNs>(m_random() % 150'000),
                       .source = "session"});
    }
    (void)m_writer->flush();
  }
  void closeWriter() { (void)m_writer->close(), m_writer.reset(); }
  void openWriter() { m_writer = m_store.writer().value(); }
  const std::vector<NodeId>& nodes() const { return m_nodes; }
  std::int64_t bytes() const { return m_bytes; }
  std::string path() const { return m_store.path(); }

 private:
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::vector<NodeId> m_nodes;
  std::mt19937_64 m_random{5};
  std::uintmax_t m_empty = 0;
  std::int64_t m_bytes = 0;
};

}  // namespace runglass
