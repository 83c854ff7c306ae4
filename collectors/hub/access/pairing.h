// SPDX-License-Identifier: Apache-2.0
// Pairing: the folder with a hub's authority, certificate and clients. The files to hand out to a client are in a folder of their own.
//   ca.pem ca.key          the authority; its key never leaves this folder
//   hub.pem hub.key        the hub's certificate
// access                 the clients (access_file.h); the hub reads it again when it changes
//   agents/NODE/           ca.pem, agent.pem and agent.key or token, agent.toml
//   readers/NAME/          ca.pem, token
//   senders/NAME/          ca.pem, token
//
// Threading:  one thread; one process at a time per folder.
// Units:      days, hours.
// Errors:     INVALID_ARGUMENT a name that is not permitted; ALREADY_EXISTS; NOT_FOUND; UNAVAILABLE a file that cannot be written. Files
//             created before an error stay; an entry is listed in `access` only if it is complete.
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
    int days = 365;                           // validity of issued certificates and tokens
    std::string installed = "/etc/runglass";  // path of an agent's folder on its node
    std::string address;                      // of the hub as agents reach it: HOST:PORT
  };
  // Opens the folder, or creates it with a new authority.
  static Result<Pairing> open(Options options);

  // A certificate for the hub with these names and those of this machine's loopback. Replaces an existing one.
  Status certifyHub(std::vector<std::string> names);
  bool hasHub() const;
  std::vector<std::string> hubNames() const;

  enum class Proof : std::uint8_t { kCertificate, kToken };
  // The folder to hand out, and whether it is for a node.
  struct Handed {
    std::string folder;
    bool agent = false;
  };
  // An agent that may send data of node `name` only.
  Result<Handed> addAgent(const std::string& name, Proof proof);
  // A client with a token: read, or everything but ingest (`admin`: edits, commands).
  Result<Handed> addReader(const std::string& name, bool admin);
  // A program that sends metrics to the hub's receivers, with a token.
  Result<Handed> addSender(const std::string& name);
  Status revoke(const std::string& name, TimeNs now);
  // A new certificate or token in the same folder; the old one stays valid for `grace`.
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
