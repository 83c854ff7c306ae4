// SPDX-License-Identifier: GPL-3.0-or-later
// ConnectPanel: the location of the trainers, and the commands for it, each with a copy button.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Errors:     none: a hub that cannot listen reports it in the window that tries.
// Cost:       a few labels.
#pragma once

#include <QWidget>

#include "widgets/welcome/connect_commands.h"

class QComboBox;
class QFormLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace runglass {

class ConnectPanel : public QWidget {
  Q_OBJECT

 public:
  ConnectPanel(const QString& store, const QString& secrets, const QStringList& hosts, QWidget* parent = nullptr);

  ConnectQuestion question() const;
  void setWhere(TrainersWhere where);

 signals:
  void listenRequested(const ListenOptions& hub);

 private:
  void showCommands();

  const QString m_secrets;
  QComboBox *m_where, *m_host;
  QLineEdit* m_store;
  QSpinBox* m_port;
  QPushButton* m_listen = nullptr;
  QFormLayout* m_form = nullptr;
  QVBoxLayout* m_blocks;
};

}  // namespace runglass
