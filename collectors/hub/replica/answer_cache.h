// SPDX-License-Identifier: Apache-2.0
// AnswerCache: answers about the past, which hardly change any more. An agent that was cut off may still send what it kept, so that none
// counts for longer than kGood.
//
// Threading:  one thread at a time.
// Ownership:  shares answers.
// Units:      bytes, monotonic ns.
// Errors:     none.
// Cost:       a look-up; memory <= kMostBytes, the longest unused go first.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "model/time.h"
#include "runglass/v1/ask.pb.h"

namespace runglass {

class AnswerCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr DurNs kGood = 120 * kNsPerSecond;

  std::shared_ptr<const v1::Answer> find(const std::string& question, DurNs now) {
    const auto known = m_index.find(question);
    if (known == m_index.end()) return nullptr;
    if (now - known->second->asked > kGood) return drop(known->second), nullptr;
    m_entries.splice(m_entries.begin(), m_entries, known->second);
    return known->second->answer;
  }
  void keep(const std::string& question, std::shared_ptr<const v1::Answer> answer, DurNs now) {
    if (const auto known = m_index.find(question); known != m_index.end()) drop(known->second);
    const std::size_t bytes = kEntry + 2 * question.size() + answer->ByteSizeLong();
    m_entries.push_front({question, std::move(answer), now, bytes});
    m_index.emplace(question, m_entries.begin());
    m_bytes += bytes;
    while (m_bytes > kMostBytes) drop(std::prev(m_entries.end()));
  }
  std::size_t bytes() const { return m_bytes; }

 private:
  static constexpr std::size_t kEntry = 256;
  struct Entry {
    std::string question;
    std::shared_ptr<const v1::Answer> answer;
    DurNs asked = 0;
    std::size_t bytes = 0;
  };
  void drop(std::list<Entry>::iterator entry) {
    m_bytes -= entry->bytes;
    m_index.erase(entry->question);
    m_entries.erase(entry);
  }

  std::list<Entry> m_entries;  // the last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> m_index;
  std::size_t m_bytes = 0;
};

}  // namespace runglass
