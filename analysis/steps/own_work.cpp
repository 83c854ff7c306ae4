// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps/own_work.h"

#include <algorithm>

#include "model/orders.h"

namespace runglass {
namespace {

constexpr DurNs kMaxCapture = 600 * kNsPerSecond;  // a later answer belongs to another command

Result<std::vector<Event>> eventsOf(Reader& reader, AttemptId attempt, std::string_view kind) {
  EventFilter filter;
  filter.kind = kind;
  RG_ASSIGN(std::vector<Event> events, reader.events(filter));
  std::erase_if(events, [&](const Event& event) { return event.attempt != attempt; });
  return events;
}

}  // namespace

bool OwnWork::covers(std::int64_t step, const std::optional<TimeRange>& when) const {
  return std::ranges::any_of(traced, [&](const auto& range) { return range.first <= step && step < range.second; }) ||
         (when && std::ranges::any_of(captures, [&](const TimeRange& one) { return when->t0 <= one.t1 && one.t0 <= when->t1; }));
}

Result<OwnWork> readOwnWork(Reader& reader, AttemptId attempt) {
  OwnWork work;
  RG_ASSIGN(const std::vector<Event> orders, eventsOf(reader, attempt, kOrderEvent));
  RG_ASSIGN(const std::vector<Event> captures, eventsOf(reader, attempt, kCaptureEvent));
  for (const Event& order : orders)
    if (const auto steps = tracedSteps(order)) work.traced.push_back(*steps);
  for (const Event& order : orders) {
    if (!order.time || order.node || order.code != orderName(OrderKind::kCapture)) continue;
    TimeRange range{*order.time, *order.time};
    for (const Event& capture : captures)
      if (capture.time && *capture.time > range.t0 && *capture.time - range.t0 <= kMaxCapture) range.t1 = std::max(range.t1, *capture.time);
    work.captures.push_back(range);
  }
  return work;
}

}  // namespace runglass
