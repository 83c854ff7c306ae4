// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl agent: administration of the agents recorded in a store.

#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/options.h"
#include "app/cli/store_edit.h"

namespace runglass::ctl {
namespace {

class AgentCommand : public Command {
 public:
  const char* name() const override { return "agent"; }
  const char* help() const override { return "Free the identity of a replaced node's agents"; }
  const char* examples() const override {
    return "runglassctl agent forget --store run.rgl n0412\n"
           "runglassctl agent forget --hub 127.0.0.1:7070 n0412\n";
  }
  void declare(Options options) override {
    options.requireSubcommand();
    const Options forget = options.subcommand("forget", "Let another node or certificate use an agent's uuid");
    forget.add("agent", m_forget.name, "The agent's uuid, or a node's uuid or name: all its agents").required();
    const Option hub = forget.add("--hub", m_hub, "The hub, HOST:PORT");
    forget.add("--store", m_store, "Instead: the store, a .rgl file").excludes(hub);
    m_control.declare(forget);
  }
  Status run() override {
    if (m_hub.empty() && m_store.empty()) return {Code::kInvalidArgument, "wants --hub HOST:PORT or --store S.rgl"};
    RG_ASSIGN(ControlTarget target, m_control.target());
    if (m_hub.empty()) return editStore(m_store, m_forget, target);
    target.hub = m_hub;
    return ControlClient(std::move(target)).edit(m_forget, "");
  }

 private:
  std::string m_hub, m_store;
  AgentForget m_forget;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeAgent() { return std::make_unique<AgentCommand>(); }

}  // namespace runglass::ctl
