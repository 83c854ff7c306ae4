// SPDX-License-Identifier: GPL-3.0-or-later
// Forwards calls from other threads to the GUI thread.
//
// Threading:  callable on any thread; the forwarded call runs on the GUI thread, and the context is only accessed there.
// Ownership:  if `context` was destroyed, the call is dropped. Values copied into a call live until it has run.
// Cost:       one queued event per call.
#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <functional>
#include <memory>
#include <utility>

namespace runglass {

inline std::function<void(std::function<void()>)> guiThreadOf(QObject* context) {
  return [context = std::make_shared<const QPointer<QObject>>(context)](std::function<void()> call) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [context, call = std::move(call)] {
          if (!context->isNull()) call();
        },
        Qt::QueuedConnection);
  };
}

// Makes `call` callable on any thread.
template <class Value>
std::function<void(const Value&)> onGuiThread(QObject* context, std::function<void(const Value&)> call) {
  return [post = guiThreadOf(context), call = std::move(call)](const Value& value) { post([call, value] { call(value); }); };
}

}  // namespace runglass
