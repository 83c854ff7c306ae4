// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/file_row.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>

namespace runglass {
namespace {

struct FileRow {
  Q_DECLARE_TR_FUNCTIONS(FileRow)
};

}  // namespace

QLineEdit* addFileRow(QFormLayout& form, QWidget* parent, const QString& name, const QString& words) {
  auto* line = new QLineEdit(parent);
  line->setPlaceholderText(words);
  auto* choose = new QPushButton(FileRow::tr("Choose …"), parent);
  choose->setAutoDefault(false);
  choose->setAccessibleName(FileRow::tr("Choose: %1").arg(name));
  QObject::connect(choose, &QPushButton::clicked, parent, [parent, line, name] {
    auto* dialog = new QFileDialog(parent, name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, line, &QLineEdit::setText);
    dialog->open();
  });
  auto* row = new QHBoxLayout;
  row->addWidget(line, 1);
  row->addWidget(choose);
  form.addRow(name, row);
  return line;
}

}  // namespace runglass
