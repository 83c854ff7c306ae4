// SPDX-License-Identifier: Apache-2.0
// Who may talk to the hub: bearer tokens, certificates, and the rule that nothing listens beyond loopback without TLS.
//
// Threading:  TokenBook::check() from any thread.
// Ownership:  owns what it read; secrets never appear in messages.
// Units:      none.
// Errors:     INVALID_ARGUMENT a file that cannot be used (names it, never its content); FAILED_PRECONDITION an unsafe combination.
// Cost:       check() is O(tokens), in constant time per token.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/hub/hub.h"

namespace runglass {

struct TlsFiles {
  std::string cert, key, client_ca;  // PEM contents; empty = not used
};

// Reads the options' files. `loopback`: the address that will be listened on is.
Result<TlsFiles> readTls(const HubOptions& options, bool loopback);

class TokenBook {
 public:
  // Empty path: no token is asked for.
  static Result<std::vector<std::string>> read(const std::string& path);
  explicit TokenBook(std::vector<std::string> tokens) : m_tokens(std::move(tokens)) {}

  bool required() const { return !m_tokens.empty(); }
  // `authorization`: the header's value. After ten wrong ones within a minute an address is refused unseen for the rest of it.
  bool check(std::string_view authorization, const std::string& address, DurNs now);

 private:
  struct Failures {
    int count = 0;
    DurNs since = 0;
  };
  std::vector<std::string> m_tokens;
  std::mutex m_mutex;
  std::map<std::string, Failures> m_failures;
};

}  // namespace runglass
