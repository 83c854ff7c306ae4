// SPDX-License-Identifier: Apache-2.0
// Invariants: every task taken from the queue is answered once, at most kPatience after it was taken.
#include "collectors/sources/client/order_work.h"

#include <algorithm>
#include <limits>

namespace runglass {
namespace {

constexpr std::size_t kMaxFailuresReported = 8;

// The first failure sets the answer's code; later ones are only listed.
void addFailure(OrderQueue::Answer& answer, std::size_t& failures, std::int32_t rank, const Status& why) {
  if (++failures > kMaxFailuresReported) return;
  const std::string text = "rank " + std::to_string(rank) + ": " + why.message();
  answer.status = answer.status.ok() ? Status(why.code(), text) : Status(answer.status.code(), answer.status.message() + "; " + text);
}

Status unsupported(const char* what) { return {Code::kUnimplemented, std::string(what) + ": not supported by this tracer"}; }

// Merges this command into the ring's commands.
Status put(const OrderQueue::Task& task, const ProcessFeed& feed, std::uint32_t abilities, rgr_orders& orders) {
  const Order& order = task.order;
  const bool windowed = order.kind == OrderKind::kTraceSteps || (order.kind == OrderKind::kExact && order.number > 0);
  if (windowed && !task.first_step) return {Code::kFailedPrecondition, "this run records no steps"};
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  if (windowed && feed.step() && *feed.step() >= (*task.first_step > kLast - order.number ? kLast : *task.first_step + order.number))
    return {Code::kOutOfRange, "is past the steps already, in step " + std::to_string(*feed.step())};
  switch (order.kind) {
    case OrderKind::kTraceSteps:
      orders.first_step = *task.first_step;
      orders.steps = order.number;
      return {};
    case OrderKind::kTraceEvery:
      orders.trace_every = order.number;
      return {};
    case OrderKind::kTraceFilter:
      orders.filter_bytes = static_cast<std::uint32_t>(order.filter.copy(orders.filter, sizeof(orders.filter)));
      return {};
    case OrderKind::kExact:
      if ((abilities & RGR_CAN_EXACT) == 0) return unsupported("exact mode");
      orders.exact_first = task.first_step.value_or(0);
      orders.exact_steps = order.number;
      return {};
    case OrderKind::kKeepRecent:
      if ((abilities & RGR_CAN_KEEP_RECENT) == 0) return unsupported("keeping the last seconds");
      orders.recent_seconds = order.number;
      return {};
    case OrderKind::kShipRecent:  // not for the tracer
    case OrderKind::kCapture:
      break;
  }
  return {};
}

Result<std::uint64_t> carryOut(const OrderQueue::Task& task, const ProcessFeed& feed) {
  const rgr_tracer tracer = feed.ring().tracer();
  if (tracer.orders_layout != RGR_ORDERS_LAYOUT) return Status(Code::kUnimplemented, "this trainer's client is too old");
  if ((tracer.abilities & RGR_CAN_TRACE) == 0) return Status(Code::kFailedPrecondition, "no tracer of GPU work is awake in this trainer");
  rgr_orders orders = feed.ring().orders();
  RG_TRY(put(task, feed, tracer.abilities, orders));
  return feed.ring().putOrders(orders);
}

}  // namespace

OrderWork::OrderWork(OrderQueue& book)
    : m_book(book),
      m_server(book.serve({OrderKind::kTraceSteps, OrderKind::kTraceEvery, OrderKind::kTraceFilter, OrderKind::kExact,
                           OrderKind::kKeepRecent, OrderKind::kShipRecent, OrderKind::kCapture})) {}

void OrderWork::poll(const Feeds& feeds, DurNs now, const Aside& aside) {
  const std::vector<OrderQueue::Task> tasks = m_book.take(m_server);
  for (const OrderQueue::Task& task : tasks) {
    if (task.order.kind == OrderKind::kShipRecent || task.order.kind == OrderKind::kCapture)
      m_book.answer(aside(task));
    else
      m_waiting.push_back(begin(task, feeds, now));
  }
  std::erase_if(m_waiting, [&](Waiting& waiting) {
    if (!settled(waiting, feeds, now)) return false;
    std::ranges::sort(waiting.answer.ranks);
    m_book.answer(std::move(waiting.answer));
    return true;
  });
}

OrderWork::Waiting OrderWork::begin(const OrderQueue::Task& task, const Feeds& feeds, DurNs now) {
  Waiting waiting{.answer = {.id = task.id, .status = {}, .ranks = {}, .note = {}}, .rings = {}, .until = now + kPatience};
  const std::vector<std::int32_t>& wanted = task.order.ranks;
  bool any = false;
  for (const auto& [path, feed] : feeds) {
    if (feed->runName() != task.order.run || !feed->ring().alive()) continue;
    if (!wanted.empty() && std::ranges::find(wanted, feed->rank()) == wanted.end()) continue;
    any = true;
    const Result<std::uint64_t> serial = carryOut(task, *feed);
    if (serial.ok())
      waiting.rings[path] = {feed->rank(), *serial};
    else
      addFailure(waiting.answer, waiting.failures, feed->rank(), serial.status());
  }
  if (!any) waiting.answer.status = {Code::kNotFound, "no such rank of run '" + task.order.run + "' lives here"};
  return waiting;
}

bool OrderWork::settled(Waiting& waiting, const Feeds& feeds, DurNs now) {
  std::erase_if(waiting.rings, [&](const auto& entry) {
    const auto& [path, rank] = entry;
    const auto feed = feeds.find(path);
    const bool lives = feed != feeds.end() && feed->second->ring().alive();
    if (lives && feed->second->ring().tracer().taken >= rank.serial) {
      waiting.answer.ranks.push_back(rank.rank);
      return true;
    }
    if (lives && now < waiting.until) return false;
    addFailure(waiting.answer, waiting.failures, rank.rank,
               {Code::kUnavailable, lives ? "its tracer did not take the order up in time" : "ended"});
    return true;
  });
  return waiting.rings.empty();
}

}  // namespace runglass
