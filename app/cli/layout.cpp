// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl layout: the coordinates of a run's ranks in its parallel layout, the evidence for and against them; and choosing their order.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/layout/layout_reading.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "app/cli/store_edit.h"

namespace runglass::ctl {
namespace {

Json toJson(const LayoutPlaces& places, const LayoutQuestion& question, const Attempt& attempt) {
  Json json = {{"attempt", attempt.number},
               {"world", places.sizes.world > 0 ? Json(places.sizes.world) : Json()},
               {"chosen_order", question.chosen_order.empty() ? Json() : Json(question.chosen_order)},
               {"dimensions", Json::object()},
               {"mismatches", Json::array()},
               {"ranks", Json::array()}};
  for (const LayoutDimension dimension : kLayoutDimensions) {
    const DimensionPlaces& of = places.of(dimension);
    json["dimensions"][dimensionName(dimension)] = {{"size", of.size > 0 ? Json(of.size) : Json()},
                                                    {"placed", of.placed},
                                                    {"source", of.placed > 0 ? Json(placeSourceName(of.source)) : Json()},
                                                    {"reason", of.reason.empty() ? Json() : Json(of.reason)}};
  }
  for (const LayoutMismatch& one : places.mismatches)
    json["mismatches"].push_back({{"what", one.what}, {"expected", one.expected}, {"found", one.found}});
  for (const Rank& rank : places.ranks) {
    Json row = {{"rank", rank.rank}};
    for (const LayoutDimension dimension : kLayoutDimensions)
      if (const auto coordinate = coordinateOf(rank, dimension)) row[dimensionName(dimension)] = *coordinate;
    json["ranks"].push_back(std::move(row));
  }
  return json;
}

std::string toText(const LayoutPlaces& places) {
  std::string text;
  for (const LayoutDimension dimension : kLayoutDimensions) {
    const DimensionPlaces& of = places.of(dimension);
    text += std::string(dimensionName(dimension)) + (of.size > 0 ? " " + std::to_string(of.size) : std::string()) + ": ";
    if (of.placed > 0) text += std::to_string(of.placed) + " ranks, " + placeSourceName(of.source) + (of.reason.empty() ? "" : "; ");
    text += of.reason + "\n";
  }
  for (const LayoutMismatch& one : places.mismatches)
    text += "contradiction: " + oneLine(one.what) + ": expected " + oneLine(one.expected) + ", found " + oneLine(one.found) + "\n";
  if (places.more_mismatches > 0) text += std::to_string(places.more_mismatches) + " more contradictions\n";
  return text;
}

class LayoutCommand : public Command {
 public:
  const char* name() const override { return "layout"; }
  const char* help() const override { return "Show or set the parallel layout of a run (dp, pp, tp, cp, ep)"; }
  const char* examples() const override {
    return "runglassctl layout --store run.rgl --run 1\n"
           "runglassctl layout --store run.rgl --run 1 --order tp8-dp4-pp2\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--run", m_run, "The run's id, uuid or name").required();
    options.add("--attempt", m_attempt, "The attempt's number, from 0; without it the newest").nonNegative();
    const Option order = options.add("--order", m_order, "Order of dimensions, fastest first: tp-cp-ep-dp-pp, tp8-dp4-pp2; stored");
    options.flag("--reset", m_reset, "Remove the stored order").excludes(order);
    options.flag("--json", m_json, "Print one JSON object");
    m_control.declare(options);
  }
  Status run() override {
    RG_ASSIGN(const ControlTarget control, m_control.target());
    RG_ASSIGN(auto reader, m_order.empty() && !m_reset ? openForReading(m_store) : openItself(m_store));
    RG_ASSIGN(const Run run, wantedRun(*reader, m_store, m_run));
    RG_ASSIGN(const Attempt attempt, wantedAttempt(*reader, m_store, run, m_attempt));
    RG_ASSIGN(LayoutQuestion question, readLayoutQuestion(*reader, run, attempt));
    reader.reset();  // a store cannot be folded into one file while it is being read
    if (!m_order.empty() || m_reset) {
      RG_TRY(editStore(m_store, RankOrderChoice{.run_uuid = run.uuid, .attempt = attempt.number, .order = m_order}, control));
      question.chosen_order = m_order;
    }
    const LayoutPlaces places = placeLayout(question);
    return printAnswer(
        m_json, [&] { return toJson(places, question, attempt); }, [&] { return toText(places); });
  }

 private:
  std::string m_store, m_run, m_order;
  std::optional<std::int32_t> m_attempt;
  bool m_reset = false, m_json = false;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeLayout() { return std::make_unique<LayoutCommand>(); }

}  // namespace runglass::ctl
