// SPDX-License-Identifier: Apache-2.0
// A sentence of an answer. Command lines, reports and SQL print the English; the console translates the message.
#pragma once

#include <string>
#include <utility>

#include "analysis/words/message.h"
#include "analysis/words/sentences.h"

namespace runglass::words {

struct Sentence {
  Message message;
  std::string english;

  Sentence() = default;
  Sentence(Message from) : message(std::move(from)), english(words::english(message)) {}  // NOLINT(google-explicit-constructor)
  bool operator==(const Sentence& other) const { return english == other.english; }
};

}  // namespace runglass::words
