// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/parallel_args.h"

#include <algorithm>
#include <limits>

#include "collectors/importers/chrome_trace/event_slicer.h"
#include "collectors/importers/chrome_trace/trace_event.h"

namespace runglass {
namespace {

struct Axis {
  std::string_view key;
  std::optional<std::int32_t> Coordinates::*field;
};
constexpr Axis kAxes[] = {{"tp", &Coordinates::tp},      {"pp", &Coordinates::pp},      {"dp", &Coordinates::dp},
                          {"cp", &Coordinates::cp},      {"ep", &Coordinates::ep},      {"tp_rank", &Coordinates::tp},
                          {"pp_rank", &Coordinates::pp}, {"dp_rank", &Coordinates::dp}, {"cp_rank", &Coordinates::cp},
                          {"ep_rank", &Coordinates::ep}};

struct Number {
  std::string_view key;
  std::optional<std::int64_t> ParallelArgs::*field;
};
constexpr Number kNumbers[] = {{"step", &ParallelArgs::step},
                               {"iteration", &ParallelArgs::step},
                               {"mb_id", &ParallelArgs::microbatch},
                               {"microbatch", &ParallelArgs::microbatch},
                               {"microbatch_id", &ParallelArgs::microbatch},
                               {"seq_id", &ParallelArgs::sequence}};

template <class Integer>
void keep(simdjson::ondemand::value& v, std::optional<Integer>& field) {
  const auto number = integerOf(v);
  if (number && *number >= 0 && *number <= std::numeric_limits<Integer>::max()) field = static_cast<Integer>(*number);
}

}  // namespace

bool ParallelArgsParser::read(std::string_view args, ParallelArgs& out) {
  out = {};
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (m_parser.iterate(simdjson::padded_string_view(args.data(), args.size(), args.size() + EventSlicer::kPadding)).get(document) !=
          simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS)
    return false;
  for (auto field : object) {
    std::string_view key;
    simdjson::ondemand::value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(v) != simdjson::SUCCESS) return false;
    if (key == "rank") {
      keep(v, out.rank);
    } else if (const auto* axis = std::ranges::find(kAxes, key, &Axis::key); axis != std::end(kAxes)) {
      keep(v, out.at.*axis->field);
    } else if (const auto* number = std::ranges::find(kNumbers, key, &Number::key); number != std::end(kNumbers)) {
      keep(v, out.*number->field);
    }
  }
  return true;
}

}  // namespace runglass
