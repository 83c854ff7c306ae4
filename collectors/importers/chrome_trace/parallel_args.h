// SPDX-License-Identifier: Apache-2.0
// ParallelArgs: what an event's args say about where in a distributed training step it belongs (veScale ndtimeline, StragglerAnalysis,
// MegaScan and their likes).
//
// Threading:  one parser per thread.
// Ownership:  values.
// Units:      ranks, coordinates, steps and microbatches from 0; a negative number says "none" in these formats and is absent here.
// Errors:     read(): false for text that is no object.
// Cost:       one pass over the args.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectors/importers/chrome_trace/trace_ranks.h"

namespace runglass {

struct ParallelArgs {
  std::optional<std::int64_t> step, microbatch, sequence;
  std::optional<std::int32_t> rank;
  Coordinates at;
};

class ParallelArgsParser {
 public:
  // `args` must have EventSlicer::kPadding readable bytes behind it, as those of a TraceEvent have.
  bool read(std::string_view args, ParallelArgs& out);

 private:
  simdjson::ondemand::parser m_parser;
};

}  // namespace runglass
