// SPDX-License-Identifier: GPL-3.0-or-later
// RepairPort: how the frame makes a repaired copy of a damaged store; the application does the work.
//
// Threading:  GUI thread; no call waits for the copy, start() asks the file systems of store and TMPDIR for their sizes.
// Ownership:  outlives the window.
// Errors:     reported by `failed`, one line.
#pragma once

#include <QString>
#include <cstdint>
#include <functional>

class QObject;

namespace runglass {

class RepairPort {
 public:
  virtual ~RepairPort() = default;
  // When the copy is complete it is opened in another window, which replaces this one. `failed` is not called after `context` is gone.
  virtual void start(QObject* context, std::function<void(const QString& why)> failed) = 0;
  virtual void cancel() = 0;
  virtual std::int64_t writtenBytes() const = 0;
  virtual QString command() const = 0;  // makes a copy that is kept
};

}  // namespace runglass
