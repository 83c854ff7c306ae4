// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/offscreen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <mutex>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

struct Expectation {
  std::mutex mutex;
  QString part;
  int hits = 0;
};

Expectation& expectation() {
  static Expectation e;
  return e;
}

void onMessage(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (type == QtDebugMsg || type == QtInfoMsg) return;
  if (message.startsWith(QLatin1String("This plugin does not support "))) return;  // the offscreen platform, about itself
  {
    Expectation& e = expectation();
    const std::lock_guard lock(e.mutex);
    if (!e.part.isEmpty() && message.contains(e.part)) {
      ++e.hits;
      return;
    }
  }
  ADD_FAILURE() << "unexpected Qt message: " << message.toStdString();
}

}  // namespace

ExpectedWarning::ExpectedWarning(const QString& part) {
  const std::lock_guard lock(expectation().mutex);
  expectation().part = part;
  expectation().hits = 0;
}

ExpectedWarning::~ExpectedWarning() {
  const std::lock_guard lock(expectation().mutex);
  EXPECT_GT(expectation().hits, 0) << "expected a warning with: " << expectation().part.toStdString();
  expectation().part.clear();
}

bool waitFor(const std::function<bool()>& condition, int limit_ms) { return QTest::qWaitFor(condition, limit_ms); }

}  // namespace runglass

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir runtime;
  qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
  qputenv("XDG_CONFIG_HOME", runtime.path().toUtf8());
  testing::InitGoogleMock(&argc, argv);
  QApplication app(argc, argv);
  QStandardPaths::setTestModeEnabled(true);
  runglass::applyTheme(app, runglass::ThemeName::kDark);
  qInstallMessageHandler(runglass::onMessage);
  return RUN_ALL_TESTS();
}
