// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl rewind: recommends the checkpoint to restart from before a loss spike, and the batches to skip. It changes nothing.
#include <nlohmann/json.hpp>

#include "analysis/rewind/rewind_print.h"
#include "analysis/run_summary/run_summary.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"

namespace runglass::ctl {
namespace {

class Rewind : public Command {
 public:
  const char* name() const override { return "rewind"; }
  const char* help() const override { return "Plan a restart before a loss spike: checkpoint, batches to leave out, cost"; }
  const char* examples() const override { return "runglassctl rewind --store run.rgl --step 48210 --rule palm\n"; }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    const Options what = options.exactlyOne("spike");
    what.add("--finding", m_finding, "The finding with this id (runglassctl analyze shows it)").positive();
    what.add("--step", m_step, "The step at which the spike begins");
    options.add("--run", m_run, "With --step: the run, by id, uuid or name; without it the newest");
    options.add("--rule", m_rule, "palm: 100 steps back, skip 200 to 500 batches; falcon: last save, skip 1B tokens")
        .oneOf({"palm", "falcon"});
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_ASSIGN(auto reader, openForReading(m_store));
    RG_ASSIGN(const RewindQuestion question, ask(*reader));
    RG_ASSIGN(const RewindAnswer answer, readRewind(*reader, question));
    return printAnswer(
        m_json, [&] { return nlohmann::ordered_json::parse(rewindJson(answer)); },
        [&] {
          std::string text;
          for (const std::string& line : rewindLines(answer)) text += oneLine(line) + "\n";
          return text;
        });
  }

 private:
  Result<RewindQuestion> ask(Reader& reader) {
    RewindQuestion question;
    question.rule = m_rule == "falcon" ? RewindRule::kFalcon : RewindRule::kPalm;
    if (m_step) {
      RG_ASSIGN(const Run run, wantedRun(reader, m_store, m_run));
      question.run = run.id;
      question.first_step = question.last_step = *m_step;
      return question;
    }
    RG_ASSIGN(const auto findings, reader.findings(std::nullopt));
    for (const Finding& finding : findings) {
      if (finding.id != *m_finding) continue;
      if (!finding.first_step) return Status(Code::kInvalidArgument, "finding " + std::to_string(*m_finding) + ": it has no step");
      question.run = finding.run;
      question.attempt = finding.attempt;
      question.first_step = *finding.first_step;
      question.last_step = finding.last_step.value_or(*finding.first_step);
      return question;
    }
    return Status(Code::kNotFound, m_store + ": there is no finding " + std::to_string(*m_finding));
  }

  std::string m_store, m_run, m_rule = "palm";
  std::optional<std::int64_t> m_finding, m_step;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeRewind() { return std::make_unique<Rewind>(); }

}  // namespace runglass::ctl
