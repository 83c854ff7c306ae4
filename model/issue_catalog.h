// SPDX-License-Identifier: Apache-2.0
// The ingest-issue catalogue: every way in which data can be odd or lost, with its severity, scope and a help sentence.
//
// Threading:  immutable.
// Ownership:  static storage.
// Errors:     recording a code that is not in the catalogue is our bug; a test walks every call site's code.
// Cost:       find() is O(log n).
#pragma once

#include <span>
#include <string_view>

#include "model/events.h"

namespace runglass {

struct IssueInfo {
  std::string_view code;  // "tfevents.bad_data_crc"
  Severity severity;      // kInfo: note; kWarning: odd; kError: data was lost
  std::string_view help;  // what it means and what to do
};

std::span<const IssueInfo> issueCatalog();
// Data of the store cannot be read, so that every answer may be too small.
bool meansMissingData(std::string_view code);
const IssueInfo* findIssue(std::string_view code);

}  // namespace runglass
