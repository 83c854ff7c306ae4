// SPDX-License-Identifier: Apache-2.0
// Pass: the permissions of an authenticated client of a hub.
#pragma once

#include <cstdint>
#include <string>

namespace runglass {

// ingest: send an agent's data. read: replicate the hub's store. admin: edit it, and send commands to agents. receive: send metrics as
// other programs do (remote_write).
enum class Scope : std::uint8_t { kIngest = 1, kRead = 2, kAdmin = 4, kReceive = 8 };
inline constexpr std::uint8_t kAllScopes = 15;

struct Pass {
  std::string id;    // of the entry used; empty: no credential was required
  std::string name;  // name of the client
  std::string node;  // the only node whose data it may send; empty: any
  std::uint8_t scopes = 0;
  bool allows(Scope scope) const { return (scopes & static_cast<std::uint8_t>(scope)) != 0; }
};

// "ingest,read"; unknown words give 0.
std::uint8_t scopesNamed(const std::string& words);
std::string scopeNames(std::uint8_t scopes);

}  // namespace runglass
