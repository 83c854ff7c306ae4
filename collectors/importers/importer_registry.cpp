// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/importer_registry.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "model/crc32c.h"

namespace runglass {

std::string Importer::identity(const ImportProbe& probe) const {
  return std::to_string(probe.head.size()) + ":" + std::to_string(crc32c(probe.head));
}

bool Importer::isSame(const ImportProbe& probe, std::string_view identity) const {
  std::size_t size = 0;
  const char* const end = identity.data() + identity.size();
  const auto parsed = std::from_chars(identity.data(), end, size);
  if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ':' && size <= probe.head.size())
    return identity.substr(static_cast<std::size_t>(parsed.ptr - identity.data()) + 1) ==
           std::to_string(crc32c(probe.head.substr(0, size)));
  return this->identity(probe) == identity;
}

const std::vector<std::unique_ptr<Importer>>& importers() {
  static const auto kAll = [] {
    std::vector<std::unique_ptr<Importer>> all;
    all.push_back(makeTfeventsImporter());
    all.push_back(makeKinetoImporter());
    all.push_back(makeChromeTraceImporter());
    all.push_back(makeStragglerExtrasImporter());
    all.push_back(makeNsysImporter());
    all.push_back(makeFlightRecorderImporter());
    all.push_back(makeNcclInspectorImporter());
    all.push_back(makeXpuTimerImporter());
    all.push_back(makeHfTrainerStateImporter());
    all.push_back(makeMegatronGoldenImporter());
    all.push_back(makeKernelLogImporter());
    all.push_back(makeTrainLogImporter());
    all.push_back(makeMlperfLogImporter());
    all.push_back(makeNvidiaSmiImporter());
    all.push_back(makeGpustatImporter());
    all.push_back(makeGpustatJsonImporter());
    all.push_back(makeAmdSmiImporter());
    all.push_back(makeRocmSmiCsvImporter());
    all.push_back(makeRocpdImporter());
    all.push_back(makeNpuSmiImporter());
    all.push_back(makeNcclTestsImporter());
    all.push_back(makePerftestImporter());
    all.push_back(makeNvbandwidthImporter());
    all.push_back(makeNvbandwidthJsonImporter());
    all.push_back(makeDcgmDiagImporter());
    all.push_back(makeDcgmDiagJsonImporter());
    all.push_back(makeGpuTelemetryCsvImporter());
    all.push_back(makeClusterCsvImporter());
    all.push_back(makePrometheusTextImporter());
    all.push_back(makeMlperfPowerImporter());
    all.push_back(makeDlroverEventsImporter());
    all.push_back(makeKubernetesImporter());
    return all;
  }();
  return kAll;
}

Importer* recognisedBy(const ImportProbe& probe, Importer* first) {
  Importer* chosen = nullptr;
  int best = 0;
  if (first != nullptr && (best = first->recognise(probe)) > 0) chosen = first;
  for (const auto& importer : importers())
    if (const int score = importer->recognise(probe); score > best) best = score, chosen = importer.get();
  return chosen;
}

std::string whyUnrecognised(const ImportProbe& probe) {
  return probe.head.empty() ? "the file is empty" : "no importer knows this kind of file";
}

std::string canonicalLabel(std::string_view tag) {
  struct Alias {
    std::string_view tag, canonical;
  };
  // Lower case; a tag must match completely, so that "mtp_1 loss" is not taken for the training loss.
  static constexpr std::array kAliases = {Alias{"loss", "loss"},
                                          Alias{"lm loss", "loss"},
                                          Alias{"train/loss", "loss"},
                                          Alias{"train_loss", "loss"},
                                          Alias{"training_loss", "loss"},
                                          Alias{"loss/train", "loss"},
                                          Alias{"lm-loss-training/lm loss", "loss"},
                                          Alias{"train/lm_loss", "loss"},
                                          Alias{"loss_metrics/global_avg_loss", "loss"},
                                          Alias{"grad_norm", "grad_norm"},
                                          Alias{"grad-norm", "grad_norm"},
                                          Alias{"grad norm", "grad_norm"},
                                          Alias{"train/grad_norm", "grad_norm"},
                                          Alias{"grad-norm/grad-norm", "grad_norm"},
                                          Alias{"learning_rate", "learning_rate"},
                                          Alias{"learning-rate", "learning_rate"},
                                          Alias{"learning rate", "learning_rate"},
                                          Alias{"lr", "learning_rate"},
                                          Alias{"train/learning_rate", "learning_rate"},
                                          Alias{"train/lr", "learning_rate"},
                                          Alias{"learning-rate/learning-rate", "learning_rate"},
                                          Alias{"eval_loss", "validation_loss"},
                                          Alias{"val_loss", "validation_loss"},
                                          Alias{"val/loss", "validation_loss"},
                                          Alias{"eval/loss", "validation_loss"},
                                          Alias{"lm loss validation", "validation_loss"},
                                          Alias{"loss/val", "validation_loss"},
                                          Alias{"tokens_per_s", "tokens_per_s"},
                                          Alias{"throughput(tps)", "tokens_per_s"}};
  std::string lower(tag);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Alias& alias : kAliases)
    if (lower == alias.tag) return "{\"canonical\":\"" + std::string(alias.canonical) + "\"}";
  return {};
}

}  // namespace runglass
