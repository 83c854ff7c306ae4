// SPDX-License-Identifier: Apache-2.0
// AccessTable: the current entries of a hub's access file, and failed attempts per address. The file is read again when it changes, so that
// tokens can be added, revoked and renewed while the hub runs.
//
// Threading:  any thread.
// Ownership:  keeps salted digests; secrets never appear in messages.
// Units:      TimeNs; DurNs of the monotonic clock.
// Errors:     open(): as readAccessFile(). check(): UNAUTHENTICATED with the same message for every cause, except to a client whose token
//             or certificate was valid once. When the file becomes unreadable the last entries stay; problem() has the cause.
// Cost:       check() is one SHA-256 for an issued token, O(plain tokens) for others; one stat a second.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "collectors/hub/access/access_file.h"
#include "model/mutex.h"

namespace runglass {

class AccessTable {
 public:
  // Credentials of a call.
  struct Shown {
    std::string_view authorization;  // value of the header
    std::string_view certificate;    // PEM that TLS has verified; empty: none
    std::string address;
  };
  struct Now {
    TimeNs wall;
    DurNs mono;
  };
  // Empty path: every caller has every scope, without credentials.
  static Result<std::unique_ptr<AccessTable>> open(const std::string& path, Now now);

  // A known credential is accepted regardless of failures from its address. After ten wrong credentials within a minute, an address must
  // wait up to a second for entries newly added to the file.
  Result<Pass> check(const Shown& shown, Now now);
  // Whether a pass from check() is still valid: neither revoked nor expired.
  bool holds(const Pass& pass, Now now);
  // Whether a client can connect without a certificate: the file is written by pair and lists a valid token. A list of secrets written by
  // hand is required in addition to certificates.
  bool takesTokens(Now now);
  // Why the file cannot be read; empty: it can.
  std::string problem() const;

 private:
  struct Version {
    ino_t inode = 0;
    off_t size = 0;
    TimeNs changed = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct Failures {
    int count = 0;
    DurNs since = 0;
  };
  explicit AccessTable(std::string path) : m_path(std::move(path)) {}
  Version version() const;
  void refresh(DurNs now) RG_REQUIRES(m_mutex);
  void refreshNowAndThen(DurNs now) RG_REQUIRES(m_mutex);
  const AccessEntry* find(const Shown& shown) const RG_REQUIRES(m_mutex);
  bool mayLook(const std::string& address, DurNs now) RG_REQUIRES(m_mutex);

  const std::string m_path;
  mutable Mutex m_mutex;
  AccessFile m_file RG_GUARDED_BY(m_mutex);
  Version m_version RG_GUARDED_BY(m_mutex);
  DurNs m_looked RG_GUARDED_BY(m_mutex) = 0;
  std::string m_problem RG_GUARDED_BY(m_mutex);
  std::map<std::string, Failures> m_failures RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
