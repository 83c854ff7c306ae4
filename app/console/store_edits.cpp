// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. `done` is called on the GUI thread, and its context is only accessed there. 2. The store's owner is looked up for each
//             edit: it changes while the window is open.
#include "app/console/store_edits.h"

#include <QCoreApplication>
#include <chrono>

#include "app/cli/store_edit.h"
#include "app/console/gui_thread.h"
#include "app/console/store_session.h"

namespace runglass {
namespace {

struct EditText {
  Q_DECLARE_TR_FUNCTIONS(EditText)
};

template <class Answer>
using Done = std::function<void(const Answer&)>;

}  // namespace

StoreEdits::StoreEdits(std::string store, ControlTarget control, std::shared_future<std::shared_ptr<const StoreAccess>> access)
    : m_store(std::move(store)), m_control(std::move(control)), m_access(std::move(access)) {
  m_worker.setMaxThreadCount(1);
}

StoreEdits::~StoreEdits() { m_worker.waitForDone(); }

QString StoreEdits::refusal() const {
  if (m_access.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return EditText::tr("The store is being opened.");
  return m_access.get()->writable ? QString() : EditText::tr("This store is read-only.");
}

void StoreEdits::submit(Edit edit, QObject* context, Done<Status> done) {
  m_worker.start([this, edit = std::move(edit), answer = onGuiThread(context, std::move(done))] {
    const std::shared_ptr<const StoreAccess>& access = m_access.get();
    if (!access->failed.ok()) return answer(access->failed);
    if (!access->writable) return answer({Code::kPermissionDenied, "cannot edit store: " + m_store + ": it is read-only"});
    if (!access->hub) return answer(editStore(m_store, edit, m_control));
    access->hub->post([edit, answer](Writer& writer) { answer(writer.edit(edit)); });
  });
}

void StoreEdits::place(Order order, QObject* context, Done<Result<OrderOutcome>> done) {
  m_worker.start([this, order = std::move(order), answer = onGuiThread(context, std::move(done))] {
    const std::shared_ptr<const StoreAccess>& access = m_access.get();
    if (!access->failed.ok()) return answer(access->failed);
    if (!access->hub) return answer(placeOrder(m_store, order, m_control));
    access->hub->order(order, answer);
  });
}

}  // namespace runglass
