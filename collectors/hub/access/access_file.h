// SPDX-License-Identifier: Apache-2.0
// The access file of a hub: its clients. One entry a line; secrets are stored as salted SHA-256 digests, so that the file grants no access
// by itself.
//   token ID name=NAME scopes=read expires=2027-11-22T00:00:00Z digest=SALT:SHA256
//   certificate SHA256-OF-THE-CERTIFICATE name=NAME scopes=ingest node=NAME expires=… [revoked=…]
// Any other line is itself a token with every scope: a file written by hand.
//
// Units:      TimeNs, UTC.
// Errors:     INVALID_ARGUMENT with file and line, never the content.
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
  std::string id;            // of a token: its prefix; of a certificate: its fingerprint; of a plain secret: its line
  Pass pass;                 // with the same id
  std::string salt, digest;  // hex; of a plain secret: computed when it is read
  std::optional<TimeNs> expires, revoked;
};

struct AccessFile {
  std::vector<AccessEntry> entries;
  // The file was written by pair: each entry is a certificate or an issued token. Otherwise it is a list of secrets written by hand.
  bool isIssued() const;
};

// The file must be accessible to its owner only and have at least one entry.
Result<AccessFile> readAccessFile(const std::string& path);
// Replaces the whole file, mode 0600. Plain secrets cannot be written back: INVALID_ARGUMENT.
Status writeAccessFile(const std::string& path, const AccessFile& file);

struct IssuedToken {
  std::string secret;  // shown once
  AccessEntry entry;
};
IssuedToken issueToken(std::string name, std::uint8_t scopes, std::string node, std::optional<TimeNs> expires);
// Constant-time comparison for equal lengths.
bool opens(const AccessEntry& entry, std::string_view secret);
// The id of a token that a hub issued; empty: not an issued token.
std::string_view idOfToken(std::string_view secret);

}  // namespace runglass
