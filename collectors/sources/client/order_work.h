// SPDX-License-Identifier: Apache-2.0
// OrderWork: carries the hub's orders out on the rings of this node, and answers once the tracers took them up.
//
// Threading:  the client source's thread.
// Ownership:  borrows the book; feeds per call.
// Units:      ns, steps.
// Errors:     a rank that cannot is named with the reason in the answer; one that does not take its orders up within kPatience too.
// Cost:       one small read and two small writes per rank and order.
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
  // `aside`: what is no tracer's to do, kShipRecent and kCapture.
  using Aside = std::function<OrderQueue::Answer(const OrderQueue::Task&)>;
  void poll(const Feeds& feeds, DurNs now, const Aside& aside);

 private:
  // An order that is written and waits for its tracers.
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
