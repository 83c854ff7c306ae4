// SPDX-License-Identifier: Apache-2.0
// A sentence independent of language: the id of a template (analysis/words/sentences.h) and typed arguments.
//
// Stored as JSON; a reader in any language formats the arguments itself:
//   {"id": "stall_now", "args": {"length": {"duration_ns": 90000000000}, "step": 150, "limit": {"duration_ns": 60000000000}}}
//   text     "sim-0002"                       names and words of others, verbatim
//   count    150                              whole numbers; the template chooses a plural form by it
//   quantity {"ratio": 0.075}                 one key names unit and format, see Format
//   ranks    {"ranks": [0, 3, 8, 8], "count": 20}   first and last of each range, sorted; count: of all, if ranges are left out
//   term     {"term": "power limit"}          a phrase of another of our catalogues (faults, settings), translated as a whole
//   list     ["a", "b"]                       of arguments
//   message  {"id": ..., "args": {...}}       a clause
// Errors:     parse() returns nothing for JSON that is not a message, is nested deeper than kMaxDepth or longer than kMaxMessageBytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/time.h"

namespace runglass::words {

inline constexpr std::size_t kMaxMessageBytes = 4'096;
inline constexpr int kMaxDepth = 8;
inline constexpr std::size_t kMaxRanges = 6;

// The English format of a quantity, which implies its unit. Functions of model/number_text.h and model/time_text.h.
enum class Format : std::uint8_t {
  kRatio,          // percentText(): "7.5 %"
  kNumber,         // numberText(): "0.5777"; with decimals fixedText()
  kDuration,       // durationText(), ns: "2 min 10 s"
  kShortDuration,  // shortDurationText(), ns: "312 ms"
};

struct Quantity {
  Format format = Format::kNumber;
  double value = 0;     // of kRatio and kNumber
  std::int64_t ns = 0;  // of durations
  int decimals = -1;    // of kNumber; -1: four significant digits
};
Quantity ratio(double value);
Quantity number(double value);
Quantity number(double value, int decimals);
Quantity duration(DurNs ns);
Quantity shortDuration(DurNs ns);
// Rounded half to even, within the range of the type; NaN is 0.
std::int64_t whole(double value);

struct Term {
  std::string text;
};

struct Ranks {
  std::vector<std::pair<std::int32_t, std::int32_t>> ranges;  // first and last, at most kMaxRanges
  std::optional<std::int64_t> count;                          // of all ranks, if there are more ranges
};
// In any order, each once.
Ranks ranksOf(std::vector<std::int32_t> ranks);

struct Arg;
using Args = std::vector<std::pair<std::string, Arg>>;

struct Message {
  std::string id;
  Args args;
  const Arg* find(std::string_view name) const;
};

// An absent argument leaves out the optional parts of a template that name it.
struct Arg {
  using List = std::vector<Arg>;
  std::variant<std::monostate, std::string, std::int64_t, Quantity, Ranks, Term, List, Message> value;

  Arg() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Arg(T count) : value(static_cast<std::int64_t>(count)) {}  // NOLINT(google-explicit-constructor)
  Arg(std::string text) : value(std::move(text)) {}          // NOLINT(google-explicit-constructor)
  Arg(std::string_view text) : value(std::string(text)) {}   // NOLINT(google-explicit-constructor)
  Arg(const char* text) : value(std::string(text)) {}        // NOLINT(google-explicit-constructor)
  Arg(Quantity quantity) : value(quantity) {}                // NOLINT(google-explicit-constructor)
  Arg(Ranks ranks) : value(std::move(ranks)) {}              // NOLINT(google-explicit-constructor)
  Arg(Term term) : value(std::move(term)) {}                 // NOLINT(google-explicit-constructor)
  Arg(List list) : value(std::move(list)) {}                 // NOLINT(google-explicit-constructor)
  Arg(Message clause) : value(std::move(clause)) {}          // NOLINT(google-explicit-constructor)
  template <class T>
  Arg(std::optional<T> arg) {  // NOLINT(google-explicit-constructor)
    if (arg) *this = Arg(std::move(*arg));
  }
  bool present() const { return value.index() != 0; }
};

// JSON in one line; "" if it would exceed kMaxMessageBytes.
std::string print(const Message& message);
std::optional<Message> parse(std::string_view json);

// Text of others as it is.
inline Message verbatim(Arg text) { return Message{"verbatim", {{"text", std::move(text)}}}; }
// Absent where the text is empty.
inline Arg unlessEmpty(const std::string& text) { return text.empty() ? Arg() : Arg(text); }

}  // namespace runglass::words
