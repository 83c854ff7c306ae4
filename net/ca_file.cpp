// SPDX-License-Identifier: Apache-2.0
#include "net/ca_file.h"

#include <array>
#include <filesystem>

namespace runglass {

std::string systemCaFile(const std::string& root) {
  static constexpr std::array<const char*, 5> kPlaces = {
      "etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Alpine
      "etc/pki/tls/certs/ca-bundle.crt",                   // Red Hat, Rocky, Fedora, Amazon
      "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Red Hat, the target of that link
      "etc/ssl/ca-bundle.pem",                             // SUSE
      "etc/ssl/cert.pem",                                  // Alpine, and OpenSSL's own default
  };
  for (const char* place : kPlaces) {
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::path(root) / place;
    if (std::filesystem::is_regular_file(path, ignored)) return path.string();
  }
  return {};
}

}  // namespace runglass
