// SPDX-License-Identifier: GPL-3.0-or-later
// Brings what another thread has to say to the GUI thread.
//
// Threading:  called on any thread; what is brought runs on the GUI thread, and only there is the context looked at.
// Ownership:  `context` dead: nothing is called. What was copied into a call lives until then.
// Cost:       one queued event a call.
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

// `call` as any thread may call it.
template <class Value>
std::function<void(const Value&)> onGuiThread(QObject* context, std::function<void(const Value&)> call) {
  return [post = guiThreadOf(context), call = std::move(call)](const Value& value) { post([call, value] { call(value); }); };
}

}  // namespace runglass
