// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/screenshot.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPixmap>
#include <QTimer>
#include <array>

namespace runglass {
namespace {

constexpr int kPollMs = 10;
constexpr int kSettled = 3;  // polls in a row that must be final: layout and painting follow the last answer
constexpr qint64 kLimitMs = 120'000;
constexpr int kSmallest = 64, kLargest = 16'384;

Status save(const QPixmap& picture, const QString& out) {
  if (picture.save(out, "PNG")) return {};
  return {Code::kPermissionDenied, "screenshot: " + out.toStdString() + ": cannot be written"};
}

}  // namespace

QSize sizeFromText(const QString& text) {
  const QStringList parts = text.split(u'x');
  bool width_ok = false, height_ok = false;
  if (parts.size() != 2) return {};
  const QSize size(parts[0].toInt(&width_ok), parts[1].toInt(&height_ok));
  const auto fits = [](int n) { return n >= kSmallest && n <= kLargest; };
  return width_ok && height_ok && fits(size.width()) && fits(size.height()) ? size : QSize();
}

Status takeScreenshot(const ScreenshotOptions& options) {
  if (!QFileInfo::exists(QString::fromStdString(options.store))) return {Code::kNotFound, "open: " + options.store + ": no such file"};
  Console console({.store = options.store}, options.place, nullptr);
  MainWindow& window = console.window();
  window.resize(options.size);
  window.show();
  Status result(Code::kUnavailable,
                "screenshot: view " + options.place.view + ": not final within " + std::to_string(kLimitMs / 1'000) + " s");
  QElapsedTimer age;
  age.start();
  int settled = 0;
  QTimer poll;
  QObject::connect(&poll, &QTimer::timeout, &console, [&] {
    const bool failed = console.placed() && !console.placed()->ok();
    settled = console.placed() && window.isFinal() ? settled + 1 : 0;
    if (failed) result = *console.placed();
    if (!failed && settled >= kSettled) result = save(window.grab(), options.out);
    if (failed || settled >= kSettled || age.elapsed() > kLimitMs) QCoreApplication::quit();
  });
  poll.start(kPollMs);
  QCoreApplication::exec();
  return result;
}

}  // namespace runglass
