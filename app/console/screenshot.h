// SPDX-License-Identifier: GPL-3.0-or-later
// Screenshot: one view as a PNG, once every panel is final.
//
// Threading:  GUI thread; runs the event loop.
// Units:      pixels.
// Errors:     NOT_FOUND, FAILED_PRECONDITION, ...: the store or the place; UNAVAILABLE: a panel did not become final within the time limit,
//             or the hub is unreachable; PERMISSION_DENIED: the file cannot be written.
// Cost:       the view's queries.
#pragma once

#include <QSize>
#include <QString>

#include "app/console/console.h"

namespace runglass {

struct ScreenshotOptions {
  SessionOptions session;  // with a hub: once the replica has all its data
  Place place;
  QSize size{1'920, 1'080};
  QString out;
};

// "1920x1080"; an invalid size for anything else.
QSize sizeFromText(const QString& text);
Status takeScreenshot(const ScreenshotOptions& options);

}  // namespace runglass
