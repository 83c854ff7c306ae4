// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/slurm/slurm_service.h"

#include <algorithm>
#include <utility>

#include "collectors/services/slurm/command_output.h"

namespace runglass {
namespace {

RunState stateOf(const std::string& state) {
  if (state == "COMPLETED") return RunState::kFinished;
  if (state == "RUNNING" || state == "COMPLETING" || state == "SUSPENDED") return RunState::kRunning;
  if (state == "PENDING" || state == "CONFIGURING" || state == "REQUEUED" || state == "PREEMPTED") return RunState::kUnknown;
  return RunState::kFailed;
}

std::string causeOf(const SlurmAttempt& attempt) {
  std::string cause = attempt.state;
  if (attempt.exit_code && *attempt.exit_code != 0) cause += ", exit code " + std::to_string(*attempt.exit_code);
  if (attempt.signal) cause += ", signal " + std::to_string(*attempt.signal);
  return cause;
}

// Nodes and GPUs of the store by the names that Slurm has.
class StoredPlaces {
 public:
  static Result<StoredPlaces> of(Reader& reader) {
    StoredPlaces places;
    RG_ASSIGN(const auto nodes, reader.nodes());
    for (const Node& node : nodes) {
      Node& known = places.m_nodes[node.name];
      if (known.uuid.empty() || known.uuid.starts_with("name:")) known = node;
    }
    RG_ASSIGN(const auto devices, reader.devices());
    for (const Device& device : devices)
      if ((device.kind == "gpu" || device.kind == "npu") && device.index) places.m_gpus[device.node][*device.index] = device;
    return places;
  }
  Node node(const std::string& name) const {
    const auto known = m_nodes.find(name);
    return known == m_nodes.end() ? Node{.uuid = "name:" + name, .name = name}
                                  : Node{.id = known->second.id, .uuid = known->second.uuid, .name = name};
  }
  const std::map<std::int32_t, Device>& gpus(const Node& node) const {
    static const std::map<std::int32_t, Device> kNone;
    const auto known = m_gpus.find(node.id);
    return !node.id || known == m_gpus.end() ? kNone : known->second;
  }

 private:
  std::map<std::string, Node> m_nodes;
  std::map<NodeId, std::map<std::int32_t, Device>> m_gpus;
};

// `again`: the attempt is stored. The controller has the indices of GPUs only until the end, so that their absence is no news then.
void recordRanks(const SlurmAttempt& attempt, AttemptId id, const StoredPlaces& places, bool again, Recorder& out) {
  std::int64_t all = 0;
  for (const std::string& name : attempt.nodes) all += static_cast<std::int64_t>(places.gpus(places.node(name)).size());
  const bool whole = attempt.gpu_count && *attempt.gpu_count == all;
  std::int32_t rank = 0;
  for (const std::string& name : attempt.nodes) {
    const Node node = places.node(name);
    const NodeId node_id = out.node({.uuid = node.uuid, .name = node.name});
    const auto indices = attempt.gpus.find(name);
    std::int32_t local = 0;
    std::string shown;
    if (indices != attempt.gpus.end()) {
      for (const std::int32_t index : indices->second) {
        Rank one{.attempt = id, .rank = rank++, .node = node_id, .local_rank = local++};
        if (const auto gpu = places.gpus(node).find(index); gpu != places.gpus(node).end()) {
          Device device = gpu->second;
          device.node = node_id;
          one.device = out.device(device);
        }
        out.rank(one);
        shown += (shown.empty() ? "" : ",") + std::to_string(index);
      }
    } else if (whole) {
      for (auto [index, device] : places.gpus(node)) {
        device.node = node_id;
        out.rank({.attempt = id, .rank = rank++, .node = node_id, .device = out.device(device), .local_rank = local++});
        shown += (shown.empty() ? "" : ",") + std::to_string(index);
      }
    }
    if (!shown.empty() || !again)
      out.fact({.attempt = id, .node = node_id, .key = "slurm_gpus", .value = shown.empty() ? "not recorded" : shown});
  }
}

void recordPhase(AttemptId id, const std::string& name, TimeNs from, TimeNs to, SpanCategory category, Recorder& out) {
  if (from > to) return;
  SpanColumns span{.start = {from}, .dur = {to - from}, .name = {0}, .category = {category}, .names = {name}};
  out.spans(out.track({.attempt = id, .kind = "scheduler", .name = "Slurm"}), span);
}

void recordEnd(const SlurmAttempt& attempt, AttemptId id, Recorder& out) {
  const bool failed = stateOf(attempt.state) == RunState::kFailed;
  out.event({.time = attempt.end,
             .attempt = id,
             .kind = "job_ended",
             .severity = failed ? Severity::kError : Severity::kInfo,
             .code = attempt.exit_code ? std::to_string(*attempt.exit_code) : std::string(),
             .message = "Slurm: " + causeOf(attempt)});
}

}  // namespace

CommandRunner slurmCommands() {
  return [](std::vector<std::string> arguments) { return commandOutput(std::move(arguments), kCommandTimeout); };
}

std::string runNameOf(const SlurmJob& job) { return (job.name.empty() ? "slurm" : job.name) + "-" + std::to_string(job.id); }

Result<SlurmJob> readSlurmJob(std::int64_t id, const CommandRunner& run) {
  const std::string number = std::to_string(id);
  const auto parsed = [&](std::vector<std::string> arguments,
                          Result<SlurmJob> (*parse)(std::string_view, std::int64_t)) -> Result<SlurmJob> {
    RG_ASSIGN(const std::string text, run(std::move(arguments)));
    return parse(text, id);
  };
  Result<SlurmJob> controller = parsed({"scontrol", "show", "job", "-d", number}, parseScontrolJob);
  if (controller.status().code() == Code::kNotFound && controller.status().message().starts_with("no ")) return controller.status();
  if (controller.ok() && controller->attempts.back().state == "PENDING")  // without squeue's answer the job has no position
    if (const auto queue = run({"squeue", "--noheader", "--states=PENDING", "--sort=-p,i", "--format=%A|%P|%r"}); queue.ok())
      controller->queue_position = parseQueuePosition(*queue, id);
  Result<SlurmJob> accounting = parsed({"sacct", "--json", "--duplicates", "-j", number}, parseSlurmJson);
  if (controller.ok() && accounting.ok()) return mergedSlurmJob(std::move(*accounting), *controller);
  if (controller.ok()) return *controller;  // a cluster without accounting
  if (accounting.ok()) return accounting;
  return Status(controller.status().code(), controller.status().message() + "; " + accounting.status().message());
}

Result<RunId> recordSlurmJob(const SlurmJob& job, Reader& reader, Recorder& out) {
  RG_ASSIGN(const StoredPlaces places, StoredPlaces::of(reader));
  std::map<std::string, bool> known;  // attempts, and whether they have ended
  RG_ASSIGN(const auto runs, reader.runs());
  for (const Run& run : runs) {
    if (run.name != runNameOf(job)) continue;
    RG_ASSIGN(const auto attempts, reader.attempts(run.id));
    for (const Attempt& attempt : attempts) known[attempt.key] = attempt.end.has_value();
  }
  const SlurmAttempt& last = job.attempts.back();
  const RunId run = out.run({.name = runNameOf(job),
                             .time_domain = TimeDomain::kUtc,
                             .state = stateOf(last.state),
                             .start = job.attempts.front().start,
                             .end = last.end});
  const auto count = static_cast<std::int32_t>(job.attempts.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const SlurmAttempt& attempt = job.attempts[static_cast<std::size_t>(i)];
    if (!attempt.start) continue;
    const std::int32_t requeue = std::max(job.restarts - (count - 1 - i), i);
    const std::string key = "slurm " + std::to_string(job.id) + (requeue > 0 ? " requeue " + std::to_string(requeue) : "");
    const AttemptId id =
        out.attempt({.run = run, .key = key, .start = attempt.start, .end = attempt.end, .end_cause = attempt.end ? causeOf(attempt) : ""});
    // Spans and events are appended, not updated: each is recorded once, when its end is first seen.
    const auto before = known.find(key);
    recordRanks(attempt, id, places, before != known.end(), out);
    if (attempt.submitted && before == known.end())
      recordPhase(id, attempt.reason.empty() ? "queued" : "queued: " + attempt.reason, *attempt.submitted, *attempt.start,
                  SpanCategory::kIdle, out);
    if (attempt.end && (before == known.end() || !before->second)) {
      recordPhase(id, "running", *attempt.start, *attempt.end, SpanCategory::kOther, out);
      recordEnd(attempt, id, out);
    }
    if (attempt.submitted) {
      out.fact({.attempt = id, .key = "slurm_queue_s", .value = std::to_string((*attempt.start - *attempt.submitted) / kNsPerSecond)});
      if (!attempt.reason.empty()) out.fact({.attempt = id, .key = "slurm_reason", .value = attempt.reason});
    }
    out.fact({.attempt = id, .key = "slurm_state", .value = attempt.state});
  }
  return run;
}

}  // namespace runglass
