// SPDX-License-Identifier: Apache-2.0
// StepRegimeWatch: which steps are comparable: batch size, sequence length and gradient accumulation as logged by the run.
//
// Threading:  one thread.
// Ownership:  borrows the Reader during read().
// Units:      steps; tokens.
// Errors:     the Reader's. A run that logs none of these has one regime per attempt.
// Cost:       one read of each of a few series per call.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/steps/step_frame.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

class StepRegimeWatch {
 public:
  explicit StepRegimeWatch(const Attempt& attempt) : m_attempt(attempt.id) {}
  // Reads the values that the run logged for these steps.
  Status read(Reader& reader, const std::vector<StepFrame>& frames, const std::stop_token& stop);
  // Whether another regime begins with this step. Call in step order, once per step.
  bool begins(const StepFrame& frame);
  // The values of the previous attempt: a difference from them is another regime, too.
  void goOnFrom(std::map<std::string, double> values) { m_before = std::move(values); }
  // Known values of the current regime.
  std::map<std::string, double> values() const;

 private:
  struct Setting {
    SeriesId id;
    std::string tag;
    std::map<std::int64_t, double> reported;  // by step, of the current frames
    std::optional<double> value;
    bool caught_up = false;
  };
  Status list(Reader& reader);
  // A setting that is found only now may have changed already.
  Status catchUp(Reader& reader, Setting& found, std::int64_t first_step, const std::stop_token& stop);
  std::optional<double> before(const std::string& tag) const;
  bool tokensMoved(const StepFrame& frame);

  AttemptId m_attempt;
  std::vector<Setting> m_settings;
  std::optional<Setting> m_tokens;  // per second
  std::vector<double> m_off;        // tokens of the newest steps that do not fit m_tokens->value
  std::map<std::string, double> m_before;
  int m_calls_since_list = 0;
  std::int64_t m_list_at = 0;  // step
  bool m_moved_before = false;
};

}  // namespace runglass
