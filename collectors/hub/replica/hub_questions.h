// SPDX-License-Identifier: Apache-2.0
// HubQuestions: lets the Readers of a replica request data from the source hub, over the replica's connection.
//
// Threading:  thread-safe; ask() blocks. The Mirror reports when a connection begins and ends.
// Ownership:  shared by the Mirror and the Readers; can outlive the Mirror, then every question fails.
// Units:      bytes, ns.
// Errors:     ask(): UNAVAILABLE the hub cannot be reached (with the cause), CANCELLED `stop` fired, OUT_OF_RANGE the answer would be too
//             large: request less; else the error of the hub's Reader. An answer is complete or an error.
// Cost:       a round trip and the answer's bytes; at most kMaxRunning at once, others queue. Cached answers: nothing.
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
  static constexpr int kMaxRunning = 4;  // limit of a hub per replica
  // How long a question waits for a connection that was just lost, and for names that have not arrived yet.
  static constexpr DurNs kPatience = 5 * kNsPerSecond;

  // `hub`: as shown to the user.
  HubQuestions(std::string hub, std::string token);
  ~HubQuestions();

  // --- Readers ---
  // Sends the question, with ids of the dictionary; while ids lack a name it is retried for a while.
  using Fill = std::function<Status(v1::Question&, Crossing&)>;
  using Take = std::function<Status(const v1::Answer&, Crossing&)>;
  enum class Of : std::uint8_t { kNow, kPast };  // kPast: repeated soon, the question has the same answer
  Status ask(const Fill& fill, const Take& take, const std::stop_token& stop, Of of = Of::kNow, DurNs deadline = 60 * kNsPerSecond);
  // Grows when any data of the hub did, at most once a second.
  std::uint64_t generation() const;
  // The hub's time up to which replicated data is complete.
  std::optional<TimeNs> complete() const;
  // Lag of complete() behind the hub's current time.
  std::optional<DurNs> age() const;
  // Cached state of series that stay at the hub, by the replica's ids; extents as of the last request.
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
