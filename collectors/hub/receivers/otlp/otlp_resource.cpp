// SPDX-License-Identifier: Apache-2.0
// Runs and attempts are named as the Slurm service names them, so that a job's data from both is one run.
#include "collectors/hub/receivers/otlp/otlp_resource.h"

#include <algorithm>
#include <array>

#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/text/display_name.h"
#include "collectors/text/quantity.h"

namespace runglass {
namespace {

// "torch.local_rank" and "LOCAL_RANK" are "local_rank".
std::string plainKey(std::string_view key) {
  std::string plain = lowered(key);
  std::ranges::replace(plain, '.', '_');
  for (const std::string_view prefix : {"runglass_", "torch_", "torchelastic_", "training_", "distributed_"})
    if (plain.starts_with(prefix)) plain.erase(0, prefix.size());
  return plain;
}

std::optional<std::int32_t> numberOf(std::string_view value) {
  const std::optional<std::int64_t> whole = wholeOf(value);
  if (!whole || *whole < 0 || *whole > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*whole);
}

struct Phase {
  std::string_view word, role;
};
// Words of the phases of reinforcement learning in the names of spans.
constexpr std::array kPhases = {Phase{"rollout", "rollout"},
                                Phase{"generate_sequences", "rollout"},
                                Phase{"weight_sync", "weight_sync"},
                                Phase{"sync_weights", "weight_sync"},
                                Phase{"update_weights", "weight_sync"},
                                Phase{"weight_update", "weight_sync"},
                                Phase{"reward", "reward"},
                                Phase{"advantage", "advantage"},
                                Phase{"ref_log_prob", "reference"},
                                Phase{"train", "train"},
                                Phase{"update_actor", "train"},
                                Phase{"update_critic", "train"}};

std::string roleOfPhase(std::string_view name) {
  std::string words = lowered(name);
  for (char& c : words)
    if (c == '.' || c == ' ' || c == '-' || c == '/' || c == ':') c = '_';
  for (const Phase& phase : kPhases) {
    const std::size_t at = words.find(phase.word);
    if (at == std::string::npos) continue;
    // Whole words only: "constraint" is no training.
    const std::size_t end = at + phase.word.size();
    if ((at == 0 || words[at - 1] == '_') && (end == words.size() || words[end] == '_')) return std::string(phase.role);
  }
  return {};
}

}  // namespace

OtlpResource resourceOf(const OtlpScope& scope) {
  OtlpResource out;
  std::string service, run, job, job_name, restart, attempt, k8s_job, host, k8s_node, instance;
  eachMessage(scope.resource, 1, [&](std::string_view bytes) {
    const auto [key, value] = attributeOf(bytes);
    const std::string plain = plainKey(key);
    if (plain == "rank" || plain == "global_rank") out.rank = numberOf(value);
    if (plain == "local_rank") out.local_rank = numberOf(value);
    if (plain == "world_size") out.world = numberOf(value).value_or(0);
    if (key == "process.pid") out.pid = numberOf(value);
    for (const auto& [name, text] : {std::pair{"service.name", &service},
                                     {"runglass.run", &run},
                                     {"runglass.attempt", &attempt},
                                     {"slurm.job.id", &job},
                                     {"slurm.job.name", &job_name},
                                     {"slurm.restart.count", &restart},
                                     {"k8s.job.name", &k8s_job},
                                     {"k8s.node.name", &k8s_node},
                                     {"host.name", &host},
                                     {"service.instance.id", &instance},
                                     {"runglass.role", &out.role},
                                     {"rl.role", &out.role}})
      if (key == name) *text = displayName(textOf(value));
    return true;
  });
  out.scope = displayName(bytesOf(scope.scope, 1));
  out.node = host.empty() ? k8s_node : host;
  out.service = service.starts_with("unknown_service") ? std::string() : service;
  out.instance = !instance.empty() ? instance : out.pid ? std::to_string(*out.pid) : std::string();
  out.attempt = attempt;
  if (!run.empty()) {
    out.run = run;
  } else if (!job.empty()) {
    out.run = (job_name.empty() ? "slurm" : job_name) + "-" + job;
    if (attempt.empty()) out.attempt = "slurm " + job + (restart.empty() || restart == "0" ? "" : " requeue " + restart);
  } else if (!k8s_job.empty()) {
    out.run = k8s_job;
  } else if (out.rank) {
    out.run = out.service.empty() ? "otlp" : out.service;
  }
  return out;
}

std::string roleOf(const OtlpSpan& span, std::string_view record) {
  std::string role, generated;
  eachMessage(record, kSpanAttributes, [&](std::string_view bytes) {
    const auto [key, value] = attributeOf(bytes);
    if (key == "runglass.role" || key == "rl.role" || key == "rl.phase") role = displayName(textOf(value));
    if (key == "gen_ai.operation.name") generated = "gen_ai";
    return true;
  });
  if (role.empty()) role = roleOfPhase(span.name);
  return role.empty() ? generated : role;
}

}  // namespace runglass
