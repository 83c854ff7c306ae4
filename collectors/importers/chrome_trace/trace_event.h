// SPDX-License-Identifier: Apache-2.0
// TraceEvent: one event of the Chrome trace format (Trace Event Format, Google; written by PyTorch's Kineto).
//
// Threading:  one parser per thread.
// Ownership:  views point into the event's text or into the parser, until the next read().
// Units:      ns, converted exactly from µs with any number of decimals; ids as 64 bits.
// Errors:     read(): false for text that is not an event; an empty object is an event without a phase.
// Cost:       one pass over the event and one over its args.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace runglass {

struct TraceEvent {
  char phase = 0;
  std::string_view name, category;
  std::optional<std::int64_t> ts, dur;  // ns
  std::string_view pid, tid;            // as text, quotes removed
  std::string_view args;                // raw JSON object, or empty
  // From args, if present.
  std::optional<std::int64_t> correlation, external_id, bytes, sequence, device, stream;
  std::optional<std::int64_t> in_elements, out_elements;  // "In msg nelems", "Out msg nelems"
  std::string_view element_type;                          // "dtype"
  std::string_view group;                                 // "Process Group Name"
  std::string_view arg_name;                              // "name", of metadata events
};

class TraceEventParser {
 public:
  // `text` must be followed by EventSlicer::kPadding readable bytes.
  bool read(std::string_view text, TraceEvent& event);

 private:
  bool readArgs(simdjson::ondemand::object args, TraceEvent& event);
  simdjson::ondemand::parser m_parser;
};

// 12 or "12", ids above 2^63 by their bits; absent for anything else.
std::optional<std::int64_t> integerOf(simdjson::ondemand::value& v);
// "1234.567" or 1234.567 µs -> 1234567 ns, rounded half away from zero; absent if it is not a number or exceeds 64 bits.
std::optional<std::int64_t> nsFromMicros(std::string_view token);

}  // namespace runglass
