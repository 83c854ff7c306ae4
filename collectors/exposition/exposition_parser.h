// SPDX-License-Identifier: Apache-2.0
// ExpositionParser: lines of the Prometheus text format 0.0.4 and of OpenMetrics 1.0.
//
// Threading:  one thread.
// Ownership:  a Sample's texts are valid until the next line(), and as long as its text.
// Units:      TimeNs; values as exposed.
// Errors:     kBad: the line is neither; nothing of it is kept. Types of more than kMaxFamilies families are not kept.
// Cost:       O(line); no allocation for a sample without escapes once warm.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/time.h"

namespace runglass {

class ExpositionParser {
 public:
  static constexpr std::size_t kMaxFamilies = 65'536, kMaxLabels = 128;
  enum class Line : std::uint8_t { kBlank, kSample, kType, kHelp, kUnit, kComment, kEnd, kBad };
  // Of times: the text format prints whole milliseconds, OpenMetrics seconds. kGuess: seconds where there is a point, else by size.
  enum class Clock : std::uint8_t { kGuess, kMilliseconds, kSeconds };
  struct Sample {
    std::string_view name;
    std::string_view key;                                               // name and labels as they stand in the line
    std::vector<std::pair<std::string_view, std::string_view>> labels;  // unescaped, in the order of the line
    double value = 0;
    std::optional<TimeNs> time;
    bool exemplar = false;  // one stands behind the value
  };

  explicit ExpositionParser(Clock clock = Clock::kGuess) : m_clock(clock) {}
  Line line(std::string_view text);
  const Sample& sample() const { return m_sample; }
  // "counter", "gauge", "histogram", "summary", "untyped", ...; "" where no TYPE line named the family of this sample.
  std::string_view typeOf(std::string_view metric) const;
  const std::map<std::string, std::string, std::less<>>& types() const { return m_types; }

 private:
  Line comment(std::string_view text);
  bool labels(std::string_view& rest);
  bool time(std::string_view text);

  Clock m_clock;
  Sample m_sample;
  std::string m_unescaped;  // what escapes stood for; reserved before views are taken
  std::map<std::string, std::string, std::less<>> m_types;
};

}  // namespace runglass
