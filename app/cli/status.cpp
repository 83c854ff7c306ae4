// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl status: the state of a run and its store in about fifteen lines, for a remote terminal; for a live or a stored run.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "analysis/layout/layout_reading.h"
#include "analysis/ranking/slow_verdict.h"
#include "analysis/run_summary/open_finding.h"
#include "analysis/run_summary/run_summary.h"
#include "analysis/views/finding_order.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/copy_age.h"
#include "app/cli/finding_json.h"
#include "app/cli/hub_problem.h"
#include "app/cli/issue_json.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/plain_text.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "collectors/hub/alerts/alert_message.h"
#include "collectors/hub/replica/mirror.h"
#include "model/issue_catalog.h"
#include "model/number_text.h"
#include "model/time_text.h"
#include "storage/store_files.h"

namespace runglass::ctl {
namespace {

constexpr std::size_t kTopFindings = 3, kSuspects = 4, kSilentShown = 5, kIssuesShown = 3;
constexpr std::size_t kWidth = 110;  // limit for texts from outside
constexpr DurNs kDay = 24LL * 3600 * kNsPerSecond;

// Findings to look at first, whatever their place in the list of findings.
bool isSuspicion(const Finding& finding) {
  static const std::set<std::string> kKinds = {"slow_rank", "slow_node",      "slow_link",       "hang",
                                               "stall",     "hardware_fault", "thermal_throttle"};
  return kKinds.contains(finding.kind) && (finding.rank || finding.node) && finding.severity >= Severity::kWarning;
}

// A rank that is slow now, whether or not a finding reports it yet.
struct SlowRank {
  Rank place;
  std::string node;
  RankPace pace;
};

struct Condition {
  StoreInfo store;
  std::optional<StoreHolder> holder;
  std::string copy_age;               // of a replica
  std::optional<RunSummary> summary;  // absent: no run in the store
  std::vector<Node> silent;           // lost ones first
  std::vector<Finding> findings;      // open ones first, then by severity, then the newest
  std::vector<Finding> suspects;      // open ones
  std::vector<SlowRank> slow;         // worst first
  std::vector<Issue> issues;          // most severe first
  std::vector<Alert> alerts;          // notified within a day, newest first
};

Severity severityOf(const Issue& issue) {
  const IssueInfo* known = findIssue(issue.code);
  return known != nullptr ? known->severity : Severity::kWarning;
}

Result<std::vector<SlowRank>> readSlow(Reader& reader, const RunSummary& summary) {
  std::vector<SlowRank> slow;
  if (summary.attempts.empty()) return slow;
  const AttemptId attempt = summary.attempts.back().id;
  RG_ASSIGN(const std::vector<Rank> ranks, placedRanks(reader, attempt));
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  RG_ASSIGN(const SlowVerdict verdict, SlowVerdictFeed(true).read(reader, summary.run.id, attempt, ranks, {}));
  for (const std::int32_t number : verdict.slow) {
    const auto rank = std::ranges::find(ranks, number, &Rank::rank);
    const Rank place = rank == ranks.end() ? Rank{.rank = number} : *rank;
    const auto node = std::ranges::find(nodes, place.node, &Node::id);
    slow.push_back({.place = place, .node = node == nodes.end() ? "" : node->name, .pace = verdict.ranks.at(number)});
  }
  return slow;
}

Status readRun(Reader& reader, const std::string& store, const std::string& wanted, Condition& all) {
  const Result<Run> run = wantedRun(reader, store, wanted);
  if (!run.ok() && run.status().code() == Code::kNotFound && wanted.empty()) return {};
  if (!run.ok()) return run.status();
  RG_ASSIGN(all.summary, readRunSummary(reader, *run, {}));
  RG_ASSIGN(std::vector<Node> nodes, nodesOf(reader, all.summary->attempts));
  std::erase_if(nodes, [](const Node& node) { return node.state == NodeState::kAlive || node.state == NodeState::kLeft; });
  std::ranges::stable_sort(nodes, std::greater{},
                           [](const Node& node) { return std::pair(node.state == NodeState::kLost, -node.last_heard.value_or(0)); });
  all.silent = std::move(nodes);
  RG_ASSIGN(all.findings, reader.findings(run->id));
  sortByUrgency(all.findings);
  for (const Finding& finding : all.findings)
    if (isSuspicion(finding) && !finding.end) all.suspects.push_back(finding);
  RG_ASSIGN(all.slow, readSlow(reader, *all.summary));
  return {};
}

Result<Condition> read(Reader& reader, const std::string& store, const std::string& wanted, TimeNs now) {
  Condition all;
  RG_ASSIGN(all.store, reader.info());
  all.holder = holderOf(store);
  RG_ASSIGN(all.alerts, reader.alerts(1'000));
  std::erase_if(all.alerts, [now](const Alert& alert) { return !alert.due || now - *alert.due >= kDay; });
  RG_TRY(readRun(reader, store, wanted, all));
  // Read last, so that chunks found damaged by the reads above are included.
  RG_ASSIGN(all.issues, reader.issues());
  std::ranges::stable_sort(all.issues, std::greater{}, severityOf);
  return all;
}

std::string ageText(std::optional<TimeNs> time, TimeNs now) { return time ? durationText(now - *time) : "-"; }

std::string line(const char* name, const std::string& value) {
  char head[16];
  std::snprintf(head, sizeof head, "%-12s", name);
  return head + value + '\n';
}

std::string runText(const RunSummary& s) {
  std::string text = fitted(s.run.name, 60);
  if (!s.attempts.empty()) text += ", attempt " + std::to_string(s.attempts.back().number) + " of " + std::to_string(s.attempts.size());
  return text + (s.run.simulated ? ", simulated" : "");
}

std::string stateText(const RunSummary& s, TimeNs now) {
  const StateWord state = stateWord(s, now);
  std::string text = state.word;
  const bool over = s.run.state == RunState::kFinished || s.run.state == RunState::kFailed;
  if (s.run.time_domain != TimeDomain::kUtc) return text + ", without a clock";
  const std::optional<TimeNs> since = std::string_view(state.word) == "silent" ? s.last_data : over ? s.run.end : s.run.start;
  const bool stands = s.run.state == RunState::kStalled;
  if (since)
    text += over ? ' ' + ageText(since, now) + " ago" : stands ? ", began " + ageText(since, now) + " ago" : " for " + ageText(since, now);
  return text + "; newest data " + (s.last_data ? ageText(s.last_data, now) + " old" : std::string("-"));
}

std::string throughputText(const Throughput& t) {
  std::string text;
  if (t.mfu) text = "MFU " + percentText(*t.mfu, 1);
  if (t.mfu_not_available) text = "MFU N/A (as logged)";
  if (t.tokens_per_s) text += (text.empty() ? "" : ", ") + shortCountText(*t.tokens_per_s) + " tokens/s";
  if (!t.tokens_per_s && t.tokens_per_gpu) text += (text.empty() ? "" : ", ") + shortCountText(*t.tokens_per_gpu) + " tokens/s per GPU";
  if (t.flops_per_gpu) text += (text.empty() ? "" : ", ") + valueText(*t.flops_per_gpu, "flops_per_s") + " per GPU";
  if (t.samples_per_s) text += (text.empty() ? "" : ", ") + shortCountText(*t.samples_per_s) + " samples/s";
  if (t.step_ns) text += (text.empty() ? "" : ", ") + valueText(*t.step_ns, "ns") + " per step";
  if (text.empty()) return "-";
  if (t.change)
    text += ", " + percentText(std::abs(*t.change), 1) + (*t.change < 0 ? " below" : " above") + " its best " +
            std::to_string(kRecentSteps) + " steps";
  return text;
}

std::string ranksText(const RunSummary& s) {
  if (s.attempts.empty() || s.attempts.back().layout.world == 0) return "-";
  const Layout& layout = s.attempts.back().layout;
  std::string sizes;
  for (const auto& [name, size] : {std::pair{"DP", layout.dp}, {"PP", layout.pp}, {"TP", layout.tp}})
    if (size > 0) sizes += (sizes.empty() ? "" : " ") + std::string(name) + ' ' + std::to_string(size);
  return countText(layout.world) + (sizes.empty() ? "" : " (" + sizes + ")");
}

std::string nodesText(const Condition& c, TimeNs now) {
  const RunSummary& s = *c.summary;
  if (s.nodes_total == 0) return "-";
  std::string text = std::to_string(s.nodes_heard) + " of " + std::to_string(s.nodes_total) + " reporting";
  for (std::size_t i = 0; i < std::min(c.silent.size(), kSilentShown); ++i)
    text += (i == 0 ? "; silent: " : ", ") + fitted(c.silent[i].name, 40) + " for " + ageText(c.silent[i].last_heard, now);
  if (c.silent.size() > kSilentShown) text += " and " + std::to_string(c.silent.size() - kSilentShown) + " more";
  return text;
}

std::string checkpointText(const RunSummary& s, TimeNs now) {
  if (!s.checkpoint) return "-";
  std::string text = "step " + countText(s.checkpoint->step) + ", " + ageText(s.checkpoint->durable, now) + " old";
  if (s.last_step && *s.last_step >= s.checkpoint->step) text += ", " + countText(*s.last_step - s.checkpoint->step) + " steps at risk";
  return text;
}

std::string findingsText(const Condition& c) {
  const int all = std::accumulate(c.summary->findings.begin(), c.summary->findings.end(), 0);
  if (all == 0) return "none";
  const OpenCount open = openCount(c.summary->open_findings);
  std::string text;
  for (const auto& [severity, count] : open.by_severity)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + severityName(severity);
  text = text.empty() ? "none open" : text + " open";
  return all > open.count ? text + "; " + countText(all) + " in all, with ended ones and notices" : text;
}

std::string findingLines(const Condition& c, TimeNs now) {
  std::string text;
  for (std::size_t i = 0; i < std::min(c.findings.size(), kTopFindings); ++i) {
    const Finding& f = c.findings[i];
    const std::string what = f.summary.empty() ? f.kind + " of " + f.subject : f.summary;
    text += line("", std::string(severityName(f.severity)) + ": " + fitted(what, kWidth) + " (" +
                         (f.end ? "ended " + ageText(f.end, now) + " ago" : "for " + ageText(f.start, now)) + ")");
  }
  return text;
}

std::string suspectsText(const Condition& c) {
  std::vector<std::string> all;
  for (const Finding& finding : c.suspects) all.push_back(fitted(finding.subject, 60) + " (" + fitted(finding.kind, 40) + ")");
  for (const SlowRank& slow : c.slow) {
    // A rank that a finding names, or whose node it names, is listed only once.
    if (std::ranges::any_of(c.suspects, [&](const Finding& finding) {
          return finding.rank ? finding.rank == slow.place.rank : finding.kind == "slow_node" && finding.node == slow.place.node;
        }))
      continue;
    all.push_back("rank " + std::to_string(slow.place.rank) + (slow.node.empty() ? "" : " on " + fitted(slow.node, 40)) + " (" +
                  (slow.pace.slower ? percentText(*slow.pace.slower, 1) + " slower than its peers" : std::string("slow")) +
                  (slow.pace.since_step ? ", since step " + countText(*slow.pace.since_step) : "") + ")");
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kSuspects); ++i) text += (i == 0 ? "" : ", ") + all[i];
  if (all.size() > kSuspects) text += " and " + std::to_string(all.size() - kSuspects) + " more";
  return text.empty() ? "none" : text;
}

std::string alertsText(const Condition& c, TimeNs now) {
  if (c.alerts.empty()) return "none in 24 h";
  return std::to_string(c.alerts.size()) + " in 24 h; " + ageText(c.alerts.front().due, now) +
         " ago: " + fitted(c.alerts.front().summary, kWidth);
}

std::string storeText(const Condition& c) {
  std::string text = bytesText(static_cast<double>(c.store.file_bytes));
  if (c.store.mirror) return text + ", " + c.copy_age;
  if (!c.holder) return text + ", not open for writing";
  text += ", written by process " + oneLine(c.holder->pid);
  return text + (c.holder->contact.empty() ? ", which is no hub" : ", hub on " + oneLine(c.holder->contact));
}

std::string issuesText(const Condition& c) {
  std::string text;
  std::size_t shown = 0;
  for (const Issue& issue : c.issues) {
    if (severityOf(issue) < Severity::kWarning) break;
    if (shown++ < kIssuesShown) text += (text.empty() ? "" : ", ") + oneLine(issue.code) + " x" + std::to_string(issue.count);
  }
  if (shown > kIssuesShown) text += " and " + std::to_string(shown - kIssuesShown) + " more";
  return text.empty() ? "none" : text;
}

std::string toText(const Condition& c, TimeNs now) {
  std::string text;
  if (c.summary) {
    const RunSummary& s = *c.summary;
    text += line("run", runText(s));
    text += line("state", stateText(s, now));
    text += line("step", s.last_step ? countText(*s.last_step) : "-");
    text += line("loss", (s.loss ? significantText(*s.loss, 4) : "-") + (s.loss              ? " (" + fitted(s.loss_tag, 40) + ")"
                                                                         : s.no_loss.empty() ? ""
                                                                                             : " (" + fitted(s.no_loss, 200) + ")"));
    text += line("throughput", throughputText(s.throughput));
    text += line("ranks", ranksText(s));
    text += line("nodes", nodesText(c, now));
    text += line("checkpoint", checkpointText(s, now));
    text += line("findings", findingsText(c));
    text += findingLines(c, now);
    text += line("suspects", suspectsText(c));
  } else {
    text += line("run", "none yet");
  }
  text += line("alerts", alertsText(c, now));
  text += line("issues", issuesText(c));
  return text + line("store", storeText(c));
}

Json findingJson(const Finding& f) {
  return {{"kind", f.kind},
          {"subject", f.subject},
          {"severity", severityName(f.severity)},
          {"start_ns", orNull(f.start)},
          {"end_ns", orNull(f.end)},
          {"rank", orNull(f.rank)},
          {"first_step", orNull(f.first_step)},
          {"summary", f.summary},
          {"message", findingMessageJson(f)}};
}

Json runJson(const Condition& c, TimeNs now) {
  const RunSummary& s = *c.summary;
  const auto age = [now](const std::optional<TimeNs>& time) { return time ? Json(now - *time) : Json(); };
  Json json = {{"run_id", s.run.id.value},
               {"run_uuid", s.run.uuid},
               {"name", s.run.name},
               {"simulated", s.run.simulated},
               {"state", stateWord(s, now).word},
               {"state_severity", severityName(stateWord(s, now).severity)},
               {"start_ns", orNull(s.run.start)},
               {"end_ns", orNull(s.run.end)},
               {"attempt", s.attempts.empty() ? Json() : Json(s.attempts.back().number)},
               {"attempts", s.attempts.size()},
               {"world_size", s.attempts.empty() ? 0 : s.attempts.back().layout.world},
               {"step", orNull(s.last_step)},
               {"loss", orNull(s.loss)},
               {"loss_tag", s.loss_tag},
               {"tokens_per_s", orNull(s.throughput.tokens_per_s)},
               {"flops_per_s_per_gpu", orNull(s.throughput.flops_per_gpu)},
               {"samples_per_s", orNull(s.throughput.samples_per_s)},
               {"step_time_ns", orNull(s.throughput.step_ns)},
               {"throughput_change_ratio", orNull(s.throughput.change)},
               {"mfu_ratio", orNull(s.throughput.mfu)},
               {"nodes_heard", s.nodes_heard},
               {"nodes_total", s.nodes_total},
               {"last_data_ns", orNull(s.last_data)},
               {"data_age_ns", age(s.last_data)}};
  json["silent_nodes"] = Json::array();
  for (const Node& node : c.silent)
    json["silent_nodes"].push_back({{"node", node.name},
                                    {"state", node.state == NodeState::kLost    ? "lost"
                                              : node.state == NodeState::kStale ? "stale"
                                                                                : "unknown"},
                                    {"silent_ns", age(node.last_heard)}});
  json["checkpoint"] =
      s.checkpoint
          ? Json{{"step", s.checkpoint->step}, {"durable_ns", orNull(s.checkpoint->durable)}, {"age_ns", age(s.checkpoint->durable)}}
          : Json();
  json["findings"] = Json::object();
  for (int severity = 4; severity >= 0; --severity)
    json["findings"][severityName(static_cast<Severity>(severity))] = s.findings[static_cast<std::size_t>(severity)];
  json["open_findings"] = Json::object();
  for (int severity = 4; severity >= 0; --severity)
    json["open_findings"][severityName(static_cast<Severity>(severity))] = s.open_findings[static_cast<std::size_t>(severity)];
  json["top_findings"] = Json::array();
  for (std::size_t i = 0; i < std::min(c.findings.size(), kTopFindings); ++i) json["top_findings"].push_back(findingJson(c.findings[i]));
  json["suspects"] = Json::array();
  for (std::size_t i = 0; i < std::min(c.suspects.size(), kSuspects); ++i) json["suspects"].push_back(findingJson(c.suspects[i]));
  json["slow_ranks"] = Json::array();
  for (std::size_t i = 0; i < std::min(c.slow.size(), kSuspects); ++i)
    json["slow_ranks"].push_back({{"rank", c.slow[i].place.rank},
                                  {"node", c.slow[i].node},
                                  {"score", orNull(c.slow[i].pace.slower)},
                                  {"since_step", orNull(c.slow[i].pace.since_step)}});
  return json;
}

Json toJson(const Condition& c, TimeNs now) {
  Json json = {{"now_ns", now}, {"run", c.summary ? runJson(c, now) : Json()}};
  json["alerts"] = Json::array();
  for (const Alert& alert : c.alerts)
    json["alerts"].push_back({{"rule", alert.rule},
                              {"cause", alert.cause},
                              {"severity", severityName(alert.severity)},
                              {"since_ns", alert.since},
                              {"end_ns", orNull(alert.end)},
                              {"due_ns", orNull(alert.due)},
                              {"told_ns", orNull(alert.notified)},
                              {"summary", alert.summary},
                              {"delivery", alert.delivery},
                              {"link", alert.link}});
  json["issues"] = issuesJson(c.issues);
  json["store"] = {{"path", c.store.path}, {"store_uuid", c.store.store_uuid}, {"file_bytes", c.store.file_bytes}};
  json["mirror"] = c.store.mirror ? Json{{"from", c.store.mirror->from}, {"complete_ns", orNull(c.store.mirror->complete)}} : Json();
  json["writer"] = c.holder ? Json{{"pid", c.holder->pid}, {"hub", c.holder->contact.empty() ? Json() : Json(c.holder->contact)}} : Json();
  return json;
}

// A replica of a hub's store in a temporary folder.
class PassingCopy {
 public:
  static Result<std::unique_ptr<PassingCopy>> make(const ControlTarget& hub) {
    std::unique_ptr<PassingCopy> copy(new PassingCopy());
    std::error_code none;
    copy->m_folder = (std::filesystem::temp_directory_path(none) / "runglass-status-XXXXXX").string();
    if (::mkdtemp(copy->m_folder.data()) == nullptr)
      return Status(Code::kPermissionDenied, "status: " + copy->m_folder + ": no folder can be made for the copy");
    silenceLibraries();
    RG_ASSIGN(const auto mirror, Mirror::start({.store = copy->path(), .hub = hub}));
    const DurNs begun = monotonicNow();
    MirrorStatus status;
    bool complete = false, hopeless = false;
    while (!complete && !hopeless && monotonicNow() - begun < kPatience) {
      const bool came = mirror->waitComplete(kLook);
      status = mirror->status();
      complete = came || status.caught_up;
      hopeless = status.refused || (status.connections == 0 && !status.problem.empty() && monotonicNow() - begun > kUnanswered);
    }
    RG_TRY(mirror->stop());
    if (complete) return copy;
    return Status(Code::kUnavailable, status.problem.empty() ? "hub: " + hub.hub + ": too much to copy in time"
                                                             : hubProblemText(status.code, status.problem, hub));
  }
  ~PassingCopy() {
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
  }
  std::string path() const { return m_folder + "/copy.rgl"; }

 private:
  static constexpr DurNs kPatience = 60 * kNsPerSecond;
  static constexpr DurNs kUnanswered = 5 * kNsPerSecond;  // a hub that did not answer for this long is unreachable
  static constexpr DurNs kLook = kNsPerSecond / 2;
  PassingCopy() = default;
  std::string m_folder;
};

class StatusCommand : public Command {
 public:
  const char* name() const override { return "status"; }
  const char* help() const override { return "Show in some fifteen lines how a run, its nodes and its store are; live or stored"; }
  const char* examples() const override {
    return "runglassctl status --store run.rgl\n"
           "runglassctl status --from 127.0.0.1:7070\n";
  }
  void declare(Options options) override {
    const Options where = options.exactlyOne("where");
    where.add("--store", m_store, "The store, a .rgl file");
    where.add("--from", m_from, "Or the hub that writes it, HOST:PORT; it is copied for the moment");
    m_control.declare(options);
    options.add("--run", m_run, "The run's id, uuid or name; default: the running or newest one");
    options.add("--now", m_now, "Judge ages as of this time, ns since 1970; default: now");
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    std::unique_ptr<PassingCopy> copy;
    if (!m_from.empty()) {
      RG_ASSIGN(ControlTarget hub, m_control.target());
      hub.hub = m_from;
      RG_ASSIGN(copy, PassingCopy::make(hub));
      m_store = copy->path();
    }
    RG_ASSIGN(const auto reader, openForReading(m_store));
    RG_ASSIGN(const StoreInfo info, reader->info());
    const TimeNs now = m_now.value_or(judgedAt(info, wallNow()));
    RG_ASSIGN(Condition all, read(*reader, m_store, m_run, now));
    all.copy_age = copyAgeText(info, m_now.value_or(wallNow()));
    return printAnswer(
        m_json, [&] { return toJson(all, now); }, [&] { return toText(all, now); });
  }

 private:
  std::string m_store, m_from, m_run;
  ControlArguments m_control;
  std::optional<TimeNs> m_now;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeStatus() { return std::make_unique<StatusCommand>(); }

}  // namespace runglass::ctl
