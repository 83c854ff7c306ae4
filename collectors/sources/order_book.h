// SPDX-License-Identifier: Apache-2.0
// OrderBook: orders of the hub on their way to the source that can carry them out, and its answers on their way back.
//
// Threading:  any thread: the link asks and collects, the client source takes and answers.
// Ownership:  the agent owns it.
// Units:      as model/orders.h.
// Errors:     PERMISSION_DENIED what this agent's configuration does not allow, UNAVAILABLE nobody here serves: answered at once.
// Cost:       a lock and a small copy; at most kMost orders wait, further ones are RESOURCE_EXHAUSTED.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/orders.h"

namespace runglass {

class OrderBook {
 public:
  static constexpr std::size_t kMost = 64;
  struct Task {
    std::uint64_t id = 0;
    Order order;
    std::optional<std::int64_t> first_step;
  };
  struct Answer {
    std::uint64_t id = 0;
    Status status;
    std::vector<std::int32_t> ranks;  // that do it
  };

  // All are allowed until told otherwise: they only read.
  void allow(std::set<OrderKind> kinds) { m_allowed = std::move(kinds); }
  // From now on somebody calls take().
  void serve() {
    const std::lock_guard lock(m_mutex);
    m_served = true;
  }
  void ask(Task task) {
    const std::lock_guard lock(m_mutex);
    const std::string name(orderName(task.order.kind));
    if (m_allowed && !m_allowed->contains(task.order.kind))
      return refuse(task.id, {Code::kPermissionDenied, "order " + name + ": not in this agent's [orders] allow"});
    if (Status fit = checkOrder(task.order); !fit.ok()) return refuse(task.id, std::move(fit));
    if (!m_served) return refuse(task.id, {Code::kUnavailable, "order " + name + ": this agent's source 'client' is off"});
    if (m_tasks.size() >= kMost) return refuse(task.id, {Code::kResourceExhausted, "order " + name + ": too many wait"});
    m_tasks.push_back(std::move(task));
  }
  std::vector<Task> take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_tasks, {});
  }
  void answer(Answer answer) {
    const std::lock_guard lock(m_mutex);
    m_answers.push_back(std::move(answer));
  }
  std::vector<Answer> answers() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_answers, {});
  }

 private:
  void refuse(std::uint64_t id, Status status) { m_answers.push_back({id, std::move(status), {}}); }

  std::optional<std::set<OrderKind>> m_allowed;
  std::mutex m_mutex;
  bool m_served = false;
  std::vector<Task> m_tasks;
  std::vector<Answer> m_answers;
};

}  // namespace runglass
