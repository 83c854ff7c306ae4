// SPDX-License-Identifier: Apache-2.0
// Orders: commands of a person, or of the hub at a stall, to the agents and tracers of a run, and their outcome.
//
// Units:      steps, seconds.
// Errors:     checkOrder(): INVALID_ARGUMENT: a command that no hub forwards. Commands only read: none changes the trainer's computation.
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
  kTraceSteps,   // number of steps with individual kernels, the same on all ranks
  kTraceEvery,   // individual kernels in the steps divisible by this number; 0: in none
  kTraceFilter,  // filter: parts of kernel names separated by '|'; empty: every kernel
  kExact,        // number of steps recorded by the profiler's own interface; 0: stops that
  kKeepRecent,   // number of seconds that are kept at full rate in addition to the ring; 0: none
  kShipRecent,   // sends the kept data to the store
  kCapture,      // number: a CaptureReason; captures the current state of node and ranks into the store
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
  std::vector<std::int32_t> ranks;  // that execute it
  Status status;                    // of the other ranks, or of the agent
  std::string note;                 // the outcome in words: missing or pending data
};

struct OrderOutcome {
  std::optional<std::int64_t> first_step;  // from this step on, on all ranks
  std::vector<OrderAnswer> answers;        // one per node that has ranks of the run
};

std::string_view orderName(OrderKind kind);  // "trace_steps"
std::optional<OrderKind> orderNamed(std::string_view name);
// "trace 5 steps with kernels".
std::string orderText(const Order& order);
Status checkOrder(const Order& order);
// Kinds of the events that record commands and their outcome.
inline constexpr std::string_view kOrderEvent = "order", kCaptureEvent = "capture";
inline bool isOwnEvent(std::string_view kind) { return kind == kOrderEvent || kind == kCaptureEvent; }
// "trace 5 steps with kernels, from step 300": the text of a command's event.
std::string orderEventText(const Order& order, std::optional<std::int64_t> first_step);
// The steps [first, end) traced according to such an event; absent: an event of another command.
std::optional<std::pair<std::int64_t, std::int64_t>> tracedSteps(const Event& event);
// "run 'gpt' ended 2026-03-02 10:00:00Z (finished)"; empty unless the run's end is recorded.
std::string runEndText(const Run& run);

}  // namespace runglass
