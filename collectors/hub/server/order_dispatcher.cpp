// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A command is in m_planned while the store is read for it, then in m_orders until each of its agents has answered, disconnected, or
//    timed out; then `done` is called and the command is removed.
// 2. The command and the answer of each node are events of the run.
#include "collectors/hub/server/order_dispatcher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "analysis/steps/attempt_steps.h"
#include "collectors/wire/order_message.h"

namespace runglass {
namespace {

// Steps between the newest one in the store and the first one requested. The delay consists of the step's own record (an agent polls every
// 25 ms and sends every 50), the command (the same way back) and the tracer's poll (2 to 10 ms); a rank can also be a step or two ahead of
// the one that reported. Two seconds of steps are many times longer: every tracer gets the window before any rank enters it, and all ranks
// trace the same steps.
constexpr DurNs kLead = 2 * kNsPerSecond;
constexpr std::int64_t kMinLead = 3, kUnknownLead = 20, kMaxLead = 100'000;

std::int64_t leadOf(std::optional<double> period) {
  if (!period || !(*period > 0)) return kUnknownLead;
  const double steps = std::ceil(static_cast<double>(kLead) / *period);
  return std::clamp(steps < static_cast<double>(kMaxLead) ? static_cast<std::int64_t>(steps) : kMaxLead, kMinLead, kMaxLead);
}

bool needsSteps(const Order& order) {
  return order.kind == OrderKind::kTraceSteps || (order.kind == OrderKind::kExact && order.number > 0);
}

Status untilOver(const std::stop_token& over) { return over.stop_requested() ? Status(Code::kCancelled, "order: timed out") : Status(); }

// Of all `series`, in portions: `over` ends the read between two of them.
Result<std::vector<LatestSample>> latestOf(Reader& reader, std::span<const SeriesId> series, const std::stop_token& over) {
  constexpr std::size_t kPortion = 256;
  std::vector<LatestSample> all;
  for (; !series.empty(); series = series.subspan(std::min(kPortion, series.size()))) {
    RG_TRY(untilOver(over));
    RG_ASSIGN(const std::vector<LatestSample> some, reader.latest(series.first(std::min(kPortion, series.size()))));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// Time in ns from the start of a step to that of the next, over the newest ones; includes the time between steps.
Result<std::optional<double>> periodOf(Reader& reader, const LatestSample& latest, const std::stop_token& over) {
  constexpr std::int64_t kLooked = 16;
  // Step numbers come from trainers: any int64.
  if (latest.x < 0 || latest.x == std::numeric_limits<std::int64_t>::max()) return std::optional<double>();
  RG_ASSIGN(const ScalarColumns steps, reader.scalars(latest.series, latest.x - kLooked, latest.x + 1, over));
  if (steps.size() < 2 || steps.time.size() != steps.size() || steps.step.back() <= steps.step.front()) return std::optional<double>();
  const double span = static_cast<double>(steps.time.back()) - static_cast<double>(steps.time.front());
  return std::optional(span / static_cast<double>(steps.step.back() - steps.step.front()));
}

// The first step that no rank has reached yet; absent: the run reports no steps.
Result<std::optional<std::int64_t>> firstStepOf(Reader& reader, RunId run, AttemptId attempt, const std::stop_token& over) {
  std::optional<std::int64_t> newest;
  RG_TRY(untilOver(over));
  RG_ASSIGN(const std::vector<Progress> progress, reader.progress(run));
  for (const Progress& one : progress)
    if (one.step) newest = std::max(newest.value_or(*one.step), *one.step);
  RG_TRY(untilOver(over));
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kTime}));
  std::vector<SeriesId> ids;
  for (const auto* series : {&steps.of(StepSeries::kTime), &steps.unranked()})
    for (const Series& one : *series) ids.push_back(one.id);
  RG_ASSIGN(const std::vector<LatestSample> latest, latestOf(reader, ids, over));
  std::optional<double> period;
  if (const auto front = std::ranges::max_element(latest, {}, &LatestSample::x); front != latest.end()) {
    newest = std::max(newest.value_or(front->x), front->x);
    RG_TRY(untilOver(over));
    RG_ASSIGN(period, periodOf(reader, *front, over));
  }
  if (!newest) return std::optional<std::int64_t>();
  const std::int64_t lead = leadOf(period);
  return std::optional(*newest > std::numeric_limits<std::int64_t>::max() - lead ? *newest : *newest + lead);
}

}  // namespace

struct OrderDispatcher::Plan {
  AttemptId attempt;
  std::string run_end;
  std::optional<std::int64_t> first_step;
  struct Place {
    std::string name;
    std::set<std::int32_t> ranks;
  };
  std::map<NodeId, Place> nodes;            // nodes with the ranks
  std::vector<std::int32_t> missing_ranks;  // not found on any node
};

Result<OrderDispatcher::Plan> OrderDispatcher::planOf(const Order& order, Reader& reader, const std::stop_token& over) {
  RG_TRY(checkOrder(order));
  RG_TRY(untilOver(over));
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  const auto run = std::ranges::find(runs, order.run, &Run::name);
  if (run == runs.end()) return Status(Code::kNotFound, "order: run '" + order.run + "': not in this store");
  RG_TRY(untilOver(over));
  RG_ASSIGN(const std::vector<Attempt> attempts, reader.attempts(run->id));
  if (attempts.empty()) return Status(Code::kNotFound, "order: run '" + order.run + "': nothing is known of its processes");
  Plan plan{.attempt = attempts.back().id, .run_end = runEndText(*run), .first_step = {}, .nodes = {}, .missing_ranks = {}};
  if (needsSteps(order)) {
    RG_ASSIGN(plan.first_step, firstStepOf(reader, run->id, plan.attempt, over));
    if (!plan.first_step) return Status(Code::kFailedPrecondition, "order: run '" + order.run + "': records no steps");
  }
  RG_TRY(untilOver(over));
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  std::map<NodeId, std::string> names;
  for (const Node& node : nodes) names[node.id] = node.name;
  RG_TRY(untilOver(over));
  RG_ASSIGN(const std::vector<Rank> ranks, reader.ranks(plan.attempt));
  std::set<std::int32_t> missing(order.ranks.begin(), order.ranks.end());
  for (const Rank& rank : ranks) {
    if (!order.ranks.empty() && missing.erase(rank.rank) == 0) continue;
    plan.nodes[rank.node].name = names[rank.node];
    plan.nodes[rank.node].ranks.insert(rank.rank);
  }
  if (ranks.empty()) return Status(Code::kNotFound, "order: run '" + order.run + "': the ranks of its newest attempt are not known");
  plan.missing_ranks.assign(missing.begin(), missing.end());
  return plan;
}

void OrderDispatcher::place(Order order, Peers peers, DurNs now, OrderDone done) {
  const auto of_run = std::ranges::count_if(m_orders, [&](const auto& open) { return open.second.order.run == order.run; }) +
                      std::ranges::count_if(m_planned, [&](const auto& planned) { return planned.second.order.run == order.run; });
  if (static_cast<std::size_t>(of_run) >= kMaxOfRun)
    return done(Status(Code::kResourceExhausted, "order: run '" + order.run + "': " + std::to_string(kMaxOfRun) + " are open already"));
  if (m_orders.size() + m_planned.size() >= kMaxOpen)
    return done(Status(Code::kResourceExhausted, "order: " + std::to_string(kMaxOpen) + " are open"));
  const std::uint64_t id = m_next_id++;
  const auto at = m_planned.emplace(id, Planned{std::move(order), std::move(peers), now + kPatience, std::move(done), {}}).first;
  const bool posted = m_pool.post([this, id, order = at->second.order, over = at->second.over.get_token()](const Result<Reader*>& reader) {
    auto plan = std::make_shared<const Result<Plan>>(reader.ok() ? planOf(order, **reader, over) : Result<Plan>(reader.status()));
    if (over.stop_requested()) return;
    m_post([this, id, plan](Writer& writer) { send(id, *plan, writer, monotonicNow()); });
  });
  if (posted) return;
  at->second.done(Status(Code::kUnavailable, "order: the hub is stopping"));
  m_planned.erase(at);
}

void OrderDispatcher::send(std::uint64_t id, const Result<Plan>& plan, Writer& writer, DurNs now) {
  const auto planned = m_planned.extract(id);
  if (planned.empty()) return;  // timed out
  Planned& asked = planned.mapped();
  if (!plan.ok()) return asked.done(plan.status());
  const Order& order = asked.order;
  const std::vector<Peer> peers = asked.peers(writer);
  const auto at =
      m_orders.emplace(id, Open{.order = order, .attempt = plan->attempt, .run_end = plan->run_end, .outcome = {}, .waiting = {}}).first;
  Open& open = at->second;
  open.outcome.first_step = plan->first_step;
  open.until = now + kPatience;
  open.done = std::move(asked.done);
  writer.event({.time = wallNow(),
                .attempt = plan->attempt,
                .step = plan->first_step,
                .kind = std::string(kOrderEvent),
                .code = std::string(orderName(order.kind)),
                .message = orderEventText(order, plan->first_step)});
  v1::Order message;
  message.set_order_id(id);
  fillOrder(message, order);
  if (plan->first_step) message.set_first_step(*plan->first_step);
  for (const auto& [node, place] : plan->nodes) {
    bool any = false;
    for (const Peer& peer : peers) {
      if (peer.node != node) continue;
      any = true;
      if (!open.waiting.contains(peer.link.get())) peer.link->sendOrder(message);
      open.waiting.insert({peer.link.get(), {node, place.name, place.ranks}});
    }
    if (!any)
      note(open, node, {.node = place.name, .ranks = {}, .status = {Code::kUnavailable, "its agent is not connected"}, .note = {}}, writer);
  }
  for (const std::int32_t rank : plan->missing_ranks)
    note(open, {},
         {.node = "",
          .ranks = {},
          .status = {Code::kNotFound, "rank " + std::to_string(rank) + " is not in the newest attempt"},
          .note = {}},
         writer);
  finishIfAll(at);
}

// A log can report a failure while processes hang: a run that ended is asked all the same; if no process is left, the end of the run is the
// reason.
void OrderDispatcher::note(Open& open, NodeId node, OrderAnswer answer, Writer& writer) {
  if (!answer.status.ok() && !open.run_end.empty())
    answer.status = {Code::kFailedPrecondition, open.run_end + ": " + answer.status.message()};
  std::string ranks;
  for (const std::int32_t rank : answer.ranks) {
    if (ranks.size() > 200) break;
    ranks += (ranks.empty() ? "ranks " : ", ") + std::to_string(rank);
  }
  const std::string who = answer.node.empty() ? "" : answer.node + ": ";
  writer.event({.time = wallNow(),
                .attempt = open.attempt,
                .node = node,
                .kind = std::string(kOrderEvent),
                .severity = answer.status.ok() ? Severity::kInfo : Severity::kWarning,
                .code = std::string(orderName(open.order.kind)),
                .message = who +
                           (answer.status.ok() ? "done, " + ranks : answer.status.message() + (ranks.empty() ? "" : "; done: " + ranks)) +
                           (answer.note.empty() ? "" : "; " + answer.note)});
  open.outcome.answers.push_back(std::move(answer));
}

std::vector<OrderDispatcher::Open::Waiting> OrderDispatcher::extract(Open& open, const AgentLink* link) {
  std::vector<Open::Waiting> taken;
  const auto [first, last] = open.waiting.equal_range(link);
  for (auto at = first; at != last; ++at) taken.push_back(std::move(at->second));
  open.waiting.erase(first, last);
  return taken;
}

void OrderDispatcher::answered(const AgentLink* link, const v1::OrderResult& result, Writer& writer) {
  const auto at = m_orders.find(result.order_id());
  if (at == m_orders.end()) return;  // too late, or the answer to an earlier hub
  const std::vector<Open::Waiting> waiting = extract(at->second, link);
  if (waiting.empty()) return;
  for (const Open::Waiting& node : waiting) {
    std::vector<std::int32_t> ranks(result.rank().begin(), result.rank().end());
    if (waiting.size() > 1) std::erase_if(ranks, [&](std::int32_t rank) { return !node.ranks.contains(rank); });
    note(at->second, node.node,
         {.node = node.name,
          .ranks = std::move(ranks),
          .status = statusOf(result.code(), result.message()),
          .note = oneWireLine(result.note())},
         writer);
  }
  finishIfAll(at);
}

void OrderDispatcher::gone(const AgentLink* link, Writer& writer) {
  for (auto at = m_orders.begin(); at != m_orders.end();) {
    const auto next = std::next(at);
    const std::vector<Open::Waiting> waiting = extract(at->second, link);
    for (const Open::Waiting& node : waiting)
      note(at->second, node.node, {.node = node.name, .ranks = {}, .status = {Code::kUnavailable, "its agent went away"}, .note = {}},
           writer);
    if (!waiting.empty()) finishIfAll(at);
    at = next;
  }
}

void OrderDispatcher::tick(DurNs now, Writer& writer) {
  for (auto at = m_planned.begin(); at != m_planned.end();) {
    const auto next = std::next(at);
    if (now >= at->second.until) {
      const auto late = m_planned.extract(at);
      late.mapped().over.request_stop();
      late.mapped().done(Status(Code::kUnavailable, "order: run '" + late.mapped().order.run + "': the store does not answer in time"));
    }
    at = next;
  }
  for (auto at = m_orders.begin(); at != m_orders.end();) {
    const auto next = std::next(at);
    if (now >= at->second.until) {
      for (const auto& [link, waiting] : std::exchange(at->second.waiting, {}))
        note(at->second, waiting.node,
             {.node = waiting.name,
              .ranks = {},
              .status = {Code::kUnavailable, "its agent did not answer in time, or is too old to"},
              .note = {}},
             writer);
      finishIfAll(at);
    }
    at = next;
  }
}

void OrderDispatcher::close() {
  for (auto& [id, planned] : std::exchange(m_planned, {})) {
    planned.over.request_stop();
    planned.done(Status(Code::kUnavailable, "order: the hub is stopping"));
  }
  for (auto& [id, open] : std::exchange(m_orders, {})) open.done(Status(Code::kUnavailable, "order: the hub is stopping"));
}

void OrderDispatcher::finishIfAll(std::map<std::uint64_t, Open>::iterator at) {
  if (!at->second.waiting.empty()) return;
  Open open = std::move(at->second);
  m_orders.erase(at);
  std::ranges::sort(open.outcome.answers, {}, &OrderAnswer::node);
  open.done(std::move(open.outcome));
}

}  // namespace runglass
