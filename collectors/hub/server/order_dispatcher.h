// SPDX-License-Identifier: Apache-2.0
// OrderDispatcher: sends commands to the agents that have ranks of the run, and collects their answers.
//
// Threading:  the store writer's thread; the agents of the ranks are read from the store on a separate thread.
// Ownership:  borrows links while they are connected; `done` is called once per command, on the store writer's thread.
// Units:      ns; steps.
// Errors:     NOT_FOUND no such run, FAILED_PRECONDITION a run without steps where the command needs them, RESOURCE_EXHAUSTED too many at
//             once, UNAVAILABLE the store does not answer within kPatience. An agent that is not connected or does not answer within
//             kPatience is listed in the outcome; that is no error.
// Cost:       a few catalogue reads per command, on the separate thread. The read of a timed-out command ends at its next call.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "collectors/hub/server/agent_link.h"
#include "collectors/hub/server/answer_pool.h"
#include "model/orders.h"
#include "model/topology.h"
#include "storage/writer.h"

namespace runglass {

using OrderDone = std::function<void(Result<OrderOutcome>)>;

class OrderDispatcher {
 public:
  static constexpr DurNs kPatience = 5 * kNsPerSecond;
  struct Peer {
    std::shared_ptr<AgentLink> link;
    NodeId node;
  };

  using Peers = std::function<std::vector<Peer>(Writer&)>;
  using Post = std::function<void(std::function<void(Writer&)>)>;

  // `open`: a Reader of the store that the Writer writes. `post`, from any thread: runs on the store writer's thread, later.
  OrderDispatcher(AnswerPool::OpenReader open, Post post)
      : m_post(std::move(post)), m_next_id(static_cast<std::uint64_t>(wallNow())), m_pool(std::move(open), 1) {}

  // `peers` is called when the command is sent.
  void place(Order order, Peers peers, DurNs now, OrderDone done);
  void answered(const AgentLink* link, const v1::OrderResult& result, Writer& writer);
  void gone(const AgentLink* link, Writer& writer);
  void tick(DurNs now, Writer& writer);
  // No further answers will arrive.
  void close();
  // Any thread. Waits for a running read; afterwards nothing is posted.
  void stopReading() { m_pool.stop(); }

 private:
  static constexpr std::size_t kMaxOpen = 64, kMaxOfRun = 16;
  struct Open {
    Order order;
    AttemptId attempt;
    std::string run_end;  // runEndText(): the most likely reason if a node cannot carry it out
    OrderOutcome outcome;
    struct Waiting {
      NodeId node;
      std::string name;
      std::set<std::int32_t> ranks;  // requested ranks
    };
    std::multimap<const AgentLink*, Waiting> waiting;  // one agent can have several nodes
    DurNs until = 0;
    OrderDone done;
  };
  struct Planned {
    Order order;
    Peers peers;
    DurNs until = 0;
    OrderDone done;
    std::stop_source over;  // fires when the plan is no longer needed
  };
  struct Plan;
  // Removes and returns every answer of an agent for which the command waits.
  static std::vector<Open::Waiting> extract(Open& open, const AgentLink* link);
  // CANCELLED once `over` fires.
  static Result<Plan> planOf(const Order& order, Reader& reader, const std::stop_token& over);
  void send(std::uint64_t id, const Result<Plan>& plan, Writer& writer, DurNs now);
  static void note(Open& open, NodeId node, OrderAnswer answer, Writer& writer);
  void finishIfAll(std::map<std::uint64_t, Open>::iterator at);

  const Post m_post;
  std::uint64_t m_next_id;                     // starts at the time, not 0: an answer to an earlier process of this hub must not match
  std::map<std::uint64_t, Planned> m_planned;  // the store is being read for them
  std::map<std::uint64_t, Open> m_orders;      // sent
  AnswerPool m_pool;
};

}  // namespace runglass
