// SPDX-License-Identifier: Apache-2.0
#include "analysis/goodput/ending.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace runglass {
namespace {

struct Words {
  EndKind kind;
  std::string_view part;
};
// In lower case; the first match decides.
constexpr std::array kWords = {
    Words{EndKind::kHardware, "hardware"},
    Words{EndKind::kHardware, "xid"},
    Words{EndKind::kHardware, "uncorrectable"},
    Words{EndKind::kHardware, "ecc error"},
    Words{EndKind::kHardware, "node lost"},
    Words{EndKind::kHardware, "fallen off the bus"},
    Words{EndKind::kMemory, "out of memory"},
    Words{EndKind::kMemory, "outofmemory"},
    Words{EndKind::kMemory, "oom"},
    Words{EndKind::kHang, "stalled"},
    Words{EndKind::kHang, "hang"},
    Words{EndKind::kHang, "watchdog"},
    Words{EndKind::kHang, "collective timeout"},
    Words{EndKind::kHang, "timed out"},
    Words{EndKind::kStopped, "time limit"},
    Words{EndKind::kStopped, "preempt"},
    Words{EndKind::kStopped, "sigterm"},
    Words{EndKind::kStopped, "terminated"},
    Words{EndKind::kStopped, "cancelled"},
    Words{EndKind::kStopped, "stopped"},
    Words{EndKind::kStopped, "keyboardinterrupt"},
    Words{EndKind::kKilled, "gone without a word"},
    Words{EndKind::kKilled, "killed"},
    Words{EndKind::kKilled, "sigkill"},
    Words{EndKind::kKilled, "signal"},
    Words{EndKind::kException, "exception"},
    Words{EndKind::kException, "error"},
    Words{EndKind::kException, "failed"},
    Words{EndKind::kException, "traceback"},
    Words{EndKind::kFinished, "finished"},
    Words{EndKind::kFinished, "exited"},
    Words{EndKind::kFinished, "completed"},
};

bool isPlan(EndKind kind) { return kind == EndKind::kFinished || kind == EndKind::kStopped; }

EndKind kindOf(std::string_view cause) {
  std::string lower(cause);
  // A cause may be the kind of an event: "out_of_memory".
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
  for (const Words& words : kWords)
    if (lower.find(words.part) != std::string::npos) return words.kind;
  return cause.empty() ? EndKind::kNotSaid : EndKind::kOther;
}

}  // namespace

const char* endKindName(EndKind kind) {
  constexpr std::array kNames = {"running",       "finished",  "stopped", "hardware_fault", "hang",
                                 "out_of_memory", "exception", "killed",  "other",          "not_said"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* endKindWords(EndKind kind) {
  constexpr std::array kNames = {"still runs",    "finished",  "stopped on purpose", "hardware fault", "hang",
                                 "out of memory", "exception", "killed or crashed",  "other",          "not said"};
  return kNames[static_cast<std::size_t>(kind)];
}

Ending endingOf(std::string_view cause, std::optional<bool> planned, std::string_view fault, std::string_view hang) {
  Ending out{.kind = kindOf(cause), .planned = planned, .cause = std::string(cause)};
  // A finding explains an end better than the process's own exit does, unless the end was requested.
  if (!(isPlan(out.kind) && planned.value_or(true)) && !planned.value_or(false)) {
    if (!fault.empty() && out.kind != EndKind::kMemory)
      out.kind = EndKind::kHardware;
    else if (!hang.empty() && (out.kind == EndKind::kNotSaid || out.kind == EndKind::kKilled || out.kind == EndKind::kOther))
      out.kind = EndKind::kHang;
    if (out.cause.empty()) out.cause = !fault.empty() ? fault : hang;
  }
  // A scheduler cancels what a failure left of a job, and a cancelled job's processes are killed or raise exceptions.
  if (planned.value_or(false)) {
    if (out.kind == EndKind::kKilled && !fault.empty()) out.kind = EndKind::kHardware;
    if (out.kind == EndKind::kMemory || out.kind == EndKind::kHardware)
      out.planned = false;
    else if (out.kind == EndKind::kKilled || out.kind == EndKind::kException)
      out.kind = EndKind::kStopped;
  }
  if (!out.planned && out.kind != EndKind::kNotSaid) out.planned = isPlan(out.kind);
  return out;
}

}  // namespace runglass
