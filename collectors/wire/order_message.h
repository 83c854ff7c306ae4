// SPDX-License-Identifier: Apache-2.0
// Converts an Order to and from its messages: v1::Order for an agent and v1::OrderRequest for a hub have the same fields.
//
// Threading:  pure.
// Units:      as model/orders.h.
// Errors:     orderOf(): UNIMPLEMENTED an unknown kind; checkOrder() validates the rest.
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

// Text of another process, limited to one line.
inline std::string oneWireLine(const std::string& message) {
  constexpr std::size_t kMax = 1'024;
  std::string line = message.substr(0, kMax);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

// A status of another process: its message limited to one line, its code mapped to a valid one.
inline Status statusOf(std::uint32_t code, const std::string& message) {
  if (code == 0) return {};
  const std::string line = oneWireLine(message);
  return {code <= static_cast<std::uint32_t>(Code::kUnauthenticated) ? static_cast<Code>(code) : Code::kUnknown, line};
}

}  // namespace runglass
