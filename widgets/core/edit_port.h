// SPDX-License-Identifier: GPL-3.0-or-later
// EditPort: how a view adds notes and alignments to the store, independent of which process writes it.
//
// Threading:  GUI thread; the work runs elsewhere, `done` is called on the GUI thread, at once or later.
// Ownership:  the program owns it; it outlives the views. `context` dead: `done` is not called, but the edit is made.
// Errors:     the Status has the reason why an edit was not made (no process writes the store, the disk is full). An edit is made
//             completely or not at all.
// Cost:       one round trip to the store's writer.
#pragma once

#include <QObject>
#include <functional>

#include "model/edits.h"
#include "model/result.h"

namespace runglass {

class EditPort {
 public:
  virtual ~EditPort() = default;
  // Empty: edits are possible. Otherwise the reason, as a tooltip ("This store is read-only.").
  virtual QString refusal() const = 0;
  virtual void submit(Edit edit, QObject* context, std::function<void(const Status&)> done) = 0;
};

}  // namespace runglass
