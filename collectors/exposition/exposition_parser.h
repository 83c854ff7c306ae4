// SPDX-License-Identifier: Apache-2.0
// ExpositionParser: parses lines of the Prometheus text format 0.0.4 and of OpenMetrics 1.0.
//
// Threading:  one thread.
// Ownership:  a Sample's texts are valid until the next line(), and no longer than the line's own text.
// Units:      TimeNs; values as exposed.
// Errors:     kBad: the line is neither format; nothing of it is kept. At most kMaxFamilies family types are kept.
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

// A sample's value: Go's syntax of a float, with NaN, +Inf and -Inf. nullopt: none.
std::optional<double> exposedNumber(std::string_view text);

class ExpositionParser {
 public:
  static constexpr std::size_t kMaxFamilies = 65'536, kMaxLabels = 128;
  enum class Line : std::uint8_t { kBlank, kSample, kType, kHelp, kUnit, kComment, kEnd, kBad };
  // Unit of timestamps: milliseconds in the text format, seconds in OpenMetrics. kGuess: seconds if there is a decimal point, else by size.
  enum class Clock : std::uint8_t { kGuess, kMilliseconds, kSeconds };
  struct Sample {
    std::string_view name;
    std::string_view key;                                               // name and labels exactly as in the line
    std::vector<std::pair<std::string_view, std::string_view>> labels;  // unescaped, in the order of the line
    double value = 0;
    std::optional<TimeNs> time;
    bool exemplar = false;  // an exemplar follows the value
  };

  explicit ExpositionParser(Clock clock = Clock::kGuess) : m_clock(clock) {}
  Line line(std::string_view text);
  const Sample& sample() const { return m_sample; }
  // "counter", "gauge", "histogram", "summary", "untyped", ...; "" where no TYPE line declares the family of this sample.
  std::string_view typeOf(std::string_view metric) const;
  const std::map<std::string, std::string, std::less<>>& types() const { return m_types; }

 private:
  Line comment(std::string_view text);
  bool labels(std::string_view& rest);
  bool time(std::string_view text);

  Clock m_clock;
  Sample m_sample;
  std::string m_unescaped;  // unescaped texts; reserved before views of it are taken
  std::map<std::string, std::string, std::less<>> m_types;
};

}  // namespace runglass
