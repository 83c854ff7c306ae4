// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl incident: lists incidents, creates one from findings or a time range, and updates it; also while a hub writes the store.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/incident/incident_draft.h"
#include "analysis/incident/read_proposals.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/incident_answer_text.h"
#include "app/cli/incident_print.h"
#include "app/cli/options.h"
#include "app/cli/plain_text.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "app/cli/store_edit.h"
#include "model/incident_causes.h"
#include "model/random_uuid.h"

namespace runglass::ctl {
namespace {

constexpr std::size_t kTitleBytes = 160;  // of a title taken from a finding

std::vector<std::string> causeCodes() {
  std::vector<std::string> codes;
  for (const IncidentCause& cause : incidentCauses()) codes.emplace_back(cause.code);
  return codes;
}

class IncidentCommand : public Command {
 public:
  const char* name() const override { return "incident"; }
  const char* help() const override { return "List, create and change incidents"; }
  const char* examples() const override {
    return "runglassctl incident propose --store run.rgl\n"
           "runglassctl incident new --store run.rgl --finding 12 --title 'n0412 is slow'\n"
           "runglassctl incident show --store run.rgl 3 --price 2.5\n"
           "runglassctl incident set --store run.rgl 3 --state resolved\n";
  }
  void declare(Options options) override {
    options.requireSubcommand();
    m_list = verb(options, "list", "List the incidents of a store, newest first");
    m_list.add("--run", m_run, "Of this run: its id, uuid or name");
    m_propose = verb(options, "propose", "Propose incidents from findings with one cause");
    m_propose.add("--run", m_run, "Of this run: its id, uuid or name; default: the one that runs or began last");
    m_show = verb(options, "show", "Print an incident: findings, cards, notes, cost, suspects, timeline");
    named(m_show);
    m_show.add("--price", m_price, "Price of a GPU-hour, in any currency").nonNegative();
    m_new = verb(options, "new", "Create an incident from findings or a time range");
    m_new.add("--run", m_run, "Run of --from and --to or --proposal; default: the newest");
    m_new.add("--finding", m_findings, "finding_id of the relation finding; repeatable");
    m_new.add("--proposal", m_proposal, "Key printed by `propose`");
    m_new.add("--from", m_from, "Begin, ns since 1970");
    m_new.add("--to", m_to, "Its end, ns; without it, it is not over");
    m_new.add("--title", m_title, "Default: summary of the finding");
    m_set = verb(options, "set", "Change an incident");
    named(m_set);
    m_set.add("--state", m_state, "open, mitigated or resolved").oneOf({"open", "mitigated", "resolved"});
    m_set.add("--title", m_title, "New title");
    m_set.add("--from", m_from, "Begin, ns since 1970");
    m_set.add("--to", m_to, "End, ns since 1970");
    m_set.add("--finding", m_findings, "Add this finding");
    for (const Options sub : {m_new, m_set}) {
      sub.add("--severity", m_severity, "info, warning, error or critical").oneOf({"info", "warning", "error", "critical"});
      sub.add("--cause", m_cause, "Root cause, a code of docs/guide/incidents.md").oneOf(causeCodes());
      sub.add("--summary", m_summary, "Summary, one sentence");
      sub.add("--note", m_note, "Markdown, added to the notes");
    }
    m_merge = verb(options, "merge", "Bring its findings, cards and notes into another one; it is dismissed then");
    named(m_merge);
    m_merge.add("--into", m_into, "The id or uuid of the other").required();
    m_dismiss = verb(options, "dismiss", "Dismiss an incident and unpin its data");
    named(m_dismiss);
    m_dismiss.add("--because", m_because, "Reason").required();
    m_delete = verb(options, "delete", "Delete an incident and unpin its data");
    named(m_delete);
    for (const Options sub : {m_new, m_set, m_merge, m_dismiss, m_delete}) m_control.declare(sub);
  }
  Status run() override {
    const bool reads = m_list.parsed() || m_propose.parsed() || m_show.parsed();
    RG_ASSIGN(m_reader, reads ? openForReading(m_store) : openItself(m_store));
    if (m_list.parsed()) return list();
    if (m_propose.parsed()) return propose();
    if (m_new.parsed()) return make();
    RG_ASSIGN(Incident incident, wantedIncident(*m_reader, m_store, m_wanted));
    if (m_show.parsed()) return show(incident);
    if (m_merge.parsed()) return merge(std::move(incident));
    if (m_dismiss.parsed()) incident.state = IncidentState::kDismissed, incident.reason = m_because;
    if (m_set.parsed()) RG_TRY(change(incident));
    return send(std::move(incident), m_delete.parsed());
  }

 private:
  Options verb(Options options, const char* name, const char* help) {
    const Options sub = options.subcommand(name, help);
    sub.add("--store", m_store, "The store, a .rgl file").required();
    sub.flag("--json", m_json, "One JSON object");
    return sub;
  }
  void named(Options options) { options.add("INCIDENT", m_wanted, "Its id or uuid").required(); }

  Status list() {
    std::optional<RunId> run;
    if (!m_run.empty()) {
      RG_ASSIGN(const Run wanted, wantedRun(*m_reader, m_store, m_run));
      run = wanted.id;
    }
    RG_ASSIGN(const auto incidents, m_reader->incidents(run));
    RG_ASSIGN(const auto findings, m_reader->findings(run));
    Json json = {{"incidents", Json::array()}};
    std::string text;
    for (const Incident& one : incidents) {
      RG_ASSIGN(const IncidentContext context, contextOf(*m_reader, one, findings));
      if (m_json) json["incidents"].push_back(incidentJson(one, context));
      text += incidentLine(one, context);
    }
    return print(json, text.empty() ? "no incidents\n" : text);
  }

  Status show(const Incident& incident) {
    RG_ASSIGN(const auto findings, m_reader->findings(incident.run));
    RG_ASSIGN(const IncidentContext context, contextOf(*m_reader, incident, findings));
    Json json = incidentJson(incident, context);
    std::string text = incidentText(incident, context);
    if (m_show.parsed()) {
      RG_ASSIGN(const IncidentAnswer answer,
                readIncidentAnswer(*m_reader, {.run = context.run, .incident = incident, .findings = findings, .price = m_price}, {}));
      json["answer"] = answerJson(answer);
      text += answerText(answer);
    }
    return print(json, text);
  }

  Result<Proposals> proposals() {
    RG_ASSIGN(const Run run, wantedRun(*m_reader, m_store, m_run));
    RG_ASSIGN(const auto findings, m_reader->findings(run.id));
    RG_ASSIGN(const auto incidents, m_reader->incidents(run.id));
    return readProposals(*m_reader, run, findings, incidents, {});
  }

  Status propose() {
    RG_ASSIGN(const Proposals all, proposals());
    return print(proposalsJson(all), proposalsText(all));
  }

  // As proposed; a proposal that extends an incident adds its findings to it.
  Status accept() {
    RG_ASSIGN(const Proposals all, proposals());
    const auto found = std::ranges::find(all.all, m_proposal, &IncidentProposal::key);
    if (found == all.all.end()) return {Code::kNotFound, m_store + ": nothing is proposed under " + m_proposal};
    Incident incident = found->incident;
    if (!found->joins.empty()) {
      RG_ASSIGN(incident, m_reader->incident(found->joins));
      RG_ASSIGN(const auto findings, m_reader->findings(incident.run));
      joinProposal(incident, *found, findings);
    }
    RG_TRY(apply(incident));
    return send(std::move(incident), false);
  }

  // Adds the evidence cards that the analyses propose.
  Status addCards(Incident& incident) {
    RG_ASSIGN(const auto findings, m_reader->findings(incident.run));
    RG_ASSIGN(const IncidentContext context, contextOf(*m_reader, incident, findings));
    RG_ASSIGN(IncidentAnswer answer,
              readIncidentAnswer(*m_reader, {.run = context.run, .incident = incident, .findings = findings, .with_ranking = false}, {}));
    incident.evidence = std::move(answer.cards);
    return {};
  }

  // Adds the findings of --finding to the incident, which takes over their range and severity unless options set them.
  Status join(Incident& incident, bool fresh) {
    if (m_findings.empty()) return {};
    RG_ASSIGN(const auto findings, m_reader->findings(std::nullopt));
    for (const std::int64_t id : m_findings) {
      const auto found = std::ranges::find(findings, id, &Finding::id);
      if (found == findings.end()) return {Code::kNotFound, m_store + ": has no finding " + std::to_string(id)};
      if (incident.run && incident.run != found->run)
        return {Code::kInvalidArgument, "finding " + std::to_string(id) + ": is of another run than the incident"};
      incident.run = found->run;
      if (fresh && incident.findings.empty())
        incident.attempt = found->attempt, incident.severity = found->severity, incident.title = fitted(found->summary, kTitleBytes);
      joinFinding(incident, *found);
    }
    return {};
  }

  Status change(Incident& incident) {
    RG_TRY(join(incident, false));
    if (!m_state.empty()) incident.state = *incidentStateFromName(m_state), incident.reason.clear();
    return apply(incident);
  }

  Status apply(Incident& incident) {
    if (!m_title.empty()) incident.title = m_title;
    if (!m_severity.empty()) incident.severity = *severityFromName(m_severity);
    if (!m_cause.empty()) incident.cause = m_cause;
    if (!m_summary.empty()) incident.summary = m_summary;
    if (!m_note.empty()) incident.notes += (incident.notes.empty() ? "" : "\n\n") + m_note;
    if (m_from || m_to) {
      if (!incident.range && !m_from) return {Code::kInvalidArgument, "--to: needs --from, it has no begin yet"};
      TimeRange range = incident.range.value_or(TimeRange{});
      if (m_from) range.t0 = *m_from;
      if (m_to) range.t1 = *m_to;
      incident.range = range;
    }
    return {};
  }

  Status make() {
    Incident incident;
    incident.uuid = randomUuid();
    if (!m_proposal.empty()) return accept();
    if (m_findings.empty() && (!m_from || m_title.empty()))
      return {Code::kInvalidArgument, "wants --finding, --proposal, or --from and --title"};
    if (!m_run.empty() || m_findings.empty()) {
      RG_ASSIGN(const Run run, wantedRun(*m_reader, m_store, m_run));
      incident.run = run.id;
    }
    RG_TRY(join(incident, true));
    RG_TRY(apply(incident));
    RG_TRY(checkIncident(incident));
    RG_TRY(addCards(incident));
    return send(std::move(incident), false);
  }

  Status merge(Incident incident) {
    RG_ASSIGN(Incident into, wantedIncident(*m_reader, m_store, m_into));
    if (into.uuid == incident.uuid) return {Code::kInvalidArgument, "--into: is the same incident"};
    if (into.run != incident.run) return {Code::kInvalidArgument, "--into: is of another run"};
    RG_ASSIGN(const auto findings, m_reader->findings(into.run));
    joinIncident(into, incident, findings);
    RG_TRY(checkIncident(into));
    RG_TRY(store(into, false));
    RG_ASSIGN(m_reader, openItself(m_store));
    incident.state = IncidentState::kDismissed, incident.reason = "merged into “" + into.title + "”";
    RG_TRY(store(incident, false));
    RG_ASSIGN(m_reader, openItself(m_store));
    RG_ASSIGN(into, m_reader->incident(into.uuid));
    return show(into);
  }

  Status store(const Incident& incident, bool remove) {
    RG_ASSIGN(const ControlTarget control, m_control.target());
    RG_ASSIGN(const IncidentContext context, contextOf(*m_reader, incident, {}));
    // An open Reader would prevent the store from being folded into one file.
    m_reader.reset();
    return editStore(
        m_store, IncidentEdit{.run_uuid = context.run.uuid, .attempt = context.attempt, .incident = incident, .remove = remove}, control);
  }

  Status send(Incident incident, bool remove) {
    RG_TRY(store(incident, remove));
    if (remove) return print({{"incident_uuid", incident.uuid}, {"deleted", true}}, "deleted\n");
    RG_ASSIGN(m_reader, openItself(m_store));
    RG_ASSIGN(incident, m_reader->incident(incident.uuid));
    return show(incident);
  }

  Status print(const Json& json, const std::string& text) const {
    return printAnswer(
        m_json, [&] { return json; }, [&] { return text; });
  }

  std::string m_store, m_run, m_wanted, m_title, m_state, m_severity, m_cause, m_summary, m_note, m_because, m_proposal, m_into;
  std::vector<std::int64_t> m_findings;
  std::optional<TimeNs> m_from, m_to;
  std::optional<double> m_price;
  bool m_json = false;
  std::unique_ptr<Reader> m_reader;
  Options m_list, m_propose, m_show, m_new, m_set, m_merge, m_dismiss, m_delete;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeIncident() { return std::make_unique<IncidentCommand>(); }

}  // namespace runglass::ctl
