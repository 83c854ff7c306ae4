// SPDX-License-Identifier: Apache-2.0
// The recorded facts about a run's model, job and machine, as inputs of the estimators.
//
// Threading:  on the thread of the Reader.
// Units:      as the estimators.
// Errors:     the Reader's. Values that are not recorded are absent.
// Cost:       one read of the attempt's facts, ranks and devices; optionally its summary.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "analysis/estimate/memory.h"
#include "analysis/run_summary/run_summary.h"
#include "model/device_catalog.h"
#include "storage/reader.h"

namespace runglass {

struct RunFacts {
  std::map<std::string, std::string> options;
  std::optional<double> parameters;
  std::optional<double> layers, hidden, heads, sequence, micro_batch, global_batch;
  std::optional<double> train_steps, train_samples, train_tokens;
  std::optional<int> zero;
  std::optional<Recompute> recompute;
  std::optional<bool> sequence_parallel;
  Layout layout;
  std::string device_model;            // of all ranks; empty: unknown, or several models
  const DeviceSpec* device = nullptr;  // entry in the catalogue
  std::optional<double> peak_flops_per_s;
  std::string peak_source;
  // Samples per step times sequence length.
  std::optional<double> tokensPerStep() const;
};

// Of this attempt; facts that only earlier attempts recorded are not used.
Result<RunFacts> readRunFacts(Reader& reader, const Attempt& attempt);
RunFacts runFactsOf(std::span<const Fact> facts);  // without layout and device

}  // namespace runglass
