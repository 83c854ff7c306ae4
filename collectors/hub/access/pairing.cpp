// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/access/pairing.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "collectors/hub/access/certificates.h"
#include "collectors/wire/guarded_file.h"

namespace runglass {
namespace {

constexpr int kAuthorityDays = 3650;
constexpr DurNs kDay = 24 * 3600 * kNsPerSecond;
constexpr std::uint8_t kReader = static_cast<std::uint8_t>(Scope::kRead);
constexpr std::uint8_t kAdministrator = kReader | static_cast<std::uint8_t>(Scope::kAdmin);
constexpr std::uint8_t kSender = static_cast<std::uint8_t>(Scope::kReceive);
constexpr std::uint8_t kAgent = static_cast<std::uint8_t>(Scope::kIngest);

// The name is used as a folder, a word of a line and a name in a certificate.
Status checkName(const std::string& name) {
  const bool good =
      !name.empty() && name.size() <= 64 && name.front() != '.' && name.front() != '-' && std::ranges::all_of(name, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
      });
  if (good) return {};
  return {Code::kInvalidArgument, "pair: '" + name + "' cannot be a name: 1 to 64 of letters, digits, '.', '-' and '_'"};
}

Status makeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || chmod(path.c_str(), 0700) != 0)
    return {Code::kUnavailable, "pair: cannot make " + path + ": " + (error ? error.message() : std::strerror(errno))};
  return {};
}

}  // namespace

Result<Pairing> Pairing::open(Options options) {
  Pairing pairing(std::move(options));
  if (pairing.m_options.days < 1 || pairing.m_options.days > kAuthorityDays)
    return Status(Code::kInvalidArgument, "pair: what is issued may be good for 1 to 3650 days");
  if (!std::filesystem::exists(pairing.path("ca.pem"))) {
    // Prevents overwriting files in a folder given by mistake.
    std::error_code error;
    if (std::filesystem::exists(pairing.m_options.folder) && !std::filesystem::is_empty(pairing.m_options.folder, error))
      return Status(Code::kAlreadyExists, "pair: " + pairing.m_options.folder + ": holds other files and no authority (ca.pem)");
    RG_TRY(makeFolder(pairing.m_options.folder));
    RG_ASSIGN(const KeyPair authority, makeAuthority(kAuthorityDays));
    RG_TRY(replaceGuarded(pairing.path("ca.key"), authority.key, true));
    RG_TRY(replaceGuarded(pairing.path("ca.pem"), authority.certificate, false));
  }
  RG_ASSIGN(pairing.m_authority, readGuarded(pairing.path("ca.pem"), "authority", false));
  RG_ASSIGN(pairing.m_authority_key, readGuarded(pairing.path("ca.key"), "the authority's key", true));
  if (std::filesystem::exists(pairing.path("access"))) {
    RG_ASSIGN(pairing.m_access, readAccessFile(pairing.path("access")));
  }
  return pairing;
}

bool Pairing::hasHub() const { return std::filesystem::exists(path("hub.pem")); }

std::vector<std::string> Pairing::hubNames() const {
  const Result<std::string> certificate = readGuarded(path("hub.pem"), "the hub's certificate", false);
  const Result<std::vector<std::string>> names =
      certificate.ok() ? namesOf(*certificate) : Result<std::vector<std::string>>(certificate.status());
  return names.ok() ? *names : std::vector<std::string>();
}

Status Pairing::certifyHub(std::vector<std::string> names) {
  for (const char* own : {"localhost", "127.0.0.1", "::1"})
    if (std::ranges::find(names, own) == names.end()) names.emplace_back(own);
  RG_ASSIGN(const KeyPair pair, issueCertificate({m_authority, m_authority_key}, CertificateUse::kServer, names, m_options.days));
  // A running hub watches both files and loads them once they match.
  RG_TRY(replaceGuarded(path("hub.key"), pair.key, true));
  return replaceGuarded(path("hub.pem"), pair.certificate, false);
}

Status Pairing::checkNew(const std::string& name) const {
  RG_TRY(checkName(name));
  for (const AccessEntry& entry : m_access.entries)
    if (entry.pass.name == name && !entry.revoked)
      return {Code::kAlreadyExists, "pair: " + name + ": is known already; --renew gives it new files, --revoke ends it"};
  return {};
}

Result<Pairing::Handed> Pairing::addAgent(const std::string& name, Proof proof) {
  RG_TRY(checkNew(name));
  AccessEntry entry{.kind = proof == Proof::kToken ? AccessEntry::Kind::kToken : AccessEntry::Kind::kCertificate};
  entry.pass = {.name = name, .node = name, .scopes = kAgent};
  return hand(std::move(entry));
}

Result<Pairing::Handed> Pairing::addReader(const std::string& name, bool admin) {
  RG_TRY(checkNew(name));
  AccessEntry entry{.kind = AccessEntry::Kind::kToken};
  entry.pass = {.name = name, .scopes = admin ? kAdministrator : kReader};
  return hand(std::move(entry));
}

Result<Pairing::Handed> Pairing::addSender(const std::string& name) {
  RG_TRY(checkNew(name));
  AccessEntry entry{.kind = AccessEntry::Kind::kToken};
  entry.pass = {.name = name, .scopes = kSender};
  return hand(std::move(entry));
}

// Creates the files of the client that `entry` describes. It is listed last, so that an incomplete folder grants no access.
Result<Pairing::Handed> Pairing::hand(AccessEntry entry) {
  const bool agent = (entry.pass.scopes & kAgent) != 0;
  const std::string folder = path((agent ? "agents/" : entry.pass.scopes == kSender ? "senders/" : "readers/") + entry.pass.name);
  RG_TRY(makeFolder(folder));
  RG_TRY(replaceGuarded(folder + "/ca.pem", m_authority, false));
  const TimeNs expires = (wallNow() / kNsPerSecond) * kNsPerSecond + m_options.days * kDay;
  if (entry.kind == AccessEntry::Kind::kToken) {
    const IssuedToken issued = issueToken(entry.pass.name, entry.pass.scopes, entry.pass.node, expires);
    RG_TRY(replaceGuarded(folder + "/token", issued.secret + "\n", true));
    entry = issued.entry;
  } else {
    RG_ASSIGN(const KeyPair pair,
              issueCertificate({m_authority, m_authority_key}, CertificateUse::kClient, {entry.pass.name}, m_options.days));
    RG_TRY(replaceGuarded(folder + "/agent.key", pair.key, true));
    RG_TRY(replaceGuarded(folder + "/agent.pem", pair.certificate, false));
    RG_ASSIGN(entry.id, fingerprintOf(pair.certificate));
    entry.pass.id = entry.id;
    entry.expires = expires;
  }
  if (agent) RG_TRY(replaceGuarded(folder + "/agent.toml", agentToml(entry), false));
  m_access.entries.push_back(std::move(entry));
  RG_TRY(save());
  return Handed{folder, agent};
}

std::string Pairing::agentToml(const AccessEntry& entry) const {
  const std::string& at = m_options.installed;
  std::string text = "# Of node " + entry.pass.name + "; made by runglassctl pair.\nhub = \"" + m_options.address +
                     "\"\n\n[agent]\ntls_ca = \"" + at + "/ca.pem\"\n";
  if (entry.kind == AccessEntry::Kind::kToken) {
    text += "token_file = \"" + at + "/token\"\n";
  } else {
    text += "tls_cert = \"" + at + "/agent.pem\"\ntls_key = \"" + at + "/agent.key\"\n";
  }
  // A node's agent runs as root, for the trainers of every user.
  return text + "\n[node]\nname = \"" + entry.pass.name + "\"\n\n[source.client]\nusers = \"all\"\n";
}

Status Pairing::save() const { return writeAccessFile(path("access"), m_access); }

Status Pairing::revoke(const std::string& name, TimeNs now) {
  int revoked = 0;
  for (AccessEntry& entry : m_access.entries) {
    if (entry.pass.name != name || entry.revoked) continue;
    entry.revoked = now;
    ++revoked;
  }
  if (revoked == 0) return {Code::kNotFound, "pair: " + name + ": no agent or reader of that name"};
  return save();
}

Result<Pairing::Handed> Pairing::renew(const std::string& name, TimeNs now, DurNs grace) {
  std::optional<AccessEntry> renewed;
  for (AccessEntry& entry : m_access.entries) {
    if (entry.pass.name != name || entry.revoked) continue;
    renewed = entry;
    entry.expires = std::min(entry.expires.value_or(now + grace), now + grace);
  }
  if (!renewed) return Status(Code::kNotFound, "pair: " + name + ": no agent or reader of that name");
  return hand(std::move(*renewed));
}

}  // namespace runglass
