// SPDX-License-Identifier: Apache-2.0
// The fault reported by a kernel message: kind, code, severity and the devices in the text.
//
// Threading:  pure; each thread has its own Scratch.
// Ownership:  Fault views the given text.
// Errors:     most texts report no fault.
// Cost:       one pass over the text; regexes run only where their literals occur.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectors/importers/train_log/rule_set.h"
#include "model/events.h"

namespace runglass::kernel_log {

std::span<const train_log::RuleText> builtinRules();

struct Fault {
  std::string_view kind;  // of the event; "gpu_uuid" is not a fault but gives the UUID of the GPU at `pci`
  std::string code;
  Severity severity = Severity::kInfo;
  std::string pci;  // "0000:9b:00", lower case, 4-digit domain; "" if there is none
  std::string_view uuid, interface_name, pid;
  std::string_view message;  // the text from the start of the fault on
};

std::optional<Fault> faultOf(std::string_view text, train_log::RuleSet::Scratch& scratch);
// "00000000:9B:00" -> "0000:9b:00"
std::string pciAddress(std::string_view printed);

}  // namespace runglass::kernel_log
