// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/hub_panel.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <cstdint>
#include <limits>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/welcome/file_row.h"

namespace runglass {
namespace {

constexpr int kMaxKnown = 8;

QLabel* hubLabel(const QString& text, QWidget* parent, bool muted = false) {
  auto* made = new QLabel(text, parent);
  made->setTextFormat(Qt::PlainText);
  made->setWordWrap(true);
  if (muted) made->setForegroundRole(QPalette::PlaceholderText);
  return made;
}

// "login1:7070   with a token and a CA"
QString knownWords(const HubAddress& hub) {
  QStringList shown;
  if (!hub.token_file.isEmpty()) shown << QObject::tr("a token");
  if (!hub.tls_cert.isEmpty()) shown << QObject::tr("a certificate");
  if (!hub.tls_ca.isEmpty()) shown << QObject::tr("a CA");
  const QString address = screenText(hub.address.toStdString(), 100);
  return shown.isEmpty() ? address : QObject::tr("%1   with %2").arg(address, shown.join(QObject::tr(" and ")));
}

}  // namespace

bool isHubAddress(const QString& text) {
  if (text.startsWith(QLatin1String("unix:"))) return text.size() > 5;
  const qsizetype colon = text.lastIndexOf(u':');
  const QString host = text.left(std::max<qsizetype>(colon, 0));
  // An IPv6 address contains colons: without brackets the port is ambiguous.
  const bool bracketed = host.startsWith(u'[') && host.endsWith(u']') && host.size() > 2;
  bool number = false;
  const int port = text.mid(colon + 1).toInt(&number);
  return !host.isEmpty() && (bracketed || !host.contains(u':')) && !text.contains(u' ') && number && port > 0 &&
         port <= std::numeric_limits<std::uint16_t>::max();
}

HubPanel::HubPanel(const KnownHubs& known, QWidget* parent)
    : QWidget(parent), m_address(new QLineEdit(this)), m_connect(new QPushButton(tr("Connect"), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2 * kGrid);
  column->addWidget(
      hubLabel(tr("The hub runs elsewhere; this window replicates it over one connection and reconnects after cuts. The replica "
                  "is in %1 and continues next time.")
                   .arg(known.folder),
               this));
  auto* form = new QFormLayout;
  form->setSpacing(2 * kGrid);
  m_address->setPlaceholderText(QStringLiteral("HOST:7070, 127.0.0.1:7070, unix:/home/me/hub.sock"));
  form->addRow(tr("Hub"), m_address);
  m_token = addFileRow(*form, this, tr("Token file"), tr("readers/NAME/token of runglassctl pair; mode 0600"));
  m_ca = addFileRow(*form, this, tr("CA of its certificate"),
                    tr("readers/NAME/ca.pem; without it only hubs of this machine and tunnels to it"));
  m_cert = addFileRow(*form, this, tr("Own certificate"), tr("if the hub requires one instead of a token"));
  m_key = addFileRow(*form, this, tr("Its key"), {});
  m_connect->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  form->addRow(QString(), m_connect);
  column->addLayout(form);
  column->addWidget(hubLabel(tr("A socket and the end of an ssh tunnel need no CA. Commands: Connect a cluster."), this, true));
  if (!known.hubs.empty()) {
    column->addSpacing(3 * kGrid);
    column->addWidget(hubLabel(tr("Followed before"), this));
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(known.hubs.size(), kMaxKnown); ++i) {
    auto* again = new QPushButton(knownWords(known.hubs[i]), this);
    again->setProperty("nav", true);
    again->setAutoDefault(false);
    connect(again, &QPushButton::clicked, this, [this, hub = known.hubs[i]] {
      fill(hub);
      emit connectRequested(hub);
    });
    column->addWidget(again);
  }
  column->addStretch(1);
  connect(m_address, &QLineEdit::textChanged, this, &HubPanel::updateButton);
  const auto ask = [this] {
    if (m_connect->isEnabled()) emit connectRequested(asked());
  };
  connect(m_connect, &QPushButton::clicked, this, ask);
  connect(m_address, &QLineEdit::returnPressed, this, ask);
  if (!known.hubs.empty()) fill(known.hubs.front());
  updateButton();
}

HubAddress HubPanel::asked() const {
  return {.address = m_address->text().trimmed(),
          .token_file = m_token->text().trimmed(),
          .tls_ca = m_ca->text().trimmed(),
          .tls_cert = m_cert->text().trimmed(),
          .tls_key = m_key->text().trimmed()};
}

void HubPanel::fill(const HubAddress& hub) {
  m_address->setText(hub.address);
  m_token->setText(hub.token_file);
  m_ca->setText(hub.tls_ca);
  m_cert->setText(hub.tls_cert);
  m_key->setText(hub.tls_key);
}

void HubPanel::updateButton() {
  const QString address = m_address->text().trimmed();
  m_connect->setEnabled(isHubAddress(address));
  m_connect->setToolTip(address.isEmpty() || isHubAddress(address) ? QString() : tr("A hub is HOST:PORT or unix:PATH"));
}

}  // namespace runglass
