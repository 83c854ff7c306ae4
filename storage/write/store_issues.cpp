// SPDX-License-Identifier: Apache-2.0
// StoreWriter: issues. Their codes and sources are what others say: so many different ones are kept, the rest is counted in one row.
#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxIssues = 20'000;  // different ones of a store
constexpr const char* kTooManyIssues = "store.too_many_issues";

std::string issueKey(std::string_view code, std::string_view source) {
  std::string key(code);
  key.push_back('\0');
  return key.append(source);
}

}  // namespace

void StoreWriter::issue(const Issue& issue) {
  atRest();
  if (!m_replaying_stored) addIssue(issue);
}

void StoreWriter::addIssue(const Issue& issue) {
  std::string key = issueKey(issue.code, issue.source);
  if (!m_known_issues.contains(key)) {
    if (m_known_issues.size() >= kMaxIssues && issue.code != kTooManyIssues)
      return addIssue({.code = kTooManyIssues,
                       .source = "store",
                       .count = issue.count,
                       .first = issue.first,
                       .last = issue.last,
                       .detail = "the last one: " + issue.code + " of " + issue.source});
    m_known_issues.insert(key);
  }
  m_tail->append([&](PendingRows& rows) {
    const auto [at, is_new] = m_pending_issues.try_emplace(std::move(key), rows.issues.size());
    if (is_new)
      rows.issues.push_back(issue);
    else
      runglass::addIssue(rows.issues[at->second], issue);
  });
}

const Issue* StoreWriter::waiting(const Issue& issue) const {
  const auto found = m_pending_issues.find(issueKey(issue.code, issue.source));
  return found == m_pending_issues.end() ? nullptr : &m_tail->pendingRows().issues[found->second];
}

Status StoreWriter::loadIssues() {
  RG_ASSIGN(auto rows, m_db.prepare("SELECT code, source FROM rg_issue LIMIT ?"));
  rows.bind(1, static_cast<std::int64_t>(kMaxIssues));
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return {};
    m_known_issues.insert(issueKey(rows.text(0), rows.text(1)));
  }
}

}  // namespace runglass
