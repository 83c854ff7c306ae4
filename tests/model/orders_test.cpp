// SPDX-License-Identifier: Apache-2.0
// The events of commands: the traced steps are parsed back from the event's text.
#include "model/orders.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

Event eventOf(const Order& order, std::optional<std::int64_t> first_step) {
  return {.step = first_step,
          .kind = std::string(kOrderEvent),
          .code = std::string(orderName(order.kind)),
          .message = orderEventText(order, first_step)};
}

TEST(OrderEvent, NamesTheStepsThatWereTraced) {
  for (const OrderKind kind : {OrderKind::kTraceSteps, OrderKind::kExact})
    EXPECT_EQ(tracedSteps(eventOf({.kind = kind, .number = 20}, 300)), (std::pair<std::int64_t, std::int64_t>(300, 320)));
}

TEST(OrderEvent, OtherCommandsAndNonsenseTraceNoSteps) {
  for (const OrderKind kind : {OrderKind::kTraceEvery, OrderKind::kTraceFilter, OrderKind::kKeepRecent, OrderKind::kCapture})
    EXPECT_FALSE(tracedSteps(eventOf({.kind = kind}, 300)));
  EXPECT_FALSE(tracedSteps(eventOf({.kind = OrderKind::kExact, .number = 0}, 300))) << "exact mode ends";
  EXPECT_FALSE(tracedSteps(eventOf({.kind = OrderKind::kExact, .number = 20}, std::nullopt)));
  Event odd = eventOf({.kind = OrderKind::kExact, .number = 20}, 300);
  for (const char* text : {"", "trace ", "trace many steps", "trace 99999999999999999999 steps", "trace 999999999 steps"}) {
    odd.message = text;
    EXPECT_FALSE(tracedSteps(odd)) << text;
  }
}

}  // namespace
}  // namespace runglass
