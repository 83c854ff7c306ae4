// SPDX-License-Identifier: Apache-2.0
// StepRegimeWatch: which steps can be compared: batch, sequence length and accumulation as the run logs them.
//
// Threading:  one thread.
// Ownership:  borrows the Reader during read().
// Units:      steps; tokens.
// Errors:     the Reader's. A run that logs none of it is one regime an attempt.
// Cost:       a read of each of a few series and call.
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
  // What the run logged of these steps.
  Status read(Reader& reader, const std::vector<StepFrame>& frames, const std::stop_token& stop);
  // True where another regime begins with this step. Steps in order, each once.
  bool begins(const StepFrame& frame);
  // Of the attempt before: what differs from it is another regime, too.
  void goOnFrom(std::map<std::string, double> values) { m_before = std::move(values); }
  // Of the current regime, as far as it is known.
  std::map<std::string, double> values() const;

 private:
  struct Setting {
    SeriesId id;
    std::string tag;
    std::map<std::int64_t, double> reported;  // by step, of the frames at hand
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
  std::optional<Setting> m_tokens;  // a second
  std::vector<double> m_off;        // tokens of the newest steps that do not fit m_tokens->value
  std::map<std::string, double> m_before;
  int m_calls_since_list = 0;
  std::int64_t m_list_at = 0;  // step
  bool m_moved_before = false;
};

}  // namespace runglass
