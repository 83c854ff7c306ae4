// SPDX-License-Identifier: Apache-2.0
// OrderQueue: passes the hub's commands to the sources that can carry them out, and their answers back. A command for several sources is
// answered once, when all of them have.
//
// Threading:  any thread: the link submits and collects, sources take and answer.
// Ownership:  the agent owns it.
// Units:      as model/orders.h.
// Errors:     PERMISSION_DENIED not permitted by this agent's configuration, UNAVAILABLE no source for it: answered at once.
// Cost:       a lock and a small copy; at most kMax commands wait, further ones are RESOURCE_EXHAUSTED.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/mutex.h"
#include "model/orders.h"
#include "model/time.h"

namespace runglass {

class OrderQueue {
 public:
  static constexpr std::size_t kMax = 64;
  struct Task {
    std::uint64_t id = 0;
    Order order;
    std::optional<std::int64_t> first_step;
  };
  struct Answer {
    std::uint64_t id = 0;
    Status status;
    std::vector<std::int32_t> ranks;  // ranks that carry it out
    std::string note;                 // as in OrderAnswer
  };
  enum class Server : std::size_t {};

  // Without this call all kinds are permitted: they only read.
  void allow(std::set<OrderKind> kinds) {
    const MutexLock lock(m_mutex);
    m_allowed = std::move(kinds);
  }
  // Registers a source that takes commands of these kinds and answers each.
  Server serve(std::set<OrderKind> kinds) {
    const MutexLock lock(m_mutex);
    m_desks.push_back({std::move(kinds), {}});
    return Server{m_desks.size() - 1};
  }
  void ask(Task task) {
    const MutexLock lock(m_mutex);
    const std::string name(orderName(task.order.kind));
    if (m_allowed && !m_allowed->contains(task.order.kind))
      return refuse(task.id, {Code::kPermissionDenied, "order " + name + ": not in this agent's [orders] allow"});
    if (Status fit = checkOrder(task.order); !fit.ok()) return refuse(task.id, std::move(fit));
    const DurNs now = monotonicNow();
    // A source that hangs must not block further commands.
    std::erase_if(m_open, [&](const auto& open) { return now - open.second.asked > kForgotten; });
    if (m_open.size() >= kMax) return refuse(task.id, {Code::kResourceExhausted, "order " + name + ": too many wait"});
    std::size_t served = 0;
    for (Desk& desk : m_desks) {
      if (!desk.kinds.contains(task.order.kind)) continue;
      desk.tasks.push_back(task);
      ++served;
    }
    if (served == 0) return refuse(task.id, {Code::kUnavailable, "order " + name + ": this agent's source for it is off"});
    m_open[task.id] = {.asked = now, .left = served, .answer = {.id = task.id, .status = {}, .ranks = {}, .note = {}}};
  }
  std::vector<Task> take(Server server) {
    const MutexLock lock(m_mutex);
    return std::exchange(m_desks[static_cast<std::size_t>(server)].tasks, {});
  }
  // The answer of one server, which must answer each command once.
  void answer(Answer answer) {
    const MutexLock lock(m_mutex);
    const auto open = m_open.find(answer.id);
    if (open == m_open.end()) return;  // timed out
    merge(open->second.answer, std::move(answer));
    if (--open->second.left > 0) return;
    m_answers.push_back(std::move(open->second.answer));
    m_open.erase(open);
  }
  // Answers a command of an unknown kind.
  void refuseUnknown(std::uint64_t id, Status status) {
    const MutexLock lock(m_mutex);
    refuse(id, std::move(status));
  }
  std::vector<Answer> answers() {
    const MutexLock lock(m_mutex);
    return std::exchange(m_answers, {});
  }

 private:
  void refuse(std::uint64_t id, Status status) RG_REQUIRES(m_mutex) {
    m_answers.push_back({.id = id, .status = std::move(status), .ranks = {}, .note = {}});
  }

  static constexpr DurNs kForgotten = 60 * kNsPerSecond;
  struct Desk {
    std::set<OrderKind> kinds;
    std::vector<Task> tasks;
  };
  struct Open {
    DurNs asked = 0;
    std::size_t left = 0;
    Answer answer;
  };
  // The first failure sets the code; ranks of any server count as done.
  static void merge(Answer& all, Answer one) {
    if (all.status.ok())
      all.status = std::move(one.status);
    else if (!one.status.ok())
      all.status = {all.status.code(), all.status.message() + "; " + one.status.message()};
    for (const std::int32_t rank : one.ranks)
      if (std::ranges::find(all.ranks, rank) == all.ranks.end()) all.ranks.push_back(rank);
    std::ranges::sort(all.ranks);
    if (!one.note.empty()) all.note += (all.note.empty() ? "" : "; ") + one.note;
  }

  Mutex m_mutex;
  std::optional<std::set<OrderKind>> m_allowed RG_GUARDED_BY(m_mutex);
  std::vector<Desk> m_desks RG_GUARDED_BY(m_mutex);
  std::map<std::uint64_t, Open> m_open RG_GUARDED_BY(m_mutex);
  std::vector<Answer> m_answers RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
