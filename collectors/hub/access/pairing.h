// SPDX-License-Identifier: Apache-2.0
// Pairing: the folder from which a hub knows whom to let in. Everything that is handed to somebody else lies in a folder of its own.
//   ca.pem ca.key          the authority; its key signs, and stays here
//   hub.pem hub.key        the hub's certificate
//   access                 who may connect (access_file.h); the hub reads it again when it changes
//   agents/NODE/           ca.pem, agent.pem and agent.key or token, agent.toml
//   readers/NAME/          ca.pem, token
//
// Threading:  one thread; one process at a time works on a folder.
// Ownership:  none.
// Units:      days, hours.
// Errors:     INVALID_ARGUMENT a name that cannot be one; ALREADY_EXISTS; NOT_FOUND; UNAVAILABLE a file that cannot be written. What was
//             made before an error stays and is listed in `access` only if it is whole.
// Cost:       a key and a signature each.
#pragma once

#include <string>
#include <vector>

#include "collectors/hub/access/access_file.h"

namespace runglass {

class Pairing {
 public:
  struct Options {
    std::string folder;
    int days = 365;                           // that what is issued is good for
    std::string installed = "/etc/runglass";  // where an agent's folder will lie on its node
    std::string address;                      // of the hub, as agents reach it: HOST:PORT
  };
  // Opens the folder, or makes it with a new authority.
  static Result<Pairing> open(Options options);

  // A certificate for the hub with these names, and those of this machine's loopback. Anew where there is one already.
  Status certifyHub(std::vector<std::string> names);
  bool hasHub() const;
  std::vector<std::string> hubNames() const;

  enum class Proof : std::uint8_t { kCertificate, kToken };
  // The folder to hand over, and whether it goes to a node.
  struct Handed {
    std::string folder;
    bool agent = false;
  };
  // An agent that may send the data of node `name` and no other's.
  Result<Handed> addAgent(const std::string& name, Proof proof);
  // Somebody with a token: read, or everything but ingest (`admin`: edits, orders).
  Result<Handed> addReader(const std::string& name, bool admin);
  Status revoke(const std::string& name, TimeNs now);
  // A new certificate or token in the same folder; the one before counts for `grace` longer.
  Result<Handed> renew(const std::string& name, TimeNs now, DurNs grace);
  const AccessFile& access() const { return m_access; }

 private:
  explicit Pairing(Options options) : m_options(std::move(options)) {}
  std::string path(const std::string& name) const { return m_options.folder + "/" + name; }
  Result<Handed> hand(AccessEntry entry);
  Status save() const;
  Status checkNew(const std::string& name) const;
  std::string agentToml(const AccessEntry& entry) const;

  Options m_options;
  std::string m_authority, m_authority_key;  // PEM
  AccessFile m_access;
};

}  // namespace runglass
