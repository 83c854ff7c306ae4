// SPDX-License-Identifier: Apache-2.0
// What a run said of its model, its job and its machine, in the words of the estimators: their inputs, filled from what arrived.
//
// Threading:  on the thread of the Reader.
// Ownership:  values.
// Units:      as the estimators.
// Errors:     the Reader's. What nobody said is absent.
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
  std::string device_model;            // of all ranks; empty: not known, or several kinds
  const DeviceSpec* device = nullptr;  // in the catalogue
  std::optional<double> peak_flops_per_s;
  std::string peak_source;
  // Samples of a step times their length.
  std::optional<double> tokensPerStep() const;
};

// Of the attempt; facts that only earlier attempts said are not taken over.
Result<RunFacts> readRunFacts(Reader& reader, const Attempt& attempt);
RunFacts runFactsOf(std::span<const Fact> facts);  // without layout and device

}  // namespace runglass
