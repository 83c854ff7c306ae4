// SPDX-License-Identifier: Apache-2.0
// The fault that a text from the kernel tells of: kind, code, severity and what it names.
//
// Threading:  pure; each thread brings its own Scratch.
// Ownership:  Fault views the text that was given.
// Units:      none.
// Errors:     none; most texts tell of no fault.
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
  std::string_view kind;  // of the event; "gpu_uuid" is no fault but names the GPU at `pci`
  std::string code;
  Severity severity = Severity::kInfo;
  std::string pci;  // "0000:9b:00", lower case, 4-digit domain; "" where none is named
  std::string_view uuid, interface_name, pid;
  std::string_view message;  // the text from where the fault begins
};

std::optional<Fault> faultOf(std::string_view text, train_log::RuleSet::Scratch& scratch);
// "00000000:9B:00" -> "0000:9b:00"
std::string pciAddress(std::string_view printed);

}  // namespace runglass::kernel_log
