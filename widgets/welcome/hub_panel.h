// SPDX-License-Identifier: GPL-3.0-or-later
// HubPanel: asks for the hub whose store this window should replicate, and for its credentials; earlier hubs are one click away.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Errors:     an invalid address cannot be submitted; other errors are reported when connecting.
#pragma once

#include <QWidget>

#include "widgets/welcome/hub_address.h"

class QLineEdit;
class QPushButton;

namespace runglass {

class HubPanel : public QWidget {
  Q_OBJECT

 public:
  explicit HubPanel(const KnownHubs& known, QWidget* parent = nullptr);

  HubAddress asked() const;
  void fill(const HubAddress& hub);

 signals:
  void connectRequested(const HubAddress& hub);

 private:
  void updateButton();

  QLineEdit *m_address, *m_token, *m_ca, *m_cert, *m_key;
  QPushButton* m_connect;
};

}  // namespace runglass
