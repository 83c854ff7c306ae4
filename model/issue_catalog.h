// SPDX-License-Identifier: Apache-2.0
// The ingest-issue catalogue: every way in which data can be odd or lost, with its severity, scope and a help sentence.
//
// Threading:  immutable.
// Ownership:  static storage.
// Errors:     recording a code that is not in the catalogue is a bug of Runglass; a test checks the codes at all call sites.
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
// Whether the issue means that data of the store is unreadable, so that every answer may be incomplete.
bool meansMissingData(std::string_view code);
const IssueInfo* findIssue(std::string_view code);

}  // namespace runglass
