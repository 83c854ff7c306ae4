// SPDX-License-Identifier: GPL-3.0-or-later
// A row of a form for the path of a file, with a button that opens a file dialog.
//
// Threading:  GUI thread.
#pragma once

#include <QString>

class QFormLayout;
class QLineEdit;
class QWidget;

namespace runglass {

QLineEdit* addFileRow(QFormLayout& form, QWidget* parent, const QString& name, const QString& words);

}  // namespace runglass
