// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/access/access_file.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iomanip>
#include <limits>
#include <sstream>

#include "collectors/wire/guarded_file.h"
#include "model/time_text.h"

namespace runglass {
namespace {

constexpr std::size_t kMinSecret = 16;
constexpr std::string_view kTokenMark = "rg1_";
constexpr std::size_t kIdLetters = 8;
constexpr auto kScopes = std::to_array<std::pair<Scope, std::string_view>>(
    {{Scope::kIngest, "ingest"}, {Scope::kRead, "read"}, {Scope::kAdmin, "admin"}, {Scope::kReceive, "receive"}});

std::string hexOf(const unsigned char* bytes, std::size_t n) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += {kDigits[bytes[i] >> 4U], kDigits[bytes[i] & 15U]};
  return out;
}

std::string randomHex(std::size_t bytes) {
  std::array<unsigned char, 32> random{};
  RG_CHECK(bytes <= random.size() && RAND_bytes(random.data(), static_cast<int>(bytes)) == 1);
  return hexOf(random.data(), bytes);
}

std::string digestOf(const std::string& salt, std::string_view secret) {
  const std::string text = salt + std::string(secret);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  RG_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  return hexOf(digest.data(), size);
}

std::string stampText(TimeNs time) {
  std::string text = utcText(time);
  text[10] = 'T';
  return text;
}

std::optional<TimeNs> stampOf(const std::string& text) {
  std::tm parts{};
  std::istringstream in(text);
  in >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
  if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  constexpr std::int64_t kFarthest = std::numeric_limits<TimeNs>::max() / kNsPerSecond;  // the year 2262
  return std::clamp<std::int64_t>(timegm(&parts), -kFarthest, kFarthest) * kNsPerSecond;
}

AccessEntry plainSecret(const std::string& line) {
  static const std::string salt = randomHex(16);  // one per process, so that a line gives the same entry when the file is read again
  AccessEntry entry{.kind = AccessEntry::Kind::kSecret, .salt = salt};
  entry.digest = digestOf(entry.salt, line);
  entry.pass = {.id = entry.digest, .name = "a token of the file", .scopes = kAllScopes};
  entry.id = entry.digest;
  return entry;
}

bool setField(AccessEntry& entry, const std::string& key, const std::string& value) {
  if (key == "name") {
    entry.pass.name = value;
  } else if (key == "node") {
    entry.pass.node = value;
  } else if (key == "scopes") {
    entry.pass.scopes = scopesNamed(value);
    return entry.pass.scopes != 0;
  } else if (key == "expires") {
    entry.expires = stampOf(value);
    return entry.expires.has_value();
  } else if (key == "revoked") {
    entry.revoked = stampOf(value);
    return entry.revoked.has_value();
  } else if (key == "digest") {
    const std::size_t colon = value.find(':');
    if (colon == std::string::npos) return false;
    entry.salt = value.substr(0, colon);
    entry.digest = value.substr(colon + 1);
  } else {
    return false;
  }
  return true;
}

// The error in the line; empty: none.
std::string readEntry(const std::string& line, AccessEntry& entry) {
  std::istringstream words(line);
  std::string kind;
  words >> kind >> entry.id;
  entry.kind = kind == "token" ? AccessEntry::Kind::kToken : AccessEntry::Kind::kCertificate;
  entry.pass.id = entry.id;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || !setField(entry, word.substr(0, equals), word.substr(equals + 1)))
      return "a word of it cannot be understood";
  }
  if (entry.pass.scopes == 0) return "it names no scopes";
  if (entry.kind == AccessEntry::Kind::kToken ? entry.digest.size() != 64 : entry.id.size() != 64) return "its digest is not a SHA-256";
  return {};
}

}  // namespace

std::uint8_t scopesNamed(const std::string& words) {
  std::uint8_t scopes = 0;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ',');) {
    const auto* const scope = std::ranges::find(kScopes, word, &std::pair<Scope, std::string_view>::second);
    if (scope == kScopes.end()) return 0;
    scopes |= static_cast<std::uint8_t>(scope->first);
  }
  return scopes;
}

std::string scopeNames(std::uint8_t scopes) {
  std::string out;
  for (const auto& [scope, name] : kScopes)
    if ((scopes & static_cast<std::uint8_t>(scope)) != 0) out += (out.empty() ? "" : ",") + std::string(name);
  return out;
}

bool AccessFile::isIssued() const {
  for (const AccessEntry& entry : entries)
    if (entry.kind != AccessEntry::Kind::kSecret) return true;
  return false;
}

Result<AccessFile> readAccessFile(const std::string& path) {
  AccessFile out;
  RG_ASSIGN(const std::string text, readGuarded(path, "token file", true));
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto wrong = [&](const std::string& why) {
      return Status(Code::kInvalidArgument, "token file: " + path + ": line " + std::to_string(number) + ": " + why);
    };
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("token ") || line.starts_with("certificate ")) {
      AccessEntry entry;
      if (const std::string why = readEntry(line, entry); !why.empty()) return wrong(why);
      out.entries.push_back(std::move(entry));
      continue;
    }
    if (line.size() < kMinSecret) return wrong("a token has fewer than 16 characters");
    out.entries.push_back(plainSecret(line));
  }
  if (out.entries.empty()) return Status(Code::kInvalidArgument, "token file: " + path + ": holds no token");
  return out;
}

Status writeAccessFile(const std::string& path, const AccessFile& file) {
  std::string text = "# Who may talk to the hub; written by runglassctl pair. Secrets are not in here.\n";
  for (const AccessEntry& entry : file.entries) {
    if (entry.kind == AccessEntry::Kind::kSecret)
      return {Code::kInvalidArgument, "token file: " + path + ": holds a token that was written by hand; it is not rewritten"};
    const bool token = entry.kind == AccessEntry::Kind::kToken;
    text += (token ? "token " : "certificate ") + entry.id + " name=" + entry.pass.name + " scopes=" + scopeNames(entry.pass.scopes);
    if (!entry.pass.node.empty()) text += " node=" + entry.pass.node;
    if (entry.expires) text += " expires=" + stampText(*entry.expires);
    if (entry.revoked) text += " revoked=" + stampText(*entry.revoked);
    if (token) text += " digest=" + entry.salt + ":" + entry.digest;
    text += '\n';
  }
  return replaceGuarded(path, text, true);
}

IssuedToken issueToken(std::string name, std::uint8_t scopes, std::string node, std::optional<TimeNs> expires) {
  IssuedToken out;
  const std::string id = randomHex(kIdLetters / 2);
  out.secret = std::string(kTokenMark) + id + "_" + randomHex(32);
  out.entry = {.kind = AccessEntry::Kind::kToken, .id = id, .salt = randomHex(16), .expires = expires};
  out.entry.pass = {.id = id, .name = std::move(name), .node = std::move(node), .scopes = scopes};
  out.entry.digest = digestOf(out.entry.salt, out.secret);
  return out;
}

bool opens(const AccessEntry& entry, std::string_view secret) {
  const std::string digest = digestOf(entry.salt, secret);
  return digest.size() == entry.digest.size() && CRYPTO_memcmp(digest.data(), entry.digest.data(), digest.size()) == 0;
}

std::string_view idOfToken(std::string_view secret) {
  if (!secret.starts_with(kTokenMark) || secret.size() < kTokenMark.size() + kIdLetters + 1) return {};
  return secret[kTokenMark.size() + kIdLetters] == '_' ? secret.substr(kTokenMark.size(), kIdLetters) : std::string_view();
}

}  // namespace runglass
