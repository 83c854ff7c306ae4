// SPDX-License-Identifier: Apache-2.0
// ReceivedLink: a session of a receiver's sender, as the ingest thread acknowledges it: each batch's `done` in place of messages.
//
// Threading:  the ingest thread.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "collectors/hub/server/agent_link.h"

namespace runglass {

class ReceivedLink final : public AgentLink {
 public:
  using Done = std::function<void(const Status&)>;
  explicit ReceivedLink(std::string sender) : m_sender(std::move(sender)) {}
  // Whatever drops a session completes its batches.
  ~ReceivedLink() override { finish(Status(Code::kUnavailable, "store: the session has ended")); }

  // `done` waits for the batch before `next_seq`.
  void expect(std::uint64_t next_seq, Done done) {
    if (done) m_waiting.emplace_back(next_seq, std::move(done));
  }
  void sendAck(std::uint32_t, std::uint32_t, std::uint64_t next_seq, std::uint64_t) override {
    for (; !m_waiting.empty() && m_waiting.front().first <= next_seq; m_waiting.pop_front()) m_waiting.front().second({});
  }
  void finish(const Status& status) override {
    for (; !m_waiting.empty(); m_waiting.pop_front()) m_waiting.front().second(status);
  }
  std::string peer() const override { return m_sender; }
  void sendWelcome(v1::Welcome) override {}
  void sendPong(const v1::Pong&) override {}
  void sendCredit(std::uint64_t) override {}
  void sendOrder(v1::Order) override {}
  void resumeReads() override {}

 private:
  const std::string m_sender;
  std::deque<std::pair<std::uint64_t, Done>> m_waiting;
};

}  // namespace runglass
