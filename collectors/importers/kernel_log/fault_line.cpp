// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/kernel_log/fault_line.h"

#include <algorithm>
#include <cctype>

#include "model/fault_catalog.h"
#include "model/trainer_name.h"

namespace runglass::kernel_log {
namespace {
using train_log::Match;

const train_log::RuleSet& rules() {
  static const auto kRules = train_log::RuleSet::compile(builtinRules());
  RG_CHECK(kRules.ok());
  return **kRules;
}

std::string_view capture(const Match& match, std::string_view name) {
  for (std::size_t i = 0; i < match.rule->captures.size(); ++i)
    if (match.rule->captures[i].name == name) return match.groups[i];
  return {};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Maps the terms of different kernels; those of a recovery become the catalogue's "ok".
std::string codeOf(std::string_view printed) {
  std::string code = lower(printed);
  if (code == "correctable" || code == "ce") return "corrected";
  if (code == "uncorrectable" || code == "ue") return "uncorrected";
  if (code == "restored") return "ok";
  if (code == "kill") return "killed";
  return code;
}
}  // namespace

std::string pciAddress(std::string_view printed) {
  std::string out = lower(printed);
  if (const std::size_t domain = out.find(':'); domain == 8 && out.starts_with("0000")) out.erase(0, 4);
  return out;
}

std::optional<Fault> faultOf(std::string_view text, train_log::RuleSet::Scratch& scratch) {
  rules().match(text, scratch);
  if (scratch.matches.empty()) return std::nullopt;
  const Match& match = scratch.matches.front();
  Fault fault{.kind = match.rule->event, .code = codeOf(capture(match, "code")), .severity = match.rule->severity};
  fault.pci = pciAddress(capture(match, "pci"));
  fault.uuid = capture(match, "uuid");
  fault.interface_name = capture(match, "interface");
  fault.pid = capture(match, "pid");
  fault.message = match.group(train_log::Role::kText);
  if (const FaultInfo* known = findFault(fault.kind, fault.code)) fault.severity = known->severity;
  // The end of another program than a trainer is no fault of a job.
  const std::string_view process = capture(match, "process");
  const bool ended = fault.kind == "segfault" || fault.code == "killed" || fault.code == "reaped";
  if (ended && !process.empty() && !isTrainerProcess(process)) fault.severity = Severity::kInfo;
  // The line is more specific than the catalogue: the same code occurs for links that recovered and for lost ones.
  const std::string fatal = lower(capture(match, "fatal"));
  if (fatal == "fatal") fault.severity = Severity::kCritical;
  if (fatal == "nonfatal" || fatal == "non-fatal") fault.severity = Severity::kWarning;
  return fault;
}

}  // namespace runglass::kernel_log
