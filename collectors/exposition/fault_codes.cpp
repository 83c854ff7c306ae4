// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/fault_codes.h"

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "model/fault_catalog.h"

namespace runglass {
namespace {

constexpr double kNoXid = 1e6, kNoNpuFault = 4'294'967'296;  // no codes at and above these

// `changed`: the Xid is new; false: it occurred before the first reading.
Event lastXidEvent(double value, bool changed, std::optional<TimeNs> time) {
  const std::string code = std::to_string(static_cast<std::int64_t>(value));
  const FaultInfo* const known = findFault("xid", code);
  const std::string what = "Xid " + code + (known != nullptr ? ": " + std::string(known->meaning) : std::string());
  if (!changed) return {.time = time, .kind = "xid_seen_last", .code = code, .message = "last Xid seen before watching began: " + what};
  const Severity severity = known != nullptr ? known->severity : Severity::kWarning;
  return {.time = time, .kind = "xid", .severity = severity, .code = code, .message = what + " (dcgm-exporter)"};
}

Event npuFaultEvent(double value, std::optional<TimeNs> time) {
  // Huawei's documents list the codes in hexadecimal.
  std::array<char, 24> code{};
  std::snprintf(code.data(), code.size(), "%llX", static_cast<unsigned long long>(value));
  return {.time = time,
          .kind = "npu_fault",
          .severity = Severity::kWarning,
          .code = code.data(),
          .message = "fault code " + std::string(code.data()) + " (npu-exporter, which prints no level)"};
}

}  // namespace

std::optional<Event> FaultCodes::read(CodeGauge gauge, std::uint64_t node, std::uint64_t device, double code, std::optional<TimeNs> time) {
  if (gauge == CodeGauge::kNone) return std::nullopt;
  const auto [last, first] = m_last.try_emplace({gauge, node, device}, code);
  const double before = std::exchange(last->second, code);
  const bool is_code = code > 0 && code < (gauge == CodeGauge::kLastXid ? kNoXid : kNoNpuFault);
  if (!is_code || (!first && before == code)) return std::nullopt;
  return gauge == CodeGauge::kLastXid ? lastXidEvent(code, !first, time) : npuFaultEvent(code, time);
}

}  // namespace runglass
