// SPDX-License-Identifier: GPL-3.0-or-later
// StoreEdits: the console's EditPort and OrderPort, through its own hub, the hub of another process, or a temporary Writer.
//
// Threading:  GUI thread. Edits are made on a separate thread, one after the other, or on the hub's.
// Ownership:  the session owns it; the destructor waits for the running edit.
// Errors:     as editStore(), placeOrder() and Writer::edit().
// Cost:       one thread while there are edits.
#pragma once

#include <QThreadPool>
#include <future>
#include <memory>
#include <string>

#include "collectors/wire/control_client.h"
#include "widgets/core/edit_port.h"
#include "widgets/core/order_port.h"

namespace runglass {

struct StoreAccess;

class StoreEdits : public EditPort, public OrderPort {
 public:
  StoreEdits(std::string store, ControlTarget control, std::shared_future<std::shared_ptr<const StoreAccess>> access);
  ~StoreEdits() override;

  QString refusal() const override;
  void submit(Edit edit, QObject* context, std::function<void(const Status&)> done) override;
  void place(Order order, QObject* context, std::function<void(const Result<OrderOutcome>&)> done) override;

 private:
  const std::string m_store;
  const ControlTarget m_control;
  const std::shared_future<std::shared_ptr<const StoreAccess>> m_access;
  QThreadPool m_worker;
};

}  // namespace runglass
