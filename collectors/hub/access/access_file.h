// SPDX-License-Identifier: Apache-2.0
// The access file of a hub: who may talk to it. One entry a line; secrets are kept as salted SHA-256, so that the file opens no door.
//   token ID name=NAME scopes=read expires=2027-11-22T00:00:00Z digest=SALT:SHA256
//   certificate SHA256-OF-THE-CERTIFICATE name=NAME scopes=ingest node=NAME expires=… [revoked=…]
// Any other line is a token itself, with every scope: a file that somebody wrote by hand.
//
// Threading:  values.
// Ownership:  values.
// Units:      TimeNs, UTC.
// Errors:     INVALID_ARGUMENT names file and line, never its content.
// Cost:       O(file), at most 1 MiB.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/hub/access/pass.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct AccessEntry {
  enum class Kind : std::uint8_t { kSecret, kToken, kCertificate };
  Kind kind = Kind::kToken;
  std::string id;            // of a token: what it begins with; of a certificate: its fingerprint; of a plain secret: its line
  Pass pass;                 // its id is this one's
  std::string salt, digest;  // hex; of a plain secret: made when it was read
  std::optional<TimeNs> expires, revoked;
};

struct AccessFile {
  std::vector<AccessEntry> entries;
  // pair made it: each proves itself by the certificate or the token that is named here. Else it is a list of secrets that somebody wrote.
  bool isIssued() const;
};

// The file must be its owner's alone and hold at least one entry.
Result<AccessFile> readAccessFile(const std::string& path);
// Replaces the file as a whole, mode 0600. Plain secrets cannot be written again: INVALID_ARGUMENT.
Status writeAccessFile(const std::string& path, const AccessFile& file);

struct IssuedToken {
  std::string secret;  // shown once
  AccessEntry entry;
};
IssuedToken issueToken(std::string name, std::uint8_t scopes, std::string node, std::optional<TimeNs> expires);
// In constant time for equal lengths.
bool opens(const AccessEntry& entry, std::string_view secret);
// Of a token that a hub issued; empty: it is none.
std::string_view idOfToken(std::string_view secret);

}  // namespace runglass
