// SPDX-License-Identifier: Apache-2.0
#include "model/orders.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/captures.h"
#include "model/time_text.h"

namespace runglass {
namespace {

struct Entry {
  std::string_view name;
  std::int64_t least, most;  // limits of the number
};
// In the order of OrderKind.
constexpr std::array<Entry, kOrderKinds> kEntries = {{{"trace_steps", 1, 100'000},
                                                      {"trace_every", 0, 1'000'000'000},
                                                      {"trace_filter", 0, 0},
                                                      {"exact", 0, 100'000},
                                                      {"keep_recent", 0, 3'600},
                                                      {"ship_recent", 0, 0},
                                                      {"capture", 0, 1}}};
constexpr std::size_t kMaxRanks = 1U << 17, kMaxFilter = 512, kMaxName = 256;

const Entry& entryOf(OrderKind kind) { return kEntries[static_cast<std::size_t>(kind)]; }

bool isPlain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

}  // namespace

std::string_view orderName(OrderKind kind) { return entryOf(kind).name; }

std::optional<OrderKind> orderNamed(std::string_view name) {
  const auto found = std::ranges::find(kEntries, name, &Entry::name);
  if (found == kEntries.end()) return std::nullopt;
  return static_cast<OrderKind>(found - kEntries.begin());
}

std::string orderText(const Order& order) {
  const std::string number = std::to_string(order.number);
  switch (order.kind) {
    case OrderKind::kTraceSteps:
      return "trace " + number + " steps with kernels";
    case OrderKind::kTraceEvery:
      return order.number == 0 ? "trace kernels in no step" : "trace kernels in every step that " + number + " divides";
    case OrderKind::kTraceFilter:
      return order.filter.empty() ? "trace all kernels" : "trace kernels named " + order.filter;
    case OrderKind::kExact:
      return order.number == 0 ? "end exact mode" : "trace " + number + " steps in exact mode";
    case OrderKind::kKeepRecent:
      return order.number == 0 ? "keep nothing beside the ring" : "keep the last " + number + " s at full rate";
    case OrderKind::kShipRecent:
      return "store the ring";
    case OrderKind::kCapture:
      return "capture, " + std::string(captureReasonName(static_cast<CaptureReason>(order.number)));
  }
  return "";
}

std::string orderEventText(const Order& order, std::optional<std::int64_t> first_step) {
  return orderText(order) + (first_step ? ", from step " + std::to_string(*first_step) : "");
}

std::optional<std::pair<std::int64_t, std::int64_t>> tracedSteps(const Event& event) {
  if (event.kind != kOrderEvent || !event.step) return std::nullopt;
  for (const OrderKind kind : {OrderKind::kTraceSteps, OrderKind::kExact}) {
    if (event.code != orderName(kind)) continue;
    static constexpr std::string_view kBefore = "trace ";
    std::int64_t count = 0, end = 0;
    if (!event.message.starts_with(kBefore)) return std::nullopt;
    const char* last = event.message.data() + event.message.size();
    if (std::from_chars(event.message.data() + kBefore.size(), last, count).ec != std::errc()) return std::nullopt;
    if (count > entryOf(kind).most || __builtin_add_overflow(*event.step, count, &end)) return std::nullopt;
    return std::pair(*event.step, end);
  }
  return std::nullopt;
}

Status checkOrder(const Order& order) {
  const Entry& entry = entryOf(order.kind);
  const auto refuse = [&](const std::string& why) {
    return Status(Code::kInvalidArgument, "order " + std::string(entry.name) + ": " + why);
  };
  if (order.run.empty() || order.run.size() > kMaxName) return refuse("wants the name of a run");
  if (order.number < entry.least || order.number > entry.most)
    return refuse(std::to_string(order.number) + " is not in " + std::to_string(entry.least) + ".." + std::to_string(entry.most));
  if (order.ranks.size() > kMaxRanks || std::ranges::any_of(order.ranks, [](std::int32_t rank) { return rank < 0; }))
    return refuse("ranks that cannot be");
  if (order.filter.size() > kMaxFilter) return refuse("a filter has at most " + std::to_string(kMaxFilter) + " bytes");
  if (!isPlain(order.filter)) return refuse("a filter with control characters");
  if (order.kind != OrderKind::kTraceFilter && !order.filter.empty()) return refuse("takes no filter");
  return {};
}

std::string runEndText(const Run& run) {
  if (run.state != RunState::kFinished && run.state != RunState::kFailed) return "";
  return "run '" + run.name + "' ended" + (run.end ? " " + utcText(*run.end) : "") +
         (run.state == RunState::kFinished ? " (finished)" : " (failed)");
}

}  // namespace runglass
