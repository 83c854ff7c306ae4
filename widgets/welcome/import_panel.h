// SPDX-License-Identifier: GPL-3.0-or-later
// ImportPanel: select or drop files and folders, see the type of each, and create a store from them.
//
// Threading:  GUI thread; reading is the StoreMaker's.
// Ownership:  a plain widget; the StoreMaker outlives it.
// Units:      bytes.
// Errors:     an unrecognized file is a row with its reason; a failed import is reported next to its button.
// Cost:       a table of the listed files.
#pragma once

#include <QWidget>

#include "widgets/core/table_model.h"
#include "widgets/welcome/store_maker.h"

class QLabel;
class QLineEdit;

namespace runglass {

class MakingLine;
class TableView;

class ImportPanel : public QWidget {
  Q_OBJECT

 public:
  ImportPanel(StoreMaker& maker, const QString& folder, QWidget* parent = nullptr);

  void offer(const QStringList& paths);
  bool isBusy() const;

 signals:
  void made(const QString& store);

 private:
  void choose(bool folder);
  void showListing(const Result<ImportListing>& listing);
  void start();

  StoreMaker& m_maker;
  const QString m_folder;
  QStringList m_paths;
  bool m_listing = false;
  QLabel* m_words;
  QLineEdit* m_store;
  QWidget* m_target;
  TableModel<ImportRow>* m_model;
  TableView* m_table;
  MakingLine* m_line;
};

}  // namespace runglass
