// SPDX-License-Identifier: Apache-2.0
// JournaledSession: makes a journal decodable alone: in each epoch of the journal, the first payload of a session is preceded by all of its
// definitions.
//
// Threading:  the store writer's thread.
// Ownership:  owns the definitions and the replay.
// Units:      bytes.
// Cost:       the definitions once in memory, and once per epoch in the journal.
#pragma once

#include <string>
#include <string_view>

#include "collectors/wire/payload_replay.h"
#include "storage/writer.h"

namespace runglass {

class JournaledSession {
 public:
  // `name` is the source of issues.
  JournaledSession(StreamKey key, std::string name, std::shared_ptr<PayloadBudget> budget = {})
      : m_key(std::move(key)), m_replay(std::move(name), {}, std::move(budget)) {}

  const StreamKey& key() const { return m_key; }
  PayloadReplay& replay() { return m_replay; }
  void define(std::string_view definitions) { m_definitions += definitions; }
  std::size_t definitionBytes() const { return m_definitions.size(); }
  // Definitions to put in front of the next payload; they count as journaled.
  std::string inFront(const Writer& writer) {
    if (m_epoch != writer.journalEpoch()) {
      m_epoch = writer.journalEpoch();
      m_journaled = 0;
    }
    std::string front = m_definitions.substr(m_journaled);
    m_journaled = m_definitions.size();
    return front;
  }

 private:
  const StreamKey m_key;
  PayloadReplay m_replay;
  std::string m_definitions;
  std::size_t m_journaled = 0;  // bytes of them journaled in the epoch
  std::uint64_t m_epoch = 0;
};

}  // namespace runglass
