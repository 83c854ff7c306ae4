// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/slurm/slurm_job.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/text/display_name.h"
#include "collectors/text/hostlist.h"
#include "collectors/text/wall_time.h"

namespace runglass {
namespace {

using nlohmann::json;

Status noJob(std::int64_t id) { return {Code::kNotFound, "slurm: job " + std::to_string(id) + " is not there"}; }

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool isNone(std::string_view text) { return text.empty() || text == "None" || text == "(null)" || text == "N/A" || text == "Unknown"; }

bool isOver(std::string_view state) {
  constexpr std::string_view kActive[] = {"PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "RESIZING", "STOPPED"};
  return std::ranges::find(kActive, state) == std::end(kActive);
}

// An end in the future is the time limit.
void normalize(SlurmAttempt& attempt) {
  if (isNone(attempt.reason)) attempt.reason.clear();
  if (!isOver(attempt.state)) attempt.end.reset();
  // While the processes of a requeued job are being ended, the controller has its nodes, and the requeue's time as the start.
  if (!isOver(attempt.state) && attempt.start && attempt.eligible && *attempt.start < *attempt.eligible) {
    attempt.state = "PENDING";
    attempt.nodes.clear();
    attempt.gpus.clear();
    attempt.gpu_count.reset();
  }
  if (attempt.state == "PENDING") attempt.start.reset();
}

// The controller has one reason: why the job waits, or why it ended. The accounting has that of the wait. A requeued job waits at the
// controller; in the accounting it is an attempt that has ended.
void normalizeController(SlurmAttempt& attempt) {
  if (attempt.state == "REQUEUED") attempt.state = "PENDING";
  normalize(attempt);
  if (attempt.state != "PENDING") attempt.reason.clear();
}

// "gpu:h100:4(IDX:0-3),shard:2(IDX:1)": the indices of the GPUs. False: no indices in it.
bool gpuIndices(std::string_view gres, std::set<std::int32_t>& to) {
  bool found = false;
  for (std::size_t at = 0; at < gres.size();) {
    const std::size_t open = gres.find('(', at), close = gres.find(')', at);
    const std::string_view name = gres.substr(at, std::min(open, gres.size()) - at);
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) break;
    const std::string_view inside = gres.substr(open + 1, close - open - 1);
    if ((name == "gpu" || name.starts_with("gpu:")) && inside.starts_with("IDX:")) {
      const auto indices =
          inside == "IDX:N/A" ? Result<std::vector<std::int32_t>>(std::vector<std::int32_t>()) : expandNumbers(inside.substr(4));
      if (indices.ok()) to.insert(indices->begin(), indices->end()), found = found || !indices->empty();
    }
    at = gres.find(',', close);
    at = at == std::string_view::npos ? gres.size() : at + 1;
  }
  return found;
}

struct Pair {
  std::string_view key, value;
};

// "Key=Value Key=Value": a value ends at the next blank, but JobName and the like, which may have blanks, at the line's end.
std::vector<Pair> pairsOf(std::string_view line) {
  std::vector<Pair> pairs;
  while (!line.empty()) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) break;
    const std::string_view key = line.substr(0, equals);
    const bool whole = key == "JobName" || key == "Command" || key == "WorkDir" || key == "Comment";
    const std::size_t end = whole ? line.size() : std::min(line.find(' ', equals), line.size());
    pairs.push_back({key, line.substr(equals + 1, end - equals - 1)});
    line.remove_prefix(end);
  }
  return pairs;
}

std::optional<TimeNs> timeOf(std::string_view text) {
  const auto time = parseWallTime(text);
  return time ? std::optional(time->time) : std::nullopt;
}

class JobText {
 public:
  explicit JobText(SlurmJob& job) : m_job(job), m_attempt(job.attempts.emplace_back()) {}

  Status line(std::string_view line) {
    const std::vector<Pair> pairs = pairsOf(line);
    // "Nodes=gpu-[01-02] CPU_IDs=0-1 Mem=0 GRES=gpu:2(IDX:0-1)"
    if (!pairs.empty() && pairs.front().key == "Nodes") return detail(pairs);
    for (const Pair& pair : pairs) RG_TRY(field(pair));
    return {};
  }

 private:
  Status detail(const std::vector<Pair>& pairs) {
    std::set<std::int32_t> gpus;
    bool found = false;
    for (const Pair& pair : pairs)
      if (pair.key == "GRES") found = gpuIndices(pair.value, gpus);
    if (!found) return {};
    RG_ASSIGN(const auto nodes, expandHostlist(pairs.front().value));
    for (const std::string& node : nodes) m_attempt.gpus[node].insert(gpus.begin(), gpus.end());
    return {};
  }

  Status field(const Pair& pair) {
    const auto& [key, value] = pair;
    if (key == "JobName") m_job.name = displayName(value);
    if (key == "JobState") m_attempt.state = displayName(value);
    if (key == "Reason") {  // its blanks are written as _: "ReqNodeNotAvail,_UnavailableNodes:gpu-01"
      m_attempt.reason = displayName(value);
      if (const std::size_t comma = m_attempt.reason.find(",_"); comma != std::string::npos) m_attempt.reason[comma + 1] = ' ';
    }
    if (key == "Restarts") m_job.restarts = static_cast<std::int32_t>(number(value).value_or(0));
    if (key == "SubmitTime") m_attempt.submitted = timeOf(value);
    if (key == "EligibleTime") m_attempt.eligible = timeOf(value);
    if (key == "StartTime") m_attempt.start = timeOf(value);
    if (key == "EndTime") m_attempt.end = timeOf(value);
    if (key == "ExitCode") {  // code:signal
      const auto code = number(value.substr(0, value.find(':')));
      const auto signal = number(value.substr(std::min(value.find(':') + 1, value.size())));
      if (code) m_attempt.exit_code = static_cast<std::int32_t>(*code);
      if (signal && *signal != 0) m_attempt.signal = static_cast<std::int32_t>(*signal);
    }
    if (key == "TRES" || key == "AllocTRES") {  // cpu=6,node=3,gres/gpu=10,gres/gpu:h100=10
      constexpr std::string_view kGpus = "gres/gpu=";
      if (const std::size_t at = value.find(kGpus); at != std::string_view::npos) {
        const std::string_view count = value.substr(at + kGpus.size());
        m_attempt.gpu_count = number(count.substr(0, count.find(',')));
      }
    }
    if (key == "NodeList" && !isNone(value)) {
      RG_ASSIGN(m_attempt.nodes, expandHostlist(value));
    }
    return {};
  }

  SlurmJob& m_job;
  SlurmAttempt& m_attempt;
};

// A member under its path; null where something is missing or is no object.
const json& at(const json& value, std::initializer_list<const char*> path) {
  static const json kNull;
  const json* here = &value;
  for (const char* name : path) {
    if (!here->is_object() || !here->contains(name)) return kNull;
    here = &here->at(name);
  }
  return *here;
}

// 23.02 and later write {"set": true, "infinite": false, "number": 7} for a number that may be absent.
std::optional<std::int64_t> numberIn(const json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  const json& set = at(value, {"set"});
  if (set.is_boolean() && !set.get<bool>()) return std::nullopt;
  const json& number = at(value, {"number"});
  return number.is_number_integer() ? std::optional(number.get<std::int64_t>()) : std::nullopt;
}

std::optional<TimeNs> timeIn(const json& value) {
  const auto seconds = numberIn(value);
  constexpr std::int64_t kLast = 7'258'118'400;  // 2200
  return seconds && *seconds > 0 && *seconds < kLast ? std::optional(*seconds * kNsPerSecond) : std::nullopt;
}

// "RUNNING"; since 23.11 ["RUNNING"], with flags behind.
std::string wordIn(const json& value) {
  const json& word = value.is_array() && !value.empty() ? value.front() : value;
  return word.is_string() ? displayName(word.get_ref<const std::string&>()) : std::string();
}

const json& firstOf(const json& job, std::initializer_list<std::initializer_list<const char*>> paths) {
  for (const auto& path : paths)
    if (const json& found = at(job, path); !found.is_null()) return found;
  static const json kNull;
  return kNull;
}

void readExit(const json& exit, SlurmAttempt& to) {
  if (exit.is_number_integer()) {  // squeue before 23.11: a wait status
    const auto status = exit.get<std::int64_t>();
    to.exit_code = static_cast<std::int32_t>((status >> 8) & 0xFF);
    if ((status & 0x7F) != 0) to.signal = static_cast<std::int32_t>(status & 0x7F);
    return;
  }
  if (const auto code = numberIn(at(exit, {"return_code"}))) to.exit_code = static_cast<std::int32_t>(*code);
  const auto signal = numberIn(firstOf(exit, {{"signal", "id"}, {"signal", "signal_id"}}));
  if (signal && *signal != 0) to.signal = static_cast<std::int32_t>(*signal);
}

Result<SlurmAttempt> attemptIn(const json& job) {
  SlurmAttempt attempt;
  // sacct's names, then squeue's.
  attempt.submitted = timeIn(firstOf(job, {{"time", "submission"}, {"submit_time"}}));
  attempt.eligible = timeIn(firstOf(job, {{"time", "eligible"}, {"eligible_time"}}));
  attempt.start = timeIn(firstOf(job, {{"time", "start"}, {"start_time"}}));
  attempt.end = timeIn(firstOf(job, {{"time", "end"}, {"end_time"}}));
  attempt.state = wordIn(firstOf(job, {{"state", "current"}, {"job_state"}}));
  attempt.reason = wordIn(firstOf(job, {{"state", "reason"}, {"state_reason"}}));
  readExit(at(job, {"exit_code"}), attempt);
  // sacct 22.05 writes success for jobs that failed; their batch step has the code.
  if (attempt.state == "FAILED" && attempt.exit_code == 0 && !attempt.signal) {
    attempt.exit_code.reset();
    if (const json& steps = at(job, {"steps"}); steps.is_array())
      for (const json& step : steps)
        if (wordIn(at(step, {"step", "name"})) == "batch") readExit(at(step, {"exit_code"}), attempt);
  }
  if (const std::string nodes = wordIn(at(job, {"nodes"})); !isNone(nodes) && nodes != "None assigned") {
    RG_ASSIGN(attempt.nodes, expandHostlist(at(job, {"nodes"}).get_ref<const std::string&>()));
  }
  if (const json& allocated = at(job, {"tres", "allocated"}); allocated.is_array())
    for (const json& one : allocated)
      if (wordIn(at(one, {"type"})) == "gres" && wordIn(at(one, {"name"})) == "gpu") attempt.gpu_count = numberIn(at(one, {"count"}));
  const json& gres = at(job, {"gres_detail"});  // an entry per node
  if (gres.is_array() && gres.size() == attempt.nodes.size())
    for (std::size_t i = 0; i < gres.size(); ++i) {
      std::set<std::int32_t> gpus;
      if (gres[i].is_string() && gpuIndices(gres[i].get_ref<const std::string&>(), gpus)) attempt.gpus[attempt.nodes[i]] = std::move(gpus);
    }
  if (at(job, {"job_state"}).is_null())
    normalize(attempt);
  else
    normalizeController(attempt);
  return attempt;
}

}  // namespace

Result<SlurmJob> parseScontrolJob(std::string_view text, std::int64_t id) {
  SlurmJob job{.id = id};
  std::optional<JobText> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("JobId=")) {
      if (lines) break;  // the other jobs of an array
      if (number(pairsOf(line).front().value) != id) continue;
      lines.emplace(job);
    }
    if (lines) RG_TRY(lines->line(line));
  }
  if (!lines) return noJob(id);
  if (job.attempts.front().state.empty()) return Status(Code::kInvalidArgument, "slurm: scontrol: the job has no JobState");
  normalizeController(job.attempts.front());
  return job;
}

Result<SlurmJob> parseSlurmJson(std::string_view text, std::int64_t id) {
  const json document = json::parse(text, nullptr, false);
  const json& jobs = at(document, {"jobs"});
  if (!jobs.is_array()) return Status(Code::kInvalidArgument, "slurm: not the JSON of sacct or squeue");
  SlurmJob job{.id = id};
  for (const json& one : jobs) {
    if (numberIn(at(one, {"job_id"})) != id) continue;
    if (job.name.empty()) job.name = wordIn(at(one, {"name"}));
    if (job.cluster.empty()) job.cluster = wordIn(at(one, {"cluster"}));
    job.restarts = std::max(job.restarts, static_cast<std::int32_t>(numberIn(at(one, {"restart_cnt"})).value_or(0)));
    RG_ASSIGN(SlurmAttempt attempt, attemptIn(one));
    job.attempts.push_back(std::move(attempt));
  }
  if (job.attempts.empty()) return noJob(id);
  std::ranges::stable_sort(job.attempts, {}, [](const SlurmAttempt& a) { return a.start.value_or(INT64_MAX); });
  return job;
}

std::optional<std::int32_t> parseQueuePosition(std::string_view squeue, std::int64_t id) {
  // Jobs that nothing but resources would start: held jobs, and those that wait for a time or for other jobs, are not in the way.
  constexpr std::string_view kElsewhere[] = {"BeginTime", "Dependency", "DependencyNeverSatisfied", "JobHeldAdmin", "JobHeldUser"};
  std::map<std::string_view, std::int32_t> ahead;  // by partition
  while (!squeue.empty()) {
    const std::string_view line = squeue.substr(0, squeue.find('\n'));
    squeue.remove_prefix(std::min(line.size() + 1, squeue.size()));
    const std::size_t first = line.find('|'), last = line.rfind('|');
    if (first == std::string_view::npos || first == last) continue;
    const bool competes = std::ranges::find(kElsewhere, line.substr(last + 1)) == std::end(kElsewhere);
    std::int32_t& jobs = ahead[line.substr(first + 1, last - first - 1)];
    if (number(line.substr(0, first)) == id) return competes ? std::optional(jobs + 1) : std::nullopt;
    if (competes) ++jobs;
  }
  return std::nullopt;
}

SlurmJob mergedSlurmJob(SlurmJob accounting, const SlurmJob& controller) {
  const SlurmAttempt& now = controller.attempts.front();
  // slurmdbd learns of a start seconds after the controller: until then its attempt is the one of this submission without a start.
  const auto same = std::ranges::find_if(accounting.attempts, [&](const SlurmAttempt& a) {
    return a.start == now.start || (!a.start && a.submitted && a.submitted == now.submitted);
  });
  if (same == accounting.attempts.end()) {
    accounting.attempts.push_back(now);
  } else if (!same->start) {
    const std::string reason = now.reason.empty() ? same->reason : now.reason;
    *same = now;
    same->reason = reason;
  } else {
    same->gpus = now.gpus;
    if (!same->gpu_count) same->gpu_count = now.gpu_count;
    if (same->reason.empty()) same->reason = now.reason;
    if (same->nodes.empty()) same->nodes = now.nodes;
    if (now.end) {  // slurmdbd may be late
      same->state = now.state;
      same->end = now.end;
      same->exit_code = now.exit_code;
      same->signal = now.signal;
    }
  }
  accounting.restarts = std::max(accounting.restarts, controller.restarts);
  accounting.queue_position = controller.queue_position;
  if (!controller.name.empty()) accounting.name = controller.name;  // slurmdbd names a job "allocation" until it knows more of it
  return accounting;
}

}  // namespace runglass
