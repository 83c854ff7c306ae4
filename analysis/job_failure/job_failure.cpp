// SPDX-License-Identifier: Apache-2.0
#include "analysis/job_failure/job_failure.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "analysis/job_failure/process_death.h"
#include "analysis/one_fault/attempt_cause.h"
#include "analysis/one_fault/end_events.h"
#include "analysis/words/sentences.h"
#include "model/fault_catalog.h"
#include "model/trainer_name.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr std::size_t kMaxLines = 500, kTracebackLines = 40, kMessageChars = 160, kListed = 20;
constexpr std::string_view kFirstLine = "Traceback (most recent call last)";
constexpr DurNs kSameDeath = 120 * kNsPerSecond;  // between a process's death and what launchers and peers report of it

constexpr DurNs kSettledAfter = 3'600 * kNsPerSecond;  // of the next attempt: an agent that was cut off has sent its spool

// Without what precedes the message: "[rank3]:", "[E304 10:00:51.5 ProcessGroupNCCL.cpp:1895]", "9: "; its first bytes, cut
// between characters of UTF-8.
std::string shortened(std::string message) {
  const std::size_t label = message.find_first_not_of("0123456789");
  if (label != 0 && label != std::string::npos && message[label] == ':') message.erase(0, label + 1);
  // glog's "E0304 10:01:30.512345 1234 client.h:80]"
  if (message.size() > 5 && message[0] >= 'A' && message[0] <= 'Z' && label == 0 && message.find_first_not_of("0123456789", 1) == 5)
    if (const std::size_t end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
  for (message.erase(0, message.find_first_not_of(" :")); message.starts_with('['); message.erase(0, message.find_first_not_of(" :"))) {
    const std::size_t end = message.find(']');
    if (end == std::string::npos || end + 1 == message.size()) break;
    message.erase(0, end + 1);
  }
  std::size_t end = std::min(message.size(), kMessageChars);
  while (end < message.size() && end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  return message.substr(0, end);
}

// What the kernel reports of a dead process of this attempt.
struct Death {
  const Event* event = nullptr;
  ProcessDeath process;
  std::optional<std::int32_t> rank;  // by its pid
};

Arg whatHappened(const Event& first, const Death& death) {
  if (death.event != nullptr) {
    const ProcessDeath& of = death.process;
    return Message{of.cgroup   ? "killed_memory_limit"
                   : of.memory ? "killed_memory"
                               : "process_crashed",
                   {{"process", of.name}, {"pid", *of.pid}}};
  }
  const bool digits = !first.code.empty() && first.code.find_first_not_of("0123456789") == std::string::npos;
  if (first.kind == "killed")
    if (const FaultInfo* fault = findFault(first.kind, first.code); fault != nullptr && !fault->code.empty())
      return words::Term{std::string(fault->meaning)};
  if (first.kind == "process_failed" && digits) return Message{"exit_code", {{"code", first.code}}};
  return shortened(first.message);
}

Message failureMessage(std::optional<std::int32_t> rank, const Arg& text, const std::string& node, std::size_t others) {
  const Arg place = node.empty() ? Arg() : Arg(node), after = others > 0 ? Arg(others) : Arg();
  Arg who;
  if (rank)
    who = Message{"job_failed_rank", {{"rank", *rank}, {"node", place}}};
  else if (!node.empty())
    who = Message{"job_failed_process", {{"node", place}}};
  if (!who.present()) return Message{"job_failed", {{"message", text}, {"others", after}}};
  return Message{"job_failed_first", {{"who", who}, {"message", text}, {"others", after}}};
}

class JobFailure : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    std::vector<Finding> out;
    RG_ASSIGN(const Run run, question.reader.run(question.run));
    RG_ASSIGN(const auto attempts, question.reader.attempts(question.run));
    // Old attempts of a live run keep their verdict, so that a look reads no events of theirs again.
    const auto settled = [&](const Attempt& attempt) { return m_settled.contains(attempt.id); };
    const auto first = std::ranges::find_if_not(attempts, settled);
    for (auto at = attempts.begin(); at != first; ++at)
      if (const auto& kept = m_settled.at(at->id)) out.push_back(*kept);
    if (first == attempts.end()) return out;
    TimeRange range;
    if (first != attempts.begin() && first->start) range.t0 = *first->start - kSameDeath;
    const bool failed = std::any_of(first, attempts.end(), [&](const Attempt& attempt) { return hasFailed(run, attempts, attempt); });
    RG_ASSIGN(const auto events,
              failed ? endEvents(question.reader, question.run, range) : deathEvents(question.reader, question.run, range));
    for (auto at = first; at != attempts.end(); ++at) {
      RG_ASSIGN(auto finding, judge(question, run, attempts, *at, events));
      if (finding) out.push_back(*finding);
      const auto next = std::next(at);
      const bool before = at == first || settled(*std::prev(at));
      if (before && question.now && next != attempts.end() && next->start && *question.now - *next->start > kSettledAfter)
        m_settled.emplace(at->id, std::move(finding));
    }
    return out;
  }

 private:
  std::map<AttemptId, std::optional<Finding>> m_settled;

  static Result<std::optional<Finding>> judge(const Question& question, const Run& run, const std::vector<Attempt>& attempts,
                                              const Attempt& attempt, const std::vector<Event>& events) {
    if (hasFailed(run, attempts, attempt)) {
      RG_ASSIGN(const auto places, placesOfRanks(question.reader, attempt));
      const AttemptCause cause = causeOf(attempt, events, places);
      if (cause.by == EndedBy::kProcess) {
        RG_ASSIGN(const Death death, deathOf(question, attempt, events, cause.first));
        return describe(question, attempt, *cause.first, places.of(*cause.first), death, cause.after);
      }
      if (cause.by != EndedBy::kNothing) return std::optional<Finding>();
    }
    RG_ASSIGN(const Death death, deathOf(question, attempt, events, nullptr));
    // Without a failed attempt, a process with the name of a trainer may be another program: a log of the machine alone has no other sign.
    const bool only_kernel = run.state == RunState::kUnknown &&
                             std::ranges::all_of(attempts, [](const Attempt& one) { return !one.last_step && one.end_cause.empty(); });
    if (death.event == nullptr || (!death.rank && !only_kernel)) return std::optional<Finding>();
    return describe(question, attempt, *death.event, death.event->node, death, {});
  }

  // The first process of a rank, or else of a trainer's name, that the kernel reports as dead; `failure`: near this event, on its node.
  static Result<Death> deathOf(const Question& question, const Attempt& attempt, const std::vector<Event>& events, const Event* failure) {
    Death best;
    std::vector<Rank> ranks;
    bool read = false;
    for (const Event& event : events) {
      const auto process = processDeath(event);
      // A kernel log in the same run is an attempt of its own.
      if (!process || (event.attempt != attempt.id && (failure != nullptr ? !event.time : static_cast<bool>(event.attempt)))) continue;
      if (event.time && attempt.start && *event.time < *attempt.start) continue;
      if (event.time && attempt.end && *event.time > *attempt.end + kSameDeath) continue;
      if (failure != nullptr && !isNear(event, *process, *failure)) continue;
      if (!std::exchange(read, true)) {
        RG_ASSIGN(ranks, question.reader.ranks(attempt.id));
      }
      const auto of_rank = std::ranges::find_if(
          ranks, [&](const Rank& rank) { return rank.pid == process->pid && (!rank.node || !event.node || rank.node == event.node); });
      const bool known = of_rank != ranks.end();
      if (!known && (best.event != nullptr || !isTrainerProcess(process->name))) continue;
      if (known && best.rank) continue;
      best = {.event = &event, .process = *process, .rank = known ? std::optional(of_rank->rank) : std::nullopt};
    }
    return best;
  }

  // A kill or a crash is what the kernel reports of it; a Python exception has its own reason.
  static bool isNear(const Event& death, const ProcessDeath& process, const Event& failure) {
    if (distanceFromCause(failure) == 0 && failure.kind != "killed") return false;
    if (death.node && failure.node && death.node != failure.node) return false;
    if (failure.message.find("pid: " + std::to_string(*process.pid) + ")") != std::string::npos) return true;
    if (!death.time || !failure.time) return death.attempt == failure.attempt;
    return std::abs(*failure.time - *death.time) <= kSameDeath;
  }

  static Result<std::optional<Finding>> describe(const Question& question, const Attempt& attempt, const Event& first, NodeId of_first,
                                                 const Death& death, const std::vector<const Event*>& after) {
    const auto rank = death.rank ? death.rank : first.rank;
    std::set<std::int32_t> others;
    for (const Event* event : after)
      if (event->rank && event->rank != rank) others.insert(*event->rank);
    std::string node;
    const NodeId at = of_first || death.event == nullptr ? of_first : death.event->node;
    RG_ASSIGN(const auto nodes, question.reader.nodes());
    if (const auto known = std::ranges::find(nodes, at, &Node::id); at && known != nodes.end()) node = known->name;
    Finding finding;
    finding.run = question.run, finding.attempt = attempt.id;
    finding.kind = "job_failed", finding.subject = "attempt:" + std::to_string(attempt.number);
    // A name alone may be that of another program.
    finding.severity = &first == death.event && !death.rank ? Severity::kWarning : Severity::kError;
    finding.start = first.time, finding.end = attempt.end;
    if (!finding.end && &first == death.event) finding.end = first.time;
    finding.first_step = first.step ? first.step : attempt.last_step;
    finding.node = at, finding.rank = rank;
    finding.confidence = distanceFromCause(first) == 2 ? 0.4 : rank ? 0.8 : 0.6;
    words::setMessage(finding, failureMessage(rank, whatHappened(first, death), node, others.size()));
    Json evidence = {{"kind", first.kind}, {"message", first.message}, {"other_ranks", others.size()}};
    if (!first.code.empty()) evidence["code"] = first.code;
    if (rank) evidence["rank"] = *rank;
    if (!node.empty()) evidence["node"] = node;
    if (death.event != nullptr) evidence["kernel"] = death.event->message, evidence["pid"] = *death.process.pid;
    evidence["timeouts"] = std::ranges::count(after, std::string_view("collective_timeout"),
                                              [](const Event* event) -> std::string_view { return event->kind; });
    evidence["consequences"] = consequencesOf(after);
    RG_ASSIGN(evidence["traceback"], tracebackOf(question, attempt, first));
    finding.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
    return std::optional(std::move(finding));
  }

  static Json consequencesOf(const std::vector<const Event*>& after) {
    Json list = Json::array();
    for (const Event* event : after) {
      if (list.size() == kListed) break;
      Json one = {{"kind", event->kind}, {"message", event->message}};
      if (event->rank) one["rank"] = *event->rank;
      if (event->time) one["time_ns"] = *event->time;
      list.push_back(std::move(one));
    }
    return list;
  }

  // The rank's last traceback that ends with the event's message.
  static Result<Json> tracebackOf(const Question& question, const Attempt& attempt, const Event& first) {
    RG_ASSIGN(
        const LogPage page,
        question.reader.searchLogs(
            {.attempt = attempt.id, .rank = first.rank, .at_least = Severity::kError, .order = RowOrder::kOldestFirst, .limit = kMaxLines},
            question.stop));
    const std::string message = first.message.substr(0, first.message.rfind(" ("));
    std::vector<std::string> lines;
    for (const LogHit& hit : page.hits) {
      if (hit.line.text.find(kFirstLine) != std::string::npos) lines.clear();
      lines.push_back(hit.line.text);
      if (!message.empty() && hit.line.text.find(message) != std::string::npos) break;
    }
    if (lines.empty() || lines.front().find(kFirstLine) == std::string::npos) return Json::array();
    if (lines.size() > kTracebackLines) lines.erase(lines.begin() + 1, lines.end() - static_cast<std::ptrdiff_t>(kTracebackLines - 1));
    return Json(lines);
  }
};

}  // namespace

std::unique_ptr<Analysis> makeJobFailure() { return std::make_unique<JobFailure>(); }

}  // namespace runglass
