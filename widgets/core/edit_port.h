// SPDX-License-Identifier: GPL-3.0-or-later
// EditPort: how a view adds notes and alignments to the store, whoever writes it.
//
// Threading:  GUI thread; the work is done elsewhere, `done` comes back on the GUI thread, at once or later.
// Ownership:  the program owns it; it outlives the views. `context` dead: `done` is not called, the edit is made all the same.
// Units:      none.
// Errors:     the Status says why an edit was not made (nobody writes the store, the disk is full). Nothing is half made.
// Cost:       one hop to the store's writer and back.
#pragma once

#include <QObject>
#include <functional>

#include "model/edits.h"
#include "model/result.h"

namespace runglass {

class EditPort {
 public:
  virtual ~EditPort() = default;
  // Empty: edits can be made. Else why not, in words for a tip ("This store is read-only.").
  virtual QString refusal() const = 0;
  virtual void submit(Edit edit, QObject* context, std::function<void(const Status&)> done) = 0;
};

}  // namespace runglass
