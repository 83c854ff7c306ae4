// SPDX-License-Identifier: GPL-3.0-or-later
// RunSummary: one run in one line, read once for the run strip and the run list.
//
// Threading:  readRunSummary() on a query worker; the value is immutable afterwards.
// Ownership:  plain value.
// Units:      TimeNs, steps; tokens per second; FLOP/s over dense peak FLOP/s.
// Errors:     the Reader's. What the store does not know stays absent.
// Cost:       a few catalogue reads and two scalar reads of at most kThroughputSteps points.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "model/result.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

// How fast the newest attempt goes: medians of its newest kRecentSteps. What no series says stays absent.
struct Throughput {
  std::optional<double> tokens_per_s, tokens_per_gpu;  // of the whole job; of one GPU
  std::string tokens_tag;                              // the series they came from
  // tokens over the attempt's best earlier kRecentSteps in a row, minus 1: a run that is slow for long does not become its own measure.
  std::optional<double> change;
  std::optional<double> mfu;  // model FLOP/s over the device's dense peak
  QString mfu_source;         // numerator and denominator in words
};

struct RunSummary {
  Run run;
  std::vector<Attempt> attempts;  // by number
  std::optional<std::int64_t> last_step;
  std::optional<double> loss;
  std::string loss_tag;  // the series it came from
  Throughput throughput;
  std::array<int, 5> findings{};  // by Severity
  int nodes_heard = 0, nodes_total = 0;
  std::optional<Checkpoint> checkpoint;  // the newest durable one
  std::optional<TimeNs> first_data, last_data;
};

inline constexpr std::int64_t kRecentSteps = 20;
inline constexpr std::int64_t kThroughputSteps = 2'000;

Result<RunSummary> readRunSummary(Reader& reader, const Run& run, std::stop_token stop);
// The run with this id, else (id 0) the one that is running or started last; NOT_FOUND in an empty store.
Result<Run> chooseRun(Reader& reader, RunId wanted);

// Sorts out `values`' not finite ones; absent when nothing is left. The upper of the two middle ones.
std::optional<double> median(std::vector<double> values);

// Words for people. `now` decides whether a run that calls itself running is silent.
struct StateWord {
  QString word;       // "running", "silent", "finished", "failed", "stalled", "unknown"
  Severity severity;  // of the deviation: info when all is well
};
StateWord stateWord(const RunSummary& summary, TimeNs now);
// "MFU 41.2 %" when its source is known, else "1.03 M tokens/s" or "870 tokens/s per GPU"; kAbsentText.
QString throughputText(const Throughput& throughput);
QString throughputWhy(const Throughput& throughput);  // source and rule, one or two sentences
QString layoutText(const Layout& layout);             // "TP 2 · PP 2 · DP 2 (8 ranks)"; kAbsentText when unknown

}  // namespace runglass
