// SPDX-License-Identifier: Apache-2.0
// HubQuestions: how the Readers of a copy ask its hub for what the copy does not hold, over the connection that the copy follows by.
//
// Threading:  thread-safe; ask() blocks. The Mirror says when there is a connection and when it ends.
// Ownership:  shared by the Mirror and the Readers; may outlive the Mirror, then nobody can be asked.
// Units:      bytes, ns.
// Errors:     ask(): UNAVAILABLE the hub cannot be asked (why), CANCELLED `stop` fired, OUT_OF_RANGE the answer would be too large: ask for
//             less of it; else what the hub's Reader said. An answer is whole or an error.
// Cost:       a round trip and the answer's bytes; at most kMaxRunning at once, others wait their turn. What the cache has: nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "model/result.h"
#include "model/samples.h"
#include "model/time.h"

namespace grpc {
class Channel;
}

namespace runglass {

class FeedNames;
struct Crossing;
namespace v1 {
class Question;
class Answer;
}  // namespace v1

class HubQuestions {
 public:
  static constexpr int kMaxRunning = 4;  // a hub takes no more of one follower
  // How long a question waits for a connection that was just lost, and for names that are on their way.
  static constexpr DurNs kPatience = 5 * kNsPerSecond;

  // `hub`: as people know it.
  HubQuestions(std::string hub, std::string token);
  ~HubQuestions();

  // --- Readers ---
  // Puts the question, with ids of the dictionary; ids without a name are asked about again for a while.
  using Fill = std::function<Status(v1::Question&, Crossing&)>;
  using Take = std::function<Status(const v1::Answer&, Crossing&)>;
  enum class Of : std::uint8_t { kNow, kPast };  // kPast: the same question soon after has the same answer
  Status ask(const Fill& fill, const Take& take, const std::stop_token& stop, Of of = Of::kNow, DurNs deadline = 60 * kNsPerSecond);
  // Grows when anything at the hub did, at most once a second.
  std::uint64_t generation() const;
  // The hub's time up to which what is copied is here.
  std::optional<TimeNs> complete() const;
  // So far behind the hub's now that is.
  std::optional<DurNs> age() const;
  // What is known of series that stay at the hub, by the copy's ids; extents as of the last time that somebody asked.
  struct Known;
  Known& known() { return *m_known; }

  // --- the Mirror ---
  void connected(std::shared_ptr<grpc::Channel> channel, std::string session, std::shared_ptr<const FeedNames> names, DurNs hub_ahead);
  void disconnected(const Status& why);
  void grown(std::uint64_t source_generation, std::optional<TimeNs> complete);

 private:
  struct Parts;
  const std::unique_ptr<Parts> m_parts;
  const std::unique_ptr<Known> m_known;
};

}  // namespace runglass
