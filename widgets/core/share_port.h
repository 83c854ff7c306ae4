// SPDX-License-Identifier: GPL-3.0-or-later
// SharePort: how a view exports the data of an incident into a separate store, to be shared.
//
// Threading:  GUI thread; the work runs elsewhere, `written` and `done` are called on the GUI thread.
// Ownership:  the program owns it; it outlives the views. `context` dead: nothing is called, and the export ends.
// Units:      bytes.
// Errors:     the Status has the reason why there is no file: ALREADY_EXISTS, a full disk, CANCELLED. A failed export leaves no files.
// Cost:       reads and writes the data of the incident, one export at a time.
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
  // `written`: bytes of the new store so far. `done`: its final size.
  virtual void shareIncident(const std::string& uuid, const std::string& to, std::stop_token stop, QObject* context,
                             std::function<void(std::int64_t)> written, std::function<void(const Result<std::int64_t>&)> done) = 0;
};

}  // namespace runglass
