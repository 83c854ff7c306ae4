// SPDX-License-Identifier: GPL-3.0-or-later
// OrderPort: how the console asks the tracers of a running job for something, whoever has the hub.
//
// Threading:  GUI thread; the work is done elsewhere, `done` comes back on the GUI thread, seconds later at worst.
// Ownership:  the program owns it; it outlives the views. `context` dead: `done` is not called.
// Units:      as model/orders.h.
// Errors:     the Result says why nobody could be asked; what single nodes said is in the outcome.
// Cost:       one call to the hub.
#pragma once

#include <QObject>
#include <functional>

#include "model/orders.h"
#include "model/result.h"

namespace runglass {

class OrderPort {
 public:
  virtual ~OrderPort() = default;
  virtual void place(Order order, QObject* context, std::function<void(const Result<OrderOutcome>&)> done) = 0;
};

}  // namespace runglass
