// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl logbook: the history of a run, day by day, as Markdown.

#include "analysis/logbook/read_logbook.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"

namespace runglass::ctl {
namespace {

class PrintLogbook : public Command {
 public:
  const char* name() const override { return "logbook"; }
  const char* help() const override { return "Print the run log as Markdown: starts, restarts, faults, checkpoints, alerts, notes"; }
  const char* examples() const override { return "runglassctl logbook --store run.rgl --out logbook.md\n"; }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--run", m_run, "The run's id, uuid or name; without it the newest");
    options.add("--out", m_out, "A file that does not exist yet; without it standard output");
  }
  Status run() override {
    RG_ASSIGN(const auto reader, openForReading(m_store));
    RG_ASSIGN(const Run run, wantedRun(*reader, m_store, m_run));
    RG_ASSIGN(const auto findings, reader->findings(run.id));
    RG_ASSIGN(const auto incidents, reader->incidents(run.id));
    RG_ASSIGN(const Logbook logbook, readLogbook(*reader, run, findings, incidents, {}));
    if (m_out.empty()) return print(Output::standard(), logbook);
    RG_ASSIGN(Output file, Output::create(m_out));
    return print(std::move(file), logbook);
  }

 private:
  static Status print(Output out, const Logbook& logbook) {
    out.print(logbookMarkdown(logbook));
    return out.finish();
  }

  std::string m_store, m_run, m_out;
};

}  // namespace

std::unique_ptr<Command> makeLogbook() { return std::make_unique<PrintLogbook>(); }

}  // namespace runglass::ctl
