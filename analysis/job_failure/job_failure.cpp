// SPDX-License-Identifier: Apache-2.0
#include "analysis/job_failure/job_failure.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "analysis/words/sentences.h"
#include "model/fault_catalog.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr std::array<std::string_view, 7> kFailures = {"traceback",      "out_of_memory", "cuda_error", "no_space",
                                                       "process_failed", "killed",        "nccl_error"};
constexpr std::array<std::string_view, 6> kOthersFirst = {"collective_timeout", "xid", "sxid", "gpu_lost", "node_lost", "oom_killed"};
constexpr std::size_t kMaxLines = 500, kTracebackLines = 40, kMessageChars = 160;
constexpr std::string_view kFirstLine = "Traceback (most recent call last)";

bool isIn(std::span<const std::string_view> kinds, const Event& event) { return std::ranges::find(kinds, event.kind) != kinds.end(); }

// How far from the cause: 0 a cause; 1 an abort or a kill, which a watchdog or a launcher may have sent; 2 a consequence of a failure
// elsewhere: the launcher ends the other ranks, and their collectives and connections fail.
int distance(const Event& event) {
  constexpr std::array kPeers = {"Connection closed by peer", "Connection reset by peer", "Broken pipe", "remote process exited"};
  constexpr std::array<std::string_view, 4> kAskedToEnd = {"", "15", "Terminated", "KeyboardInterrupt"};
  constexpr std::array<std::string_view, 4> kCrashes = {"7", "11", "Bus error", "Segmentation fault"};
  if (event.kind == "process_failed" || event.kind == "nccl_error") return 2;
  if (std::ranges::any_of(kPeers, [&](const char* text) { return event.message.find(text) != std::string::npos; })) return 2;
  if (event.kind == "traceback" && (event.code.ends_with("DistBackendError") || event.code.ends_with("ChildFailedError"))) return 2;
  if (event.kind != "killed") return 0;
  if (std::ranges::find(kAskedToEnd, event.code) != kAskedToEnd.end()) return 2;
  return std::ranges::find(kCrashes, event.code) != kCrashes.end() ? 0 : 1;
}

// A fault of a machine, which hardware_faults reports, explains what failed within this time of it.
bool isOfMachine(const Event& event) {
  const FaultInfo* fault = event.severity >= Severity::kError ? findFault(event.kind, event.code) : nullptr;
  return fault != nullptr && !fault->secondary && fault->scope != FaultScope::kProcess;
}
constexpr DurNs kSameFault = 120 * kNsPerSecond;

// Without what precedes the message: "[rank3]:", "[E304 10:00:51.5 ProcessGroupNCCL.cpp:1895]", "9: "; its first bytes, cut
// between characters of UTF-8.
std::string shortened(std::string message) {
  if (message.starts_with(kFirstFailure)) message.erase(0, kFirstFailure.size());
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

Arg whatHappened(const Event& first) {
  const bool digits = !first.code.empty() && first.code.find_first_not_of("0123456789") == std::string::npos;
  if (first.kind == "killed")
    if (const FaultInfo* fault = findFault(first.kind, first.code); fault != nullptr && !fault->code.empty())
      return words::Term{std::string(fault->meaning)};
  if (first.kind == "process_failed" && digits) return Message{"exit_code", {{"code", first.code}}};
  return shortened(first.message);
}

Message failureMessage(const Event& first, const std::string& node, std::size_t others) {
  const Arg place = node.empty() ? Arg() : Arg(node), after = others > 0 ? Arg(others) : Arg(), text = whatHappened(first);
  Arg who;
  if (first.rank)
    who = Message{"job_failed_rank", {{"rank", *first.rank}, {"node", place}}};
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
    const auto failed = [&](const Attempt& attempt) {
      const bool over = attempt.id != attempts.back().id || run.state == RunState::kFailed;
      return over && !attempt.end_cause.empty() && !attempt.planned.value_or(false);
    };
    if (std::ranges::none_of(attempts, failed)) return out;
    RG_ASSIGN(auto events, question.reader.events({.range = {}, .run = question.run, .at_least = Severity::kWarning}));
    std::ranges::reverse(events);
    for (const Attempt& attempt : attempts) {
      if (!failed(attempt)) continue;
      RG_ASSIGN(auto finding, judge(question, attempt, events));
      if (finding) out.push_back(std::move(*finding));
    }
    return out;
  }

 private:
  static Result<std::optional<Finding>> judge(const Question& question, const Attempt& attempt, const std::vector<Event>& events) {
    const Event* first = nullptr;
    const Event* named = nullptr;  // by the launcher
    std::set<std::int32_t> ranks;
    for (const Event& event : events) {
      const bool own = event.attempt == attempt.id;
      if (first == nullptr && (own || event.node) && isIn(kOthersFirst, event) && event.severity >= Severity::kError &&
          (!event.time || !attempt.start || *event.time >= *attempt.start))
        return std::optional<Finding>();
      if (!own || !isIn(kFailures, event)) continue;
      if (event.rank) ranks.insert(*event.rank);
      if (named == nullptr && event.message.starts_with(kFirstFailure)) named = &event;
      if (first == nullptr || distance(event) < distance(*first)) first = &event;
    }
    if (named != nullptr && named->rank) {
      const auto its = [&](const Event& event) {
        return event.attempt == attempt.id && event.rank == named->rank && event.kind != "killed" && isIn(kFailures, event) &&
               distance(event) == 0;
      };
      const auto own = std::ranges::find_if(events, its);
      first = own != events.end() ? &*own : named;
    }
    if (first != nullptr && std::ranges::any_of(events, [&](const Event& event) { return explains(event, *first, attempt.id); }))
      return std::optional<Finding>();
    if (first == nullptr) return std::optional<Finding>();
    return describe(question, attempt, *first, ranks);
  }

  static bool explains(const Event& fault, const Event& failure, AttemptId attempt) {
    if (!isOfMachine(fault) || (fault.attempt != attempt && !fault.node)) return false;
    if (!fault.time || !failure.time) return fault.attempt == attempt;
    return std::abs(*fault.time - *failure.time) <= kSameFault;
  }

  static Result<std::optional<Finding>> describe(const Question& question, const Attempt& attempt, const Event& first,
                                                 std::set<std::int32_t> ranks) {
    if (first.rank) ranks.erase(*first.rank);
    std::string node;
    RG_ASSIGN(const auto nodes, question.reader.nodes());
    if (const auto at = std::ranges::find(nodes, first.node, &Node::id); first.node && at != nodes.end()) node = at->name;
    Finding finding;
    finding.run = question.run, finding.attempt = attempt.id;
    finding.kind = "job_failed", finding.subject = "attempt:" + std::to_string(attempt.number);
    finding.severity = Severity::kError;
    finding.start = first.time, finding.end = attempt.end;
    finding.first_step = first.step ? first.step : attempt.last_step;
    finding.node = first.node, finding.rank = first.rank;
    finding.confidence = distance(first) == 2 ? 0.4 : first.rank ? 0.8 : 0.6;
    words::setMessage(finding, failureMessage(first, node, ranks.size()));
    Json evidence = {{"kind", first.kind}, {"message", first.message}, {"other_ranks", ranks.size()}};
    if (!first.code.empty()) evidence["code"] = first.code;
    if (first.rank) evidence["rank"] = *first.rank;
    if (!node.empty()) evidence["node"] = node;
    RG_ASSIGN(evidence["traceback"], tracebackOf(question, attempt, first));
    finding.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
    return std::optional(std::move(finding));
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
