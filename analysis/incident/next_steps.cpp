// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/next_steps.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "analysis/incident/incident_words.h"
#include "analysis/text/evidence_json.h"
#include "model/number_text.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxAdvice = 400, kMaxChecks = 4;

struct KindAdvice {
  std::string_view kind, advice;
};
constexpr std::array<KindAdvice, 17> kAdvice = {{
    {"hang", "Take the stacks of all ranks before anything is killed (runglassctl capture), then restart without the culprit."},
    {"stall", "Take the stacks of all ranks while it lasts (runglassctl capture): they show whether it waits for storage, data or a peer."},
    {"slow_rank", "Test its GPU alone, without the job; where it is slow there, too, replace the node."},
    {"slow_node", "Test the node alone, without the job (GPUs, clocks, CPU); where it is slow there, too, replace it."},
    {"slow_link", "Look at the port's error counters and its cable, and at what else uses the link."},
    {"thermal_throttle", "Look at cooling and air flow of the node, and at its fans' event log."},
    {"stage_imbalance", "Move layers from the slow stage to the others."},
    {"sequence_imbalance", "Spread long sequences evenly over the micro-batches of all ranks."},
    {"host_bound", "See what else runs on the hosts and give the trainer more cores; look at where it launches many small kernels."},
    {"data_bound", "Look at the data loader: its workers, how far it reads ahead, and its storage."},
    {"gc_jitter", "Let all ranks collect garbage at the same steps, and not by themselves."},
    {"throughput_shift", "Compare what steps were made of before and after it; see what changed at that time."},
    {"loss_spike", "If it does not recover: resume from the checkpoint before it and skip its batches."},
    {"loss_divergence", "Resume from a checkpoint before it, with a lower learning rate or other batches."},
    {"non_finite", "Resume from the last checkpoint before it; check the batch and the first affected ranks."},
    {"clip_pressure", "Look at learning rate and warm-up: nearly every gradient is clipped."},
    {"settings", "Set it alike on all nodes."},
}};

std::vector<Json> listIn(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? found->get<std::vector<Json>>() : std::vector<Json>();
}

// The analysis's own advice: for a fault that of its catalogue and what to check, for clocks that of the reasons.
std::string ownAdvice(const Json& evidence) {
  std::string out = textIn(evidence, "advice");
  if (out.empty())
    for (const Json& reason : listIn(evidence, "reasons")) {
      if (!reason.is_object()) continue;
      if (const std::string advice = textIn(reason, "advice"); !advice.empty() && out.find(advice) == std::string::npos)
        out += (out.empty() ? "" : " ") + advice;
    }
  if (!out.empty() && !out.ends_with('.')) out += '.';
  std::string checks;
  std::size_t count = 0;
  for (const Json& check : listIn(evidence, "check"))
    if (check.is_string() && count++ < kMaxChecks) checks += (checks.empty() ? "" : "; ") + check.get<std::string>();
  if (!checks.empty()) out += (out.empty() ? "Look at " : " Look at ") + checks + ".";
  return out;
}

std::string stepOf(const Finding& finding, const RunPlaces& places) {
  Json evidence = Json::parse(finding.evidence, nullptr, false);
  if (!evidence.is_object()) evidence = Json::object();
  std::string advice = ownAdvice(evidence);
  if (advice.empty()) {
    const auto known = std::ranges::find(kAdvice, std::string_view(finding.kind), &KindAdvice::kind);
    if (known == kAdvice.end()) return {};
    advice = known->advice;
  }
  std::string about = findingKindWords(finding.kind);
  if (const std::string place = placeWords(finding, places); !place.empty()) about += ", " + place;
  if (!about.empty() && about[0] >= 'a' && about[0] <= 'z') about[0] = static_cast<char>(about[0] - 'a' + 'A');
  std::string cost;
  if (const auto rate = evidence.find("gpu_hours_per_day"); rate != evidence.end() && rate->is_number() && rate->get<double>() > 0)
    cost = " While it lasts it costs " + gpuHoursText(rate->get<double>()) + " GPU-hours a day.";
  return oneLineOf(about + ": " + advice, kMaxAdvice) + cost;
}

}  // namespace

std::vector<std::string> nextSteps(std::span<const Finding* const> findings, const RunPlaces& places) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < findings.size() && out.size() < kMaxNextSteps; ++i) {
    if (i > 0 && findings[i]->severity < Severity::kWarning) continue;
    std::string step = stepOf(*findings[i], places);
    if (!step.empty() && std::ranges::find(out, step) == out.end()) out.push_back(std::move(step));
  }
  return out;
}

}  // namespace runglass
