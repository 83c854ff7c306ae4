// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl capture: requests the current state of all nodes of a run and their ranks, through the hub.
#include <nlohmann/json.hpp>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/options.h"
#include "app/cli/order_outcome.h"
#include "app/cli/store_edit.h"

namespace runglass::ctl {
namespace {

class CaptureNow : public Command {
 public:
  const char* name() const override { return "capture"; }
  const char* help() const override { return "Take stacks, process states and logs of a running run now; prints what each node said"; }
  const char* examples() const override {
    return "runglassctl capture --store run.rgl --run llm-70b\n"
           "runglassctl capture --hub 127.0.0.1:7070 --run llm-70b --ranks 0,17\n";
  }
  void declare(Options options) override {
    const Option hub = options.add("--hub", m_hub, "The hub, HOST:PORT");
    options.add("--store", m_store, "Instead: the store that a hub of this machine writes").excludes(hub);
    options.add("--run", m_order.run, "The run's name").required();
    options.add("--ranks", m_order.ranks, "Only these ranks: 0,3,17").delimiter(',');
    options.flag("--json", m_json, "Print one JSON object");
    m_control.declare(options);
  }
  Status run() override {
    RG_ASSIGN(ControlTarget target, m_control.target());
    if (m_hub.empty() && m_store.empty()) return {Code::kInvalidArgument, "wants --hub HOST:PORT or --store S.rgl"};
    target.hub = m_hub;
    m_order.kind = OrderKind::kCapture;
    RG_ASSIGN(const OrderOutcome outcome,
              m_hub.empty() ? placeOrder(m_store, m_order, target) : ControlClient(std::move(target)).order(m_order, ""));
    RG_TRY(printAnswer(
        m_json, [&] { return outcomeJson(outcome); }, [&] { return outcomeText(outcome); }));
    return outcomeStatus(outcome);
  }

 private:
  std::string m_hub, m_store;
  bool m_json = false;
  Order m_order;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeCapture() { return std::make_unique<CaptureNow>(); }

}  // namespace runglass::ctl
