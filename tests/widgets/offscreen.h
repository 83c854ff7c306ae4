// SPDX-License-Identifier: GPL-3.0-or-later
// What every widget test program shares: main with an offscreen QApplication; an unexpected qWarning fails the running test.
//
// Threading:  GUI thread; warnings of other threads count too.
// Units:      milliseconds.
// Errors:     waitFor() returns false after its limit.
// Cost:       waitFor() spins the event loop (tests only).
#pragma once

#include <QString>
#include <functional>
#include <ostream>

// Failures print text, not code units.
inline void PrintTo(const QString& text, std::ostream* out) { *out << '"' << text.toStdString() << '"'; }

namespace runglass {

// While it lives, warnings that contain `part` are expected; none coming is a failure.
class ExpectedWarning {
 public:
  explicit ExpectedWarning(const QString& part);
  ~ExpectedWarning();
  ExpectedWarning(const ExpectedWarning&) = delete;
  ExpectedWarning& operator=(const ExpectedWarning&) = delete;
};

// Runs the event loop until `condition` holds; the limit only bounds a broken test.
bool waitFor(const std::function<bool()>& condition, int limit_ms = 60'000);

}  // namespace runglass
