// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl alert: tests the targets of a rule file, lists alerts, and snoozes a cause or a rule; also while a hub writes the store.
#include <cstdlib>

#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/store_access.h"
#include "app/cli/store_edit.h"
#include "collectors/hub/alerts/courier.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

class AlertCommand : public Command {
 public:
  AlertCommand() {
    if (const char* user = std::getenv("USER")) m_snooze.author = user;
  }
  const char* name() const override { return "alert"; }
  const char* help() const override { return "Test alert targets, list alerts, mute a cause or a rule"; }
  const char* examples() const override {
    return "runglassctl alert test --alerts alerts.toml\n"
           "runglassctl alert list --store run.rgl --limit 20\n"
           "runglassctl alert snooze --store run.rgl --cause node/n0412 --minutes 120\n";
  }
  void declare(Options options) override {
    options.requireSubcommand();
    m_test = options.subcommand("test", "Send a test message to every target of a rule file, once; exit 1 if one was not reached");
    m_test.add("--alerts", m_alerts, "The rule file (TOML)").required();
    m_list = options.subcommand("list", "Print the newest alerts of a store");
    m_list.add("--store", m_store, "The store, a .rgl file").required();
    m_list.add("--limit", m_limit, "Number of alerts").range(1, 20'000).defaultShown();
    m_snooze_command = options.subcommand("snooze", "Send no notifications about a cause or a rule for a while");
    m_snooze_command.add("--store", m_store, "The store, a .rgl file").required();
    const Option rule = m_snooze_command.add("--rule", m_snooze.rule, "The rule's name: all its causes");
    m_snooze_command.add("--cause", m_snooze.cause, "The cause, as `alert list` prints it").excludes(rule);
    m_snooze_command.add("--minutes", m_minutes, "For how long; 0 ends it now").range(0, 527'040).defaultShown();
    m_control.declare(m_snooze_command);
  }
  Status run() override {
    if (m_test.parsed()) return test();
    return m_list.parsed() ? list() : snooze();
  }

 private:
  Status test() const {
    RG_ASSIGN(const AlertOptions options, readAlertRules(m_alerts));
    if (options.targets.empty()) return {Code::kInvalidArgument, m_alerts + ": names no target"};
    Output out = Output::standard();
    std::string missed;
    for (const TriedTarget& tried : tryTargets(options, {.uuid = "test", .path = ""})) {
      const bool screen = tried.status.code() == Code::kUnimplemented;
      out.write(tried.name + ": " + (tried.status.ok() ? "sent" : oneLine(tried.status.message())) + "\n");
      if (!tried.status.ok() && !screen) missed += (missed.empty() ? "" : ", ") + tried.name;
    }
    RG_TRY(out.finish());
    return missed.empty() ? Status() : Status(Code::kUnavailable, "not reached: " + missed);
  }
  Status list() const {
    RG_ASSIGN(const auto reader, openForReading(m_store));
    RG_ASSIGN(const std::vector<Alert> alerts, reader->alerts(static_cast<std::size_t>(m_limit)));
    Output out = Output::standard();
    for (const Alert& alert : alerts) {
      out.write(utcText(alert.due.value_or(alert.since)) + "  " + severityName(alert.severity) + "  " + oneLine(alert.summary) + "\n");
      out.write("    rule " + oneLine(alert.rule) + ", cause " + oneLine(alert.cause) + "\n");
      out.write("    since " + utcText(alert.since) + (alert.end ? ", ended " + utcText(*alert.end) : ", holds") +
                (alert.due ? ", notified " + std::to_string(alert.count) + "x" : ", not notified") +
                (alert.delivery.empty() ? "" : ": " + oneLine(alert.delivery)) + "\n");
      if (!alert.link.empty()) out.write("    " + oneLine(alert.link) + "\n");
    }
    return out.finish();
  }
  Status snooze() {
    if (m_snooze.rule.empty() && m_snooze.cause.empty()) return {Code::kInvalidArgument, "wants --rule or --cause"};
    RG_ASSIGN(const ControlTarget control, m_control.target());
    if (m_minutes > 0) m_snooze.until = wallNow() + m_minutes * 60 * kNsPerSecond;
    return editStore(m_store, m_snooze, control);
  }

  std::string m_store, m_alerts;
  std::int64_t m_limit = 20, m_minutes = 120;
  Snooze m_snooze;
  Options m_test, m_list, m_snooze_command;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeAlert() { return std::make_unique<AlertCommand>(); }

}  // namespace runglass::ctl
