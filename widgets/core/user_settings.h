// SPDX-License-Identifier: GPL-3.0-or-later
// Whether QSettings() is the user's own file: a program without an organization's name, such as a test, keeps nothing.
#pragma once

#include <QCoreApplication>

namespace runglass {

inline bool hasUserSettings() { return !QCoreApplication::organizationName().isEmpty(); }

}  // namespace runglass
