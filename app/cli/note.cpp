// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl note: adds a note of a person to a run; also while a hub writes the store.
#include <cstdlib>

#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/options.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "app/cli/store_edit.h"

namespace runglass::ctl {
namespace {

class AddNote : public Command {
 public:
  AddNote() {
    if (const char* user = std::getenv("USER")) m_note.author = user;
  }
  const char* name() const override { return "note"; }
  const char* help() const override { return "Write a note on a run, or change or remove one; also while a hub writes the store"; }
  const char* examples() const override {
    return "runglassctl note --store run.rgl --run 1 'lr halved by hand'\n"
           "runglassctl note --store run.rgl --run 1 --time 1700000000000000000 'switch rebooted'\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--run", m_run, "The run's id, uuid or name").required();
    options.add("--time", m_note.time, "What moment it is about, ns since 1970; without it: the run as a whole");
    options.add("--author", m_note.author, "Author of the note").defaultShown();
    const Option id = options.add("--id", m_note.id, "Change this note (note_id of the relation note) instead of adding one").positive();
    const Option text = options.add("TEXT", m_note.text, "At most 64 KiB");
    const Option remove = options.flag("--remove", m_remove, "Remove the note of --id");
    remove.needs(id).excludes(text);
    m_control.declare(options);
  }
  Status run() override {
    if (m_note.text.empty() && !m_remove) return {Code::kInvalidArgument, "no text was given"};
    RG_ASSIGN(const ControlTarget control, m_control.target());
    {
      RG_ASSIGN(const auto reader, openItself(m_store));
      RG_ASSIGN(const Run run, wantedRun(*reader, m_store, m_run));
      m_note.run_uuid = run.uuid;
    }
    return editStore(m_store, m_note, control);
  }

 private:
  std::string m_store, m_run;
  bool m_remove = false;
  Note m_note;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeNote() { return std::make_unique<AddNote>(); }

}  // namespace runglass::ctl
