// SPDX-License-Identifier: Apache-2.0
// Pass: what somebody who proved who he is may ask of a hub.
//
// Threading:  a value.
// Ownership:  a value.
// Units:      none.
// Errors:     none.
// Cost:       none.
#pragma once

#include <cstdint>
#include <string>

namespace runglass {

// ingest: send an agent's data. read: follow what the hub stores. admin: edit it, and order its agents about.
enum class Scope : std::uint8_t { kIngest = 1, kRead = 2, kAdmin = 4 };
inline constexpr std::uint8_t kAllScopes = 7;

struct Pass {
  std::string id;    // of the entry that was shown; empty: none was asked for
  std::string name;  // whose it is
  std::string node;  // the only node whose data it may bring; empty: any
  std::uint8_t scopes = 0;
  bool allows(Scope scope) const { return (scopes & static_cast<std::uint8_t>(scope)) != 0; }
};

// "ingest,read"; unknown words give 0.
std::uint8_t scopesNamed(const std::string& words);
std::string scopeNames(std::uint8_t scopes);

}  // namespace runglass
