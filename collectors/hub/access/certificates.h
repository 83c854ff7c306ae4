// SPDX-License-Identifier: Apache-2.0
// Certificates: a small certificate authority (ECDSA P-256) for a hub and its clients. X.509 v3, RFC 5280.
//
// Threading:  any thread.
// Units:      days.
// Errors:     INVALID_ARGUMENT a name that is not permitted in a certificate, or invalid PEM; INTERNAL an error of OpenSSL, with its
//             message.
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

// A new authority. It signs certificates of a hub and of its clients, not of further authorities.
Result<KeyPair> makeAuthority(int days);
// `names`: a server's DNS names and IP addresses; a client has one name.
Result<KeyPair> issueCertificate(const KeyPair& authority, CertificateUse use, const std::vector<std::string>& names, int days);
// SHA-256 of the certificate (DER), as hex.
Result<std::string> fingerprintOf(std::string_view certificate);
// End of its validity.
Result<TimeNs> endOf(std::string_view certificate);
// The names for which a server certificate is valid.
Result<std::vector<std::string>> namesOf(std::string_view certificate);

}  // namespace runglass
