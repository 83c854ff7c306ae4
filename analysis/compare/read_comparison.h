// SPDX-License-Identifier: Apache-2.0
// Reads two attempts, or one attempt before and after a step, from a store and compares them.
//
// Threading:  on the thread of the Reader.
// Units:      steps; ns.
// Errors:     the Reader's; NOT_FOUND: no such run or attempt; CANCELLED when `stop` fires. A side without steps is not an error.
// Cost:       the newest kCompareSteps steps of each step series of both sides (about 10 per rank), and the scalars that both have.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/fact_diff.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::int64_t kCompareSteps = 500;

struct CompareChoice {
  RunId run;
  std::optional<std::int32_t> attempt;  // absent: the newest attempt with steps
};
struct CompareQuestion {
  CompareChoice a, b;
  std::optional<std::int64_t> at_step;  // compares a's attempt before this step with from it on; b is then ignored
};

struct ScalarPair {
  std::string tag;
  std::int64_t common = 0;  // equal steps, or equal tokens where the tokens per step differ
  bool by_tokens = false;
  double mean_a = 0, mean_b = 0, last_delta = 0;
  std::int64_t last_step = 0;      // of a
  std::vector<std::int64_t> step;  // at most kCurvePoints, of a
  std::vector<double> a, b;
};
inline constexpr std::size_t kCurvePoints = 2'000, kMaxScalars = 200;

struct ComparisonAnswer {
  Run run_a, run_b;
  std::int32_t attempt_a = 0, attempt_b = 0;
  CompareSide a, b;
  Comparison comparison;
  std::vector<FactDelta> facts;
  std::vector<ScalarPair> scalars;   // the loss first, at most kMaxScalars
  std::size_t scalars_left_out = 0;  // beyond those
  words::Sentence sentence;
};

Result<ComparisonAnswer> readComparison(Reader& reader, const CompareQuestion& question, std::stop_token stop);
// "pretrain", "7", "pretrain/1", "7/0": a run by its id or name, optionally with an attempt.
Result<CompareChoice> chooseSide(Reader& reader, const std::string& text);

}  // namespace runglass
