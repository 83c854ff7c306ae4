// SPDX-License-Identifier: Apache-2.0
// AccessTable: a hub's access file as it is now, and whoever guessed wrong. The file is read again when it changes, so that tokens are
// added, revoked and renewed while the hub runs.
//
// Threading:  any thread.
// Ownership:  keeps salted digests; secrets never appear in messages.
// Units:      TimeNs; DurNs of the monotonic clock.
// Errors:     open(): as readAccessFile(). check(): UNAUTHENTICATED in the same words whatever was wrong, but to whoever holds a token or
//             certificate that was good once. A file that cannot be read any more keeps what was read before; problem() says so.
// Cost:       check() is one SHA-256 for an issued token, O(plain tokens) for others; a stat a second.
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
  // What a call shows of itself.
  struct Shown {
    std::string_view authorization;  // the header's value
    std::string_view certificate;    // PEM that TLS verified; empty: none
    std::string address;
  };
  struct Now {
    TimeNs wall;
    DurNs mono;
  };
  // Empty path: nothing is asked of anybody, and everybody has every scope.
  static Result<std::unique_ptr<AccessTable>> open(const std::string& path, Now now);

  // What is in the file is taken whatever others of its address showed; after ten wrong ones within a minute an address has to wait a
  // second for what was added to the file.
  Result<Pass> check(const Shown& shown, Now now);
  // A pass from check() still holds: neither revoked nor expired since.
  bool holds(const Pass& pass, Now now);
  // Some of those whom pair let in have a token that counts, so that a client need not have a certificate. A list of secrets that somebody
  // wrote comes on top of certificates.
  bool takesTokens(Now now);
  // Why the file cannot be read now; empty: it can.
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
