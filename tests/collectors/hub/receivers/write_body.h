// SPDX-License-Identifier: Apache-2.0
// WriteBody: a remote_write request as a sender makes it.
#pragma once

#include <snappy.h>

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "collectors/wire/wire_writer.h"
#include "model/time.h"

namespace runglass::test {

inline constexpr std::uint64_t kStaleBits = 0x7FF0000000000002;

class WriteBody {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;
  using Samples = std::vector<std::pair<std::int64_t, double>>;  // ms
  WriteBody& series(const Labels& labels, const Samples& samples) {
    std::string series;
    for (const auto& [name, value] : labels) {
      std::string label;
      wire::appendBytes(label, 1, name);
      wire::appendBytes(label, 2, value);
      wire::appendBytes(series, 1, label);
    }
    for (const auto& [time, value] : samples) {
      std::string sample;
      wire::appendFixed64(sample, 1, std::bit_cast<std::int64_t>(value));
      wire::appendTag(sample, 2, 0);
      wire::appendVarint(sample, static_cast<std::uint64_t>(time));
      wire::appendBytes(series, 2, sample);
    }
    wire::appendBytes(m_bytes, 1, series);
    return *this;
  }
  const std::string& bytes() const { return m_bytes; }
  std::string packed() const { return packed(m_bytes); }
  static std::string packed(const std::string& bytes) {
    std::string out;
    snappy::Compress(bytes.data(), bytes.size(), &out);
    return out;
  }

 private:
  std::string m_bytes;
};

}  // namespace runglass::test
