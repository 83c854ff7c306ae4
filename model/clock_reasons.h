// SPDX-License-Identifier: Apache-2.0
// Meanings of the bits and numbers that devices report: clock-event reasons, recovery actions, ECC and row-remap states, RDMA counters.
//
// Threading:  immutable.
// Ownership:  static storage.
// Errors:     an unlisted value has no text here.
// Cost:       a dozen rows each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

struct ClockReason {
  std::uint32_t bit;
  std::string_view words;  // short, for a line
  std::string_view meaning, advice;
  bool alarming;  // worth a finding when it lasts; the others occur in every healthy job
};
inline constexpr std::string_view kClockReasonSource = "NVML API reference vR550, NvmlClocksEventReasons, 2024-03";
std::span<const ClockReason> clockReasons();  // by bit
std::vector<std::string> clockReasonNames(
    std::uint64_t bits);                           // {"software power cap", "hardware thermal slowdown"}; bits without a row as hex
std::string clockReasonWords(std::uint64_t bits);  // "software power cap, hardware thermal slowdown"; "none"; bits without a row as hex

// A value of a catalogued metric and the recommended action. `value` "": the metric grows, or is not 0.
struct StateAdvice {
  std::string_view metric, value;
  std::string_view meaning, advice, source;
};
std::span<const StateAdvice> stateAdvice();
// The row of this metric and value, else the metric's general one; nullptr: unknown.
const StateAdvice* findStateAdvice(std::string_view metric, std::string_view value);

}  // namespace runglass
