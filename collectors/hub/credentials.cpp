// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/credentials.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace runglass {
namespace {

constexpr std::size_t kMaxFile = 1U << 20;
constexpr std::size_t kMinToken = 16;

Result<std::string> readFile(const std::string& path, const char* what, bool secret) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": " + std::strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_size > static_cast<off_t>(kMaxFile))
    return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": not a small regular file");
  if (secret && (info.st_mode & 077U) != 0)
    return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": readable by others; chmod 600 it");
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": cannot be read");
  return std::move(text).str();
}

bool equalInConstantTime(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Result<TlsFiles> readTls(const HubOptions& options, bool loopback) {
  TlsFiles files;
  if (options.tls_cert.empty() != options.tls_key.empty())
    return Status(Code::kInvalidArgument, "TLS: " + options.listen + ": certificate and key must be given together");
  if (options.tls_cert.empty()) {
    if (!options.tls_client_ca.empty())
      return Status(Code::kInvalidArgument, "TLS: " + options.listen + ": a client CA needs a certificate and a key");
    if (!loopback)
      return Status(Code::kFailedPrecondition,
                    "listen: " + options.listen +
                        ": reachable from other machines, so TLS is needed: give a certificate, a key, and a token file or client CA");
    return files;
  }
  if (!loopback && options.tls_client_ca.empty() && options.token_file.empty())
    return Status(Code::kFailedPrecondition,
                  "listen: " + options.listen + ": reachable from other machines, so a token file or client CA is needed");
  RG_ASSIGN(files.cert, readFile(options.tls_cert, "TLS certificate", false));
  RG_ASSIGN(files.key, readFile(options.tls_key, "TLS key", true));
  if (!options.tls_client_ca.empty()) {
    RG_ASSIGN(files.client_ca, readFile(options.tls_client_ca, "TLS client CA", false));
  }
  return files;
}

Result<std::vector<std::string>> TokenBook::read(const std::string& path) {
  std::vector<std::string> tokens;
  if (path.empty()) return tokens;
  RG_ASSIGN(const std::string text, readFile(path, "token file", true));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    if (line.size() < kMinToken) return Status(Code::kInvalidArgument, "token file: " + path + ": a token has fewer than 16 characters");
    tokens.push_back(line);
  }
  if (tokens.empty()) return Status(Code::kInvalidArgument, "token file: " + path + ": holds no token");
  return tokens;
}

bool TokenBook::check(std::string_view authorization, const std::string& address, DurNs now) {
  constexpr int kAllowedFailures = 10;
  constexpr std::size_t kMaxAddresses = 65'536;
  const std::lock_guard lock(m_mutex);
  if (m_failures.size() > kMaxAddresses) m_failures.clear();
  Failures& failures = m_failures[address];
  if (now - failures.since > 60 * kNsPerSecond) failures = {0, now};
  if (failures.count >= kAllowedFailures) return false;
  constexpr std::string_view kBearer = "Bearer ";
  bool good = false;
  if (authorization.starts_with(kBearer))
    for (const std::string& token : m_tokens) good = equalInConstantTime(authorization.substr(kBearer.size()), token) || good;
  if (!good)
    ++failures.count;
  else
    m_failures.erase(address);
  return good;
}

}  // namespace runglass
