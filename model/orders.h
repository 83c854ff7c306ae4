// SPDX-License-Identifier: Apache-2.0
// Orders: what a person, or the hub at a stall, asks of the agents and tracers of a run, and what became of it.
//
// Units:      steps, seconds.
// Errors:     checkOrder(): INVALID_ARGUMENT what no hub passes on. Orders only ever read: none changes what a trainer computes.
// Cost:       O(ranks + text).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/events.h"
#include "model/result.h"
#include "model/topology.h"

namespace runglass {

enum class OrderKind : std::uint8_t {
  kTraceSteps,   // number: of steps with single kernels, the same on all ranks
  kTraceEvery,   // number: single kernels in the steps it divides; 0: in none
  kTraceFilter,  // filter: parts of kernel names separated by '|'; empty: every kernel
  kExact,        // number: of steps seen by the profiler's own interface; 0: no more
  kKeepRecent,   // number: of seconds that are kept at full rate beside the ring; 0: none
  kShipRecent,   // what is kept goes to the store
  kCapture,      // number: a CaptureReason; what node and ranks look like now goes to the store
};
inline constexpr std::size_t kOrderKinds = 7;

struct Order {
  OrderKind kind = OrderKind::kTraceSteps;
  std::string run;                  // its name
  std::vector<std::int32_t> ranks;  // empty: all
  std::int64_t number = 0;
  std::string filter;
};

struct OrderAnswer {
  std::string node;
  std::vector<std::int32_t> ranks;  // that do it
  Status status;                    // of the others, or of the agent
  std::string note;                 // what came of it in words: what was not there, what is still on its way
};

struct OrderOutcome {
  std::optional<std::int64_t> first_step;  // from here on, on all ranks
  std::vector<OrderAnswer> answers;        // one per node that has ranks of the run
};

std::string_view orderName(OrderKind kind);  // "trace_steps"
std::optional<OrderKind> orderNamed(std::string_view name);
// "trace 5 steps with kernels".
std::string orderText(const Order& order);
Status checkOrder(const Order& order);
// Kinds of the events that record commands and what came of them.
inline constexpr std::string_view kOrderEvent = "order", kCaptureEvent = "capture";
inline bool isOwnEvent(std::string_view kind) { return kind == kOrderEvent || kind == kCaptureEvent; }
// "trace 5 steps with kernels, from step 300": what the event of an order records.
std::string orderEventText(const Order& order, std::optional<std::int64_t> first_step);
// The steps [first, end) that such an event says were traced; absent: of another order.
std::optional<std::pair<std::int64_t, std::int64_t>> tracedSteps(const Event& event);
// "run 'gpt' ended 2026-03-02 10:00:00Z (finished)"; empty unless the run's end is recorded.
std::string runEndText(const Run& run);

}  // namespace runglass
