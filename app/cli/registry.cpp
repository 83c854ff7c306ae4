// SPDX-License-Identifier: GPL-3.0-or-later
// Every subcommand: one declaration, one line.
#include "app/cli/command.h"

namespace runglass::ctl {

std::unique_ptr<Command> makeAgent();
std::unique_ptr<Command> makeAlert();
std::unique_ptr<Command> makeAlign();
std::unique_ptr<Command> makeAnalyze();
std::unique_ptr<Command> makeCapture();
std::unique_ptr<Command> makeCompact();
std::unique_ptr<Command> makeCompare();
std::unique_ptr<Command> makeDelete();
std::unique_ptr<Command> makeEstimate();
std::unique_ptr<Command> makeExport();
std::unique_ptr<Command> makeFollow();
std::unique_ptr<Command> makeImport();
std::unique_ptr<Command> makeIncident();
std::unique_ptr<Command> makeInfo();
std::unique_ptr<Command> makeLayout();
std::unique_ptr<Command> makeLogbook();
std::unique_ptr<Command> makeNote();
std::unique_ptr<Command> makePair();
std::unique_ptr<Command> makeQuery();
std::unique_ptr<Command> makeRecover();
std::unique_ptr<Command> makeRepair();
std::unique_ptr<Command> makeRewind();
std::unique_ptr<Command> makeScore();
std::unique_ptr<Command> makeServe();
std::unique_ptr<Command> makeStatus();
std::unique_ptr<Command> makeTail();
std::unique_ptr<Command> makeTop();
std::unique_ptr<Command> makeTrace();
std::unique_ptr<Command> makeVerify();

std::vector<std::unique_ptr<Command>> commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(makeImport());
  all.push_back(makeInfo());
  all.push_back(makeQuery());
  all.push_back(makeVerify());
  all.push_back(makeRecover());
  all.push_back(makeRepair());
  all.push_back(makeAnalyze());
  all.push_back(makeScore());
  all.push_back(makeRewind());
  all.push_back(makeCompare());
  all.push_back(makeEstimate());
  all.push_back(makeExport());
  all.push_back(makeDelete());
  all.push_back(makeCompact());
  all.push_back(makeLogbook());
  all.push_back(makeNote());
  all.push_back(makeIncident());
  all.push_back(makeTrace());
  all.push_back(makeCapture());
  all.push_back(makeAlign());
  all.push_back(makeLayout());
  all.push_back(makeStatus());
  all.push_back(makeTop());
  all.push_back(makeAgent());
  all.push_back(makeAlert());
  all.push_back(makeServe());
  all.push_back(makeFollow());
  all.push_back(makeTail());
  all.push_back(makePair());
  return all;
}

}  // namespace runglass::ctl
