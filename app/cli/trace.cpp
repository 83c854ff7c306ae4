// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl trace: requests individual kernels from the tracers in a run's processes, through the hub.
#include <nlohmann/json.hpp>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/options.h"
#include "app/cli/order_outcome.h"
#include "app/cli/store_edit.h"

namespace runglass::ctl {
namespace {

class Trace : public Command {
 public:
  const char* name() const override { return "trace"; }
  const char* help() const override { return "Ask the tracers of a running run for kernels; prints what each node said"; }
  const char* examples() const override {
    return "runglassctl trace --store run.rgl --run llm-70b --steps 5\n"
           "runglassctl trace --store run.rgl --run llm-70b --ship-recent\n";
  }
  void declare(Options options) override {
    const Option hub = options.add("--hub", m_hub, "The hub, HOST:PORT");
    options.add("--store", m_store, "Instead: the store that a hub of this machine writes").excludes(hub);
    options.add("--run", m_order.run, "The run's name").required();
    options.add("--rank", m_order.ranks, "Only this rank; may be given again").oneValueEach();
    const Options what = options.exactlyOne("what", "Exactly one");
    number(what, "--steps", OrderKind::kTraceSteps, "Every kernel in the next N steps, the same on all ranks");
    number(what, "--every", OrderKind::kTraceEvery, "Every kernel in the steps that N divides; 0: in none");
    number(what, "--exact", OrderKind::kExact, "The next N steps by the profiler's own interface; 0: stop");
    number(what, "--keep-recent", OrderKind::kKeepRecent, "Keep about the last N seconds at full rate in addition to the ring; 0: nothing");
    what.onText(
        "--filter",
        [this](const std::string& text) {
          m_order.kind = OrderKind::kTraceFilter;
          m_order.filter = text;
        },
        "Only kernels whose names contain one of the parts, A|B|C; empty: every kernel");
    what.onFlag(
        "--ship-recent", [this] { m_order.kind = OrderKind::kShipRecent; }, "Store the data in the ring");
    options.flag("--json", m_json, "Print one JSON object");
    m_control.declare(options);
  }
  Status run() override {
    RG_ASSIGN(ControlTarget target, m_control.target());
    if (m_hub.empty() && m_store.empty()) return {Code::kInvalidArgument, "wants --hub HOST:PORT or --store S.rgl"};
    target.hub = m_hub;
    RG_ASSIGN(const OrderOutcome outcome,
              m_hub.empty() ? placeOrder(m_store, m_order, target) : ControlClient(std::move(target)).order(m_order, ""));
    RG_TRY(printAnswer(
        m_json, [&] { return outcomeJson(outcome); }, [&] { return outcomeText(outcome); }));
    return outcomeStatus(outcome);
  }

 private:
  void number(Options options, const std::string& name, OrderKind kind, const std::string& help) {
    options.onNumber(
        name,
        [this, kind](std::int64_t value) {
          m_order.kind = kind;
          m_order.number = value;
        },
        help);
  }

  std::string m_hub, m_store;
  bool m_json = false;
  Order m_order;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeTrace() { return std::make_unique<Trace>(); }

}  // namespace runglass::ctl
