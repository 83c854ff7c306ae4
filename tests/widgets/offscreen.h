// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by all widget test programs: main with an offscreen QApplication; an unexpected qWarning fails the running test.
//
// Threading:  GUI thread; warnings of other threads count too.
// Units:      milliseconds.
// Errors:     waitFor() returns false after its limit.
// Cost:       waitFor() runs the event loop (tests only).
#pragma once

#include <QString>
#include <functional>
#include <ostream>

// Failures print the text, not code units.
inline void PrintTo(const QString& text, std::ostream* out) { *out << '"' << text.toStdString() << '"'; }

namespace runglass {

// While it lives, warnings that contain `part` are expected; it fails if there is none.
class ExpectedWarning {
 public:
  explicit ExpectedWarning(const QString& part);
  ~ExpectedWarning();
  ExpectedWarning(const ExpectedWarning&) = delete;
  ExpectedWarning& operator=(const ExpectedWarning&) = delete;
};

// Runs the event loop until `condition` holds; the limit only ends a broken test.
bool waitFor(const std::function<bool()>& condition, int limit_ms = 60'000);

}  // namespace runglass
