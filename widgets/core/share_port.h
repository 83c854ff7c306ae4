// SPDX-License-Identifier: GPL-3.0-or-later
// SharePort: how a view writes what an incident needs into a store of its own, to be given to somebody.
//
// Threading:  GUI thread; the work is done elsewhere, `written` and `done` come back on the GUI thread.
// Ownership:  the program owns it; it outlives the views. `context` dead: nothing is called, and the export ends.
// Units:      bytes.
// Errors:     the Status says why there is no file: ALREADY_EXISTS, a full disk, CANCELLED. Nothing is left of an export that failed.
// Cost:       reads and writes what the incident needs, one export at a time.
#pragma once

#include <QObject>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "model/result.h"

namespace runglass {

class SharePort {
 public:
  virtual ~SharePort() = default;
  // `written`: how many bytes the new store has so far. `done`: how many it has.
  virtual void shareIncident(const std::string& uuid, const std::string& to, std::stop_token stop, QObject* context,
                             std::function<void(std::int64_t)> written, std::function<void(const Result<std::int64_t>&)> done) = 0;
};

}  // namespace runglass
