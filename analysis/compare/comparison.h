// SPDX-License-Identifier: Apache-2.0
// Compares two ranges of training steps: which part of a step became longer, on which nodes, and whether the difference exceeds noise. The
// kernel.
//
// Parts are means over all steady steps of all ranks: means are linear, so that the differences of the parts and of the remainder sum
// exactly to the difference of the mean step time (medians would not). The interval of that difference is Welch's for unequal variances
// (Welch, "The generalization of 'Student's' problem when several different population variances are involved", Biometrika 34, 1947), over
// steps, each the mean of its ranks. Consecutive steps are not independent, so that it is a lower bound of the true uncertainty.
//
// Threading:  pure; any thread.
// Units:      ns; tokens; ratios.
// Errors:     without steps on a side there is no difference; a value that one side does not record is absent.
// Cost:       O(ranks x parts + steps).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/words/sentence.h"

namespace runglass {

struct RankMeans {
  std::int32_t rank = 0;
  std::string node;                        // empty: unknown
  std::int64_t steps = 0;                  // steady
  double sum_ns = 0;                       // of their durations
  std::map<std::string, double> parts_ns;  // sums; measured waiting splits a part into "NAME" and "NAME wait"; empty: not recorded
  double waited_ns = 0;                    // of all parts
  bool waits_reported = false;
};

// Settings that must be equal for step times to be comparable.
struct Regime {
  std::optional<double> world, global_batch, sequence;
  std::optional<double> tokensPerStep() const;
};

struct CompareSide {
  words::Sentence name;  // "pretrain / 1, steps 300 to 499"
  std::vector<RankMeans> ranks;
  std::map<std::int64_t, std::pair<double, std::int64_t>> by_step;  // sum of durations and number of ranks
  std::int64_t left_out = 0;  // steps of a rank left out: not steady, stalled, or disturbed by traces and captures
  Regime regime;
};

struct PartDelta {
  std::string part;  // "not in a part" for the remainder
  std::optional<double> a_ns, b_ns;
  double delta_ns() const { return b_ns.value_or(0) - a_ns.value_or(0); }
};

struct WorkDelta {
  std::string node;
  std::optional<std::int32_t> rank;
  std::optional<double> a_ns, b_ns;  // mean own work per step: its duration without measured waiting; absent: not on that side
  std::optional<double> change() const;
};

struct Comparison {
  std::int64_t steps_a = 0, steps_b = 0;
  std::optional<double> mean_a_ns, mean_b_ns, median_a_ns, median_b_ns;
  std::optional<double> delta_ns, low_ns, high_ns;  // of the means, with its 95 % interval
  std::vector<PartDelta> parts;                     // by |difference|, largest first; they sum to delta_ns
  bool parts_reported = false;                      // both sides record parts
  std::optional<double> token_a_ns, token_b_ns;     // mean step ÷ tokens of a step
  bool token_differs = false;                       // beyond 95 % of the noise
  std::vector<words::Sentence> warnings;            // reasons why step times are not comparable
  std::vector<WorkDelta> nodes, ranks;              // largest change first; those on one side only last
  std::vector<std::string> nodes_in, nodes_out;     // only in B; only in A
  bool work_is_whole_step = false;                  // no waiting was measured: own work identifies no slow rank
  bool differs() const { return low_ns && high_ns && (*low_ns > 0 || *high_ns < 0); }
};

Comparison compareSides(const CompareSide& a, const CompareSide& b);
// A side within a sentence, and at its beginning.
struct SideName {
  words::Arg inside, first;
};
words::Message comparisonSentence(const Comparison& comparison, const SideName& a, const SideName& b);

}  // namespace runglass
