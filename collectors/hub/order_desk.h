// SPDX-License-Identifier: Apache-2.0
// OrderDesk: passes orders on to the agents that have ranks of the run, and collects what they say.
//
// Threading:  the store writer's thread.
// Ownership:  borrows links while they are connected; `done` is called once per order.
// Units:      ns; steps.
// Errors:     NOT_FOUND no such run, FAILED_PRECONDITION a run that tells no steps where the order needs them, RESOURCE_EXHAUSTED too many
//             at once. An agent that is not there or does not answer within kPatience is named in the outcome; that is no error.
// Cost:       a few catalogue reads per order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collectors/hub/agent_link.h"
#include "model/orders.h"
#include "model/topology.h"
#include "storage/writer.h"

namespace runglass {

using OrderDone = std::function<void(Result<OrderOutcome>)>;

class OrderDesk {
 public:
  static constexpr DurNs kPatience = 5 * kNsPerSecond;
  struct Peer {
    std::shared_ptr<AgentLink> link;
    NodeId node;
  };

  // `open`: a Reader of the store that the Writer writes.
  explicit OrderDesk(std::function<Result<std::unique_ptr<Reader>>()> open)
      : m_open(std::move(open)), m_next_id(static_cast<std::uint64_t>(wallNow())) {}

  void place(const Order& order, std::span<const Peer> peers, Writer& writer, DurNs now, OrderDone done);
  void answered(const AgentLink* link, const v1::OrderResult& result, Writer& writer);
  void gone(const AgentLink* link, Writer& writer);
  void tick(DurNs now, Writer& writer);
  // Nobody will answer any more.
  void close();

 private:
  static constexpr std::size_t kMaxOpen = 64, kMaxOfRun = 16;
  struct Open {
    Order order;
    AttemptId attempt;
    std::string run_end;  // runEndText(): what a node that cannot do it most likely means
    OrderOutcome outcome;
    struct Waiting {
      NodeId node;
      std::string name;
      std::set<std::int32_t> ranks;  // those that were asked for
    };
    std::multimap<const AgentLink*, Waiting> waiting;  // one agent may speak for several nodes
    DurNs until = 0;
    OrderDone done;
  };
  struct Plan;
  // Every answer of an agent that the order waits for, taken out of it.
  static std::vector<Open::Waiting> extract(Open& open, const AgentLink* link);
  Result<Plan> planOf(const Order& order);
  static void note(Open& open, NodeId node, OrderAnswer answer, Writer& writer);
  void finishIfAll(std::map<std::uint64_t, Open>::iterator at);

  std::function<Result<std::unique_ptr<Reader>>()> m_open;
  std::uint64_t m_next_id;  // not from 0: an answer to an earlier life of this hub must not fit
  std::map<std::uint64_t, Open> m_orders;
};

}  // namespace runglass
