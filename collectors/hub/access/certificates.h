// SPDX-License-Identifier: Apache-2.0
// Certificates: a small authority of our own (ECDSA P-256), for a hub and those who talk to it. X.509 v3, RFC 5280.
//
// Threading:  any thread.
// Ownership:  PEM texts are values.
// Units:      days.
// Errors:     INVALID_ARGUMENT a name that no certificate can bear, or PEM that is none; INTERNAL what OpenSSL refuses (says what).
// Cost:       a key and a signature: about a millisecond.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct KeyPair {
  std::string certificate, key;  // PEM
};

enum class CertificateUse : std::uint8_t { kServer, kClient };

// A new authority. It signs what a hub and its clients show, and no further authorities.
Result<KeyPair> makeAuthority(int days);
// `names`: DNS names and IP addresses that a server answers to; a client has one name.
Result<KeyPair> issueCertificate(const KeyPair& authority, CertificateUse use, const std::vector<std::string>& names, int days);
// SHA-256 of the certificate (DER), as hex.
Result<std::string> fingerprintOf(std::string_view certificate);
// Until when it is valid.
Result<TimeNs> endOf(std::string_view certificate);
// The names that a server with it answers to.
Result<std::vector<std::string>> namesOf(std::string_view certificate);

}  // namespace runglass
