// SPDX-License-Identifier: Apache-2.0
// HubQuestions: how the Readers of a copy ask its hub for what the copy does not hold, over the connection that the copy follows by.
//
// Threading:  thread-safe; ask() blocks. The Mirror says when there is a connection and when it ends.
// Ownership:  shared by the Mirror and the Readers; may outlive the Mirror, then nobody can be asked.
// Units:      bytes, ns.
// Errors:     ask(): UNAVAILABLE the hub cannot be asked (why), CANCELLED `stop` fired, OUT_OF_RANGE the answer would be too large: ask for
//             less of it; else what the hub's Reader said. An answer is whole or an error.
// Cost:       a round trip and the answer's bytes; at most kMostRunning at once, others wait their turn.
#pragma once

#include <cstdint>
#include <memory>

namespace runglass {

class HubQuestions {
 public:
  HubQuestions();
  ~HubQuestions();

  // Grows when anything at the hub did, as often as the feed says so.
  std::uint64_t generation() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
