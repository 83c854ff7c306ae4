// SPDX-License-Identifier: Apache-2.0
// An Order as the messages carry it: v1::Order to an agent and v1::OrderRequest to a hub have the same fields.
//
// Threading:  pure.
// Ownership:  values.
// Units:      as model/orders.h.
// Errors:     orderOf(): UNIMPLEMENTED a kind that is not known here; what an order may hold is checkOrder()'s to say.
// Cost:       O(ranks + text).
#pragma once

#include <string>

#include "model/orders.h"

namespace runglass {

template <class Message>
void fillOrder(Message& message, const Order& order) {
  message.set_kind(std::string(orderName(order.kind)));
  message.set_run(order.run);
  for (const std::int32_t rank : order.ranks) message.add_rank(rank);
  message.set_number(order.number);
  message.set_filter(order.filter);
}

template <class Message>
Result<Order> orderOf(const Message& message) {
  const auto kind = orderNamed(message.kind());
  if (!kind) return Status(Code::kUnimplemented, "order: not known here");
  return Order{.kind = *kind,
               .run = message.run(),
               .ranks = {message.rank().begin(), message.rank().end()},
               .number = message.number(),
               .filter = message.filter()};
}

// Words of another process in one bounded line.
inline std::string oneWireLine(const std::string& message) {
  constexpr std::size_t kMax = 1'024;
  std::string line = message.substr(0, kMax);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

// A status of another process: its message in one bounded line, its code one that there is.
inline Status statusOf(std::uint32_t code, const std::string& message) {
  if (code == 0) return {};
  const std::string line = oneWireLine(message);
  return {code <= static_cast<std::uint32_t>(Code::kUnauthenticated) ? static_cast<Code>(code) : Code::kUnknown, line};
}

}  // namespace runglass
