// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/screenshot.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPixmap>
#include <QTimer>
#include <array>

#include "app/cli/hub_problem.h"
#include "model/time_text.h"

namespace runglass {
namespace {

constexpr int kPollMs = 10;
constexpr int kSettled = 3;  // consecutive polls that must be final: layout and painting follow the last answer
constexpr int kSettledLive = 10;
constexpr qint64 kAskedAgainMs = 500;  // by this time after the first data, the views have queried it: they refresh five times a second
constexpr qint64 kLimitMs = 120'000, kPatienceMs = 15'000;
constexpr int kSmallest = 64, kLargest = 16'384;

Status save(const QPixmap& picture, const QString& out) {
  if (picture.save(out, "PNG")) return {};
  return {Code::kPermissionDenied, "screenshot: " + out.toStdString() + ": cannot be written"};
}

// OK: all data is here. UNAVAILABLE: data may still arrive. Else: why it does not.
Status arrived(const Console& console, const ScreenshotOptions& options, qint64 waited_ms) {
  const std::optional<MirrorStatus> hub = console.followed();
  if (!options.session.follow || (hub && hub->caught_up)) return {};
  const bool hopeless = hub && (hub->refused || (hub->connections == 0 && !hub->problem.empty() && waited_ms > kPatienceMs));
  if (!hopeless) return {Code::kUnavailable, "on its way"};
  return {Code::kFailedPrecondition, "screenshot: " + hubProblemText(hub->code, hub->problem, options.session.follow->hub)};
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
  const std::string& store = options.session.store;
  if (!options.session.follow && !QFileInfo::exists(QString::fromStdString(store)))
    return {Code::kNotFound, "open: " + store + ": no such file"};
  Console console(options.session, options.place, nullptr);
  MainWindow& window = console.window();
  window.setMinimumSize(1, 1);  // a picture has the size that was asked for
  window.resize(options.size);
  window.show();
  Status result(Code::kUnavailable, "screenshot: view " + options.place.view + ": not final within " + durationText(kLimitMs * kNsPerMs));
  QElapsedTimer age;
  age.start();
  // Views have not yet queried the newest data.
  const int wanted = options.session.follow ? kSettledLive : kSettled;
  int settled = 0;
  QElapsedTimer here_for;
  here_for.start();
  QTimer poll;
  QObject::connect(&poll, &QTimer::timeout, &console, [&] {
    const Status here = arrived(console, options, age.elapsed());
    if (!here.ok()) here_for.restart();
    const bool fresh = !options.session.follow || here_for.elapsed() > kAskedAgainMs;
    const bool lost = !here.ok() && here.code() != Code::kUnavailable;
    const bool failed = lost || (console.placed() && !console.placed()->ok());
    settled = console.placed() && here.ok() && fresh && window.isFinal() ? settled + 1 : 0;
    if (failed) result = lost ? here : *console.placed();
    if (!failed && settled >= wanted) result = save(window.grab(), options.out);
    if (failed || settled >= wanted || age.elapsed() > kLimitMs) QCoreApplication::quit();
  });
  poll.start(kPollMs);
  QCoreApplication::exec();
  return result;
}

}  // namespace runglass
