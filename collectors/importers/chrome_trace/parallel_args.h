// SPDX-License-Identifier: Apache-2.0
// ParallelArgs: position of an event in a distributed training step, from its args (veScale ndtimeline, StragglerAnalysis, MegaScan and
// similar).
//
// Threading:  one parser per thread.
// Units:      ranks, coordinates, steps and microbatches from 0; a negative number means "none" in these formats and is absent here.
// Errors:     read(): false for text that is not an object.
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
  // `args` must be followed by EventSlicer::kPadding readable bytes, as those of a TraceEvent are.
  bool read(std::string_view args, ParallelArgs& out);

 private:
  simdjson::ondemand::parser m_parser;
};

}  // namespace runglass
