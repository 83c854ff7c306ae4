// SPDX-License-Identifier: Apache-2.0
// OrderWork: writes the hub's commands to the rings of this node, and answers once the tracers have accepted them.
//
// Threading:  the client source's thread.
// Ownership:  borrows the queue; feeds per call.
// Units:      ns, steps.
// Errors:     a rank that cannot carry a command out, or does not accept it within kPatience, is listed in the answer with the cause.
// Cost:       one small read and two small writes per rank and command.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectors/sources/client/process_feed.h"
#include "collectors/sources/order_queue.h"

namespace runglass {

class OrderWork {
 public:
  using Feeds = std::map<std::string, std::unique_ptr<ProcessFeed>>;  // by the ring's path
  static constexpr DurNs kPatience = kNsPerSecond;

  explicit OrderWork(OrderQueue& book);
  // `aside`: carries out the kinds that are not for tracers, kShipRecent and kCapture.
  using Aside = std::function<OrderQueue::Answer(const OrderQueue::Task&)>;
  void poll(const Feeds& feeds, DurNs now, const Aside& aside);

 private:
  // A command that was written and waits for its tracers.
  struct Waiting {
    OrderQueue::Answer answer;
    struct Rank {
      std::int32_t rank;
      std::uint64_t serial;
    };
    std::map<std::string, Rank> rings;
    DurNs until = 0;
    std::size_t failures = 0;
  };
  Waiting begin(const OrderQueue::Task& task, const Feeds& feeds, DurNs now);
  bool settled(Waiting& waiting, const Feeds& feeds, DurNs now);

  OrderQueue& m_book;
  OrderQueue::Server m_server;
  std::vector<Waiting> m_waiting;
};

}  // namespace runglass
