// SPDX-License-Identifier: Apache-2.0
#include "model/issue_catalog.h"

#include <algorithm>
#include <array>

namespace runglass {
namespace {
using enum Severity;

// Sections by who records them; findIssue() sorts the whole once.
constexpr std::array kIssues = {
    // --- store ---
    IssueInfo{"store.damaged_chunk", kError,
              "A chunk's checksum does not match: the disk or a copy damaged it. Other data is unaffected; restore the file from a copy to "
              "get it back."},
    // --- import ---
    IssueInfo{"import.truncated", kWarning,
              "The file ends in the middle of a record: it was cut off or is still being written. Everything before is imported; import it "
              "again when it has grown."},
};
}  // namespace

std::span<const IssueInfo> issueCatalog() { return kIssues; }

const IssueInfo* findIssue(std::string_view code) {
  static const auto kSorted = [] {
    auto sorted = kIssues;
    std::sort(sorted.begin(), sorted.end(), [](const IssueInfo& a, const IssueInfo& b) { return a.code < b.code; });
    return sorted;
  }();
  const auto it = std::lower_bound(kSorted.begin(), kSorted.end(), code, [](const IssueInfo& i, std::string_view c) { return i.code < c; });
  return it != kSorted.end() && it->code == code ? &*it : nullptr;
}

}  // namespace runglass
