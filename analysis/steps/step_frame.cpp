// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps/step_frame.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace runglass {
namespace {

constexpr std::array<const char*, kStepColumnCount> kNames = {
    "forward", "backward", "optimizer", "other",      "communication", "communication_wait",
    "data",    "host",     "gc",        "checkpoint", "run_delay",     "cpu"};

struct Begin {
  std::string_view begin;
  StepColumn column;
};
// Names of this project's client, of Megatron's timers, of ndtimeline and of PyTorch Lightning.
constexpr Begin kBegins[] = {
    {"forward", StepColumn::kForward},
    {"fwd", StepColumn::kForward},
    {"backward", StepColumn::kBackward},
    {"bwd", StepColumn::kBackward},
    {"optim", StepColumn::kOptimizer},
    {"comm", StepColumn::kTransfer},
    {"data", StepColumn::kData},
    {"batch", StepColumn::kData},
    {"input", StepColumn::kData},
    {"next_batch", StepColumn::kData},
    {"host", StepColumn::kHost},
    {"launch", StepColumn::kHost},
    {"gc", StepColumn::kGc},
    {"checkpoint", StepColumn::kCheckpoint},
    {"save", StepColumn::kCheckpoint},
    {"ckpt", StepColumn::kCheckpoint},
};

// Collectives match anywhere in a name: "layernorm-grads-all-reduce", "tp-allgather", "all-grads-sync". Without separators.
constexpr std::string_view kCollectives[] = {"allreduce", "allgather", "reducescatter", "alltoall", "gradssync", "gradsync",
                                             "broadcast", "barrier",   "nccl",          "send",     "recv"};

}  // namespace

const char* stepColumnName(StepColumn column) { return kNames[static_cast<std::size_t>(column)]; }

std::optional<StepColumn> stepColumnOf(std::string_view part) {
  if (part.empty() || part == "other") return std::nullopt;
  std::string name(part);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  // Checked before the prefixes: a pipeline's sends and receives are named after their pass.
  std::string plain = name;
  std::erase_if(plain, [](char c) { return c == '-' || c == '_' || c == ' '; });
  if (std::ranges::any_of(kCollectives, [&](std::string_view word) { return plain.find(word) != std::string::npos; }))
    return StepColumn::kTransfer;
  for (const Begin& one : kBegins)
    if (name.starts_with(one.begin)) return one.column;
  return StepColumn::kOther;
}

std::string partOf(const std::string& labels) {
  const auto json = nlohmann::json::parse(labels, nullptr, false);
  if (!json.is_object() || !json.contains("part") || !json["part"].is_string()) return {};
  return json["part"].get<std::string>();
}

std::optional<double> StepFrame::longest() const {
  std::optional<double> most;
  for (const float value : dur)
    if (!std::isnan(value)) most = std::max(most.value_or(value), static_cast<double>(value));
  return most;
}

float sumOf(const StepFrame& frame, std::size_t rank, std::initializer_list<StepColumn> columns) {
  float sum = std::numeric_limits<float>::quiet_NaN();
  for (const StepColumn column : columns) {
    const float value = frame.at(column, rank);
    if (!std::isnan(value)) sum = std::isnan(sum) ? value : sum + value;
  }
  return sum;
}

}  // namespace runglass
