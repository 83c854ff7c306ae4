// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl align: the clock differences between a run's nodes, from collectives that they ended together, and their correction.
#include <nlohmann/json.hpp>

#include "analysis/clock_align/clock_matches.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "app/cli/store_edit.h"
#include "model/number_text.h"

namespace runglass::ctl {
namespace {

const char* verdictName(ClockAlignVerdict verdict) {
  static constexpr const char* kNames[] = {"shift", "agree", "refused"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Json toJson(const ClockProposal& proposal, std::int32_t attempt, bool stored) {
  const ClockAlign& result = proposal.result;
  Json json = {{"run_uuid", proposal.edit.run_uuid},
               {"attempt", attempt},
               {"verdict", verdictName(result.verdict)},
               {"reason", result.words.empty() ? Json() : Json(result.words)},
               {"stored", stored},
               {"spans", proposal.spans},
               {"calls", proposal.calls},
               {"calls_left_out", proposal.odd},
               {"calls_not_looked_at", proposal.thinned},
               {"matches", result.matches},
               {"matched_by_order", proposal.by_order},
               {"windows", result.windows},
               {"before_ns", result.before},
               {"residual_ns", result.after},
               {"clocks", Json::array()}};
  for (std::size_t c = 0; c < proposal.owners.size(); ++c) {
    const ClockOwner& owner = proposal.owners[c];
    const AlignedClock& clock = result.clocks[c];
    Json knots = Json::array();
    for (const AlignKnot& knot : clock.knots) knots.push_back({{"at_ns", knot.at}, {"shift_ns", knot.shift}});
    json["clocks"].push_back({{"clock", owner.name},
                              {"ranks", owner.ranks},
                              {"matches", clock.matches},
                              {"shift_ns", clock.aligned ? Json(clock.shift) : Json()},
                              {"error_ns", clock.aligned ? Json(clock.error) : Json()},
                              {"own_error_ns", owner.own_error ? Json(*owner.own_error) : Json()},
                              {"before_ns", clock.aligned ? Json(clock.before) : Json()},
                              {"residual_ns", clock.aligned ? Json(clock.after) : Json()},
                              {"shifts", std::move(knots)}});
  }
  return json;
}

std::string microseconds(DurNs value) { return scaledText(static_cast<double>(value), {1e-3, 1, "us"}); }

std::string toText(const ClockProposal& proposal, bool stored) {
  const ClockAlign& result = proposal.result;
  std::string text = std::to_string(result.matches) + " operations of " + std::to_string(proposal.calls) + " calls matched" +
                     (proposal.by_order > 0 ? " (" + std::to_string(proposal.by_order) + " by their order)" : "") + ", ends " +
                     microseconds(result.before) + " us apart before, " + microseconds(result.after) + " us after\n";
  char line[200];
  std::snprintf(line, sizeof line, "%-20s %10s %16s %12s %14s %12s\n", "clock", "matches", "shift us", "error us", "before us", "after us");
  text += line;
  for (std::size_t c = 0; c < proposal.owners.size(); ++c) {
    const AlignedClock& clock = result.clocks[c];
    const std::string name = oneLine(proposal.owners[c].name).substr(0, 60);
    if (clock.aligned)
      std::snprintf(line, sizeof line, "%-20s %10lld %16s %12s %14s %12s\n", name.c_str(), static_cast<long long>(clock.matches),
                    microseconds(clock.shift).c_str(), microseconds(clock.error).c_str(), microseconds(clock.before).c_str(),
                    microseconds(clock.after).c_str());
    else
      std::snprintf(line, sizeof line, "%-20s %10lld %16s\n", name.c_str(), static_cast<long long>(clock.matches), "not aligned");
    text += line;
  }
  if (!result.words.empty())
    text += "nothing to store: " + oneLine(result.words) + "\n";
  else
    text += stored ? "stored\n" : "not stored (--dry-run)\n";
  return text;
}

class Align : public Command {
 public:
  const char* name() const override { return "align"; }
  const char* help() const override { return "Align the clocks of a run's nodes by the ends of collectives"; }
  const char* examples() const override {
    return "runglassctl align --store trace.rgl --run 1 --dry-run\n"
           "runglassctl align --store trace.rgl --run 1\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--run", m_run, "The run's id, uuid or name").required();
    options.add("--attempt", m_attempt, "The attempt's number, from 0; without it the newest").nonNegative();
    const Option dry = options.flag("--dry-run", m_dry, "Print the shifts without storing them");
    options.flag("--reset", m_reset, "Remove the alignment: times are those of the nodes' clocks").excludes(dry);
    options.flag("--json", m_json, "Print one JSON object");
    m_control.declare(options);
  }
  Status run() override {
    RG_ASSIGN(const ControlTarget control, m_control.target());
    RG_ASSIGN(auto reader, m_dry ? openForReading(m_store) : openItself(m_store));
    RG_ASSIGN(const Run run, wantedRun(*reader, m_store, m_run));
    RG_ASSIGN(const Attempt attempt, wantedAttempt(*reader, m_store, run, m_attempt));
    if (m_reset) return reset(std::move(reader), run, attempt, control);
    RG_ASSIGN(const ClockProposal proposal, proposeAlignment(*reader, run.id, attempt.id, {}));
    reader.reset();  // a store cannot be folded into one file while it is being read
    const bool wanted = !m_dry && proposal.result.verdict == ClockAlignVerdict::kShift;
    if (wanted) RG_TRY(editStore(m_store, proposal.edit, control));
    RG_TRY(printAnswer(
        m_json, [&] { return toJson(proposal, attempt.number, wanted); }, [&] { return toText(proposal, wanted); }));
    if (proposal.result.verdict != ClockAlignVerdict::kRefused) return {};
    return {Code::kFailedPrecondition, "cannot align clocks: " + m_store + ": " + proposal.result.words};
  }

 private:
  Status reset(std::unique_ptr<Reader> reader, const Run& run, const Attempt& attempt, const ControlTarget& control) const {
    RG_ASSIGN(const auto had, reader->alignment(attempt.id));
    reader.reset();
    const ClockAlignment none{.run_uuid = run.uuid, .attempt = attempt.number, .source = {}, .shifts = {}};
    if (had) RG_TRY(editStore(m_store, none, control));
    return printAnswer(
        m_json,
        [&] {
          return Json{{"run_uuid", run.uuid}, {"attempt", attempt.number}, {"verdict", "reset"}, {"stored", had.has_value()}};
        },
        [&] { return std::string(had ? "the alignment was taken off\n" : "no alignment was there\n"); });
  }

  std::string m_store, m_run;
  std::optional<std::int32_t> m_attempt;
  bool m_dry = false, m_reset = false, m_json = false;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeAlign() { return std::make_unique<Align>(); }

}  // namespace runglass::ctl
