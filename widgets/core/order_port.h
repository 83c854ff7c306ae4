// SPDX-License-Identifier: GPL-3.0-or-later
// OrderPort: how the console sends commands to the tracers of a running job, independent of which process holds the connection to the hub.
//
// Threading:  GUI thread; the work runs elsewhere, `done` is called on the GUI thread, within seconds.
// Ownership:  the program owns it; it outlives the views. `context` dead: `done` is not called.
// Units:      as model/orders.h.
// Errors:     the Result has the reason why no tracer could be reached; replies of single nodes are in the outcome.
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
