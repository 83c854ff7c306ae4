// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/access/access_table.h"

#include <sys/stat.h>

#include <algorithm>

#include "collectors/hub/access/certificates.h"
#include "model/time_text.h"

namespace runglass {
namespace {

constexpr int kAllowedFailures = 10;
constexpr DurNs kFailuresFor = 60 * kNsPerSecond;
constexpr std::size_t kMaxAddresses = 65'536;
constexpr DurNs kLookEvery = kNsPerSecond;

// Why an entry is no longer valid; empty: it is valid.
std::string overBecause(const AccessEntry& entry, TimeNs now) {
  if (entry.revoked && *entry.revoked <= now) return "was revoked at " + utcText(*entry.revoked);
  if (entry.expires && *entry.expires <= now) return "expired at " + utcText(*entry.expires);
  return {};
}

}  // namespace

Result<std::unique_ptr<AccessTable>> AccessTable::open(const std::string& path, Now now) {
  std::unique_ptr<AccessTable> book(new AccessTable(path));
  if (path.empty()) return book;
  const MutexLock lock(book->m_mutex);
  book->m_version = book->version();
  RG_ASSIGN(book->m_file, readAccessFile(path));
  book->m_looked = now.mono;
  return book;
}

AccessTable::Version AccessTable::version() const {
  struct stat info {};
  if (stat(m_path.c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_size, info.st_mtim.tv_sec * kNsPerSecond + info.st_mtim.tv_nsec};
}

void AccessTable::refresh(DurNs now) {
  m_looked = now;
  const Version there = version();
  if (there == m_version) return;
  Result<AccessFile> file = readAccessFile(m_path);
  m_problem = file.status().message();
  if (!file.ok()) return;
  m_version = there;
  m_file = std::move(file).value();
}

void AccessTable::refreshNowAndThen(DurNs now) {
  if (now - m_looked >= kLookEvery) refresh(now);
}

const AccessEntry* AccessTable::find(const Shown& shown) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (shown.authorization.starts_with(kBearer)) {
    const std::string_view secret = shown.authorization.substr(kBearer.size());
    const std::string_view id = idOfToken(secret);
    const AccessEntry* found = nullptr;
    for (const AccessEntry& entry : m_file.entries) {
      const bool candidate = entry.kind == AccessEntry::Kind::kSecret || (entry.kind == AccessEntry::Kind::kToken && entry.id == id);
      if (candidate && opens(entry, secret)) found = &entry;
    }
    return found;
  }
  if (!shown.authorization.empty() || shown.certificate.empty()) return nullptr;
  const Result<std::string> fingerprint = fingerprintOf(shown.certificate);
  for (const AccessEntry& entry : m_file.entries)
    if (fingerprint.ok() && entry.kind == AccessEntry::Kind::kCertificate && entry.id == *fingerprint) return &entry;
  return nullptr;
}

// Limits the file reads caused by wrong tokens. A valid token is accepted from every address: a tunnel puts many clients behind one.
bool AccessTable::mayLook(const std::string& address, DurNs now) {
  if (m_failures.size() > kMaxAddresses) m_failures.clear();
  Failures& failures = m_failures[address];
  if (now - failures.since > kFailuresFor) failures = {0, now};
  return failures.count < kAllowedFailures && ++failures.count > 0;
}

Result<Pass> AccessTable::check(const Shown& shown, Now now) {
  if (m_path.empty()) return Pass{.scopes = kAllScopes};
  const Status unknown(Code::kUnauthenticated, "session: token or certificate is missing or not known to this hub");
  const MutexLock lock(m_mutex);
  refreshNowAndThen(now.mono);
  const AccessEntry* entry = find(shown);
  // A client added a moment ago need not wait for the next check of the file.
  if (entry == nullptr && mayLook(shown.address, now.mono)) {
    refresh(now.mono);
    entry = find(shown);
  }
  if (entry == nullptr) return unknown;
  if (const std::string why = overBecause(*entry, now.wall); !why.empty())
    return Status(Code::kUnauthenticated, "session: what '" + entry->pass.name + "' showed " + why);
  return entry->pass;
}

bool AccessTable::holds(const Pass& pass, Now now) {
  if (m_path.empty() || pass.id.empty()) return true;
  const MutexLock lock(m_mutex);
  refreshNowAndThen(now.mono);
  for (const AccessEntry& entry : m_file.entries)
    if (entry.pass.id == pass.id)
      return overBecause(entry, now.wall).empty() && entry.pass.scopes == pass.scopes && entry.pass.node == pass.node;
  return false;
}

bool AccessTable::takesTokens(Now now) {
  if (m_path.empty()) return false;
  const MutexLock lock(m_mutex);
  refreshNowAndThen(now.mono);
  return m_file.isIssued() && std::ranges::any_of(m_file.entries, [&](const AccessEntry& entry) {
           return entry.kind == AccessEntry::Kind::kToken && overBecause(entry, now.wall).empty();
         });
}

std::string AccessTable::problem() const {
  const MutexLock lock(m_mutex);
  return m_problem;
}

}  // namespace runglass
