// SPDX-License-Identifier: Apache-2.0
#include "analysis/job_failure/process_death.h"

#include <charconv>
#include <string_view>

namespace runglass {
namespace {

std::optional<std::int32_t> numberAt(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

// "Out of memory: Killed process 4711 (python) total-vm:...", "Kill process 4711 (python) score 900 or sacrifice child"
std::optional<ProcessDeath> killed(std::string_view text) {
  constexpr std::string_view kProcess = "process ";
  const std::size_t at = text.find(kProcess);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view after = text.substr(at + kProcess.size());
  ProcessDeath out{.name = {}, .pid = numberAt(after), .memory = true, .cgroup = text.starts_with("Memory cgroup")};
  const std::size_t open = after.find('('), close = after.find(')');
  if (open != std::string_view::npos && close != std::string_view::npos && open < close)
    out.name = after.substr(open + 1, close - open - 1);
  return out.pid ? std::optional(std::move(out)) : std::nullopt;
}

// "python[4711]: segfault at ...", "traps: python[4711] general protection fault ip:..."
std::optional<ProcessDeath> crashed(std::string_view text) {
  constexpr std::string_view kTraps = "traps: ";
  if (text.starts_with(kTraps)) text.remove_prefix(kTraps.size());
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  ProcessDeath out{.name = std::string(text.substr(0, open)), .pid = numberAt(text.substr(open + 1))};
  return out.pid ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::optional<ProcessDeath> processDeath(const Event& event) {
  if (event.kind == "oom" && (event.code == "killed" || event.code == "reaped")) return killed(event.message);
  return event.kind == "segfault" ? crashed(event.message) : std::nullopt;
}

}  // namespace runglass
