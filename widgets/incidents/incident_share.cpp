// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_share.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr int kNameChars = 60;

// A title as part of a file name that is valid on any system.
QString fileNameOf(const QString& title) {
  static const QRegularExpression kOdd(QStringLiteral("[^A-Za-z0-9]+"));
  QString name = title.left(kNameChars).toLower();
  name.replace(kOdd, QStringLiteral("-"));
  while (name.startsWith(u'-')) name.remove(0, 1);
  while (name.endsWith(u'-')) name.chop(1);
  return (name.isEmpty() ? QStringLiteral("incident") : name) + QStringLiteral(".rgl");
}

}  // namespace

IncidentShare::IncidentShare(SharePort* port, QWidget* parent)
    : QWidget(parent),
      m_port(port),
      m_report(new QPushButton(tr("Export report …"), this)),
      m_export(new QPushButton(this)),
      m_cancel(new QPushButton(tr("Cancel"), this)),
      m_undo(new QPushButton(tr("Undo"), this)),
      m_delete(new QPushButton(tr("Delete …"), this)),
      m_keep(new QPushButton(tr("Keep it"), this)),
      m_words(new QLabel(this)) {
  m_words->setTextFormat(Qt::PlainText);
  m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_words->setFont(tableFont());
  m_words->setMinimumWidth(0);
  m_words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_report->setToolTip(tr("Report as PDF, HTML, Markdown or JSON, with preview and redaction"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  row->setSpacing(2 * kGrid);
  for (QPushButton* push : {m_report, m_export, m_cancel}) row->addWidget(push);
  row->addWidget(m_words, 1);
  for (QPushButton* push : {m_undo, m_delete, m_keep}) row->addWidget(push);
  for (QPushButton* push : {m_report, m_export, m_cancel, m_undo, m_delete, m_keep}) push->setFocusPolicy(Qt::TabFocus);
  connect(m_report, &QPushButton::clicked, this, &IncidentShare::reportWanted);
  connect(m_export, &QPushButton::clicked, this, &IncidentShare::chooseFile);
  connect(m_cancel, &QPushButton::clicked, this, [this] { m_stop.request_stop(); });
  connect(m_undo, &QPushButton::clicked, this, &IncidentShare::undoWanted);
  connect(m_keep, &QPushButton::clicked, this, [this] {
    m_asking = false;
    say({}, false);
    updateButtons();
  });
  connect(m_delete, &QPushButton::clicked, this, [this] {
    if (m_asking) {
      m_asking = false;
      updateButtons();
      emit deleteWanted();
      return;
    }
    m_asking = true;
    say(tr("Delete the incident with its notes and cards, and unpin its data?"), true);
    updateButtons();
  });
  setUndo({});
  updateButtons();
}

IncidentShare::~IncidentShare() { m_stop.request_stop(); }

void IncidentShare::setIncident(const std::string& uuid, const QString& title, const QString& refusal) {
  if (uuid != m_uuid) {
    m_asking = false;
    if (!m_running) say({}, false);
  }
  m_uuid = uuid;
  m_title = title;
  m_refusal = refusal;
  updateButtons();
}

void IncidentShare::setEstimate(const SliceEstimate* estimate) {
  m_estimate = estimate != nullptr ? estimate->bytes : std::nullopt;
  updateButtons();
}

void IncidentShare::updateButtons() {
  const bool some = !m_uuid.empty();
  m_report->setEnabled(some);
  m_export->setEnabled(some && m_port != nullptr && !m_running);
  m_export->setText(m_estimate ? tr("Export .rgl …  (about %1)").arg(formatBytes(static_cast<double>(*m_estimate))) : tr("Export .rgl …"));
  m_export->setToolTip(m_port == nullptr ? tr("Nothing can be exported here.")
                                         : tr("One file with only this incident's data; it opens here with the incident "
                                              "selected. The size is the store's times the share of its points"));
  m_cancel->setVisible(m_running);
  m_delete->setVisible(some);
  m_delete->setEnabled(m_refusal.isEmpty());
  m_delete->setToolTip(m_refusal);
  m_delete->setText(m_asking ? tr("Delete") : tr("Delete …"));
  m_keep->setVisible(m_asking);
}

void IncidentShare::chooseFile() {
  if (!m_export->isEnabled()) return;
  auto* dialog = new QFileDialog(this, tr("Export the incident"), fileNameOf(m_title), tr("Runglass stores (*.rgl)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("rgl"));
  dialog->setOption(QFileDialog::DontConfirmOverwrite);  // nothing is ever overwritten: the export reports an existing file
  connect(dialog, &QFileDialog::fileSelected, this, &IncidentShare::exportTo);
  dialog->open();
}

void IncidentShare::exportTo(const QString& path) {
  if (m_uuid.empty() || m_port == nullptr || m_running) return;
  m_running = true;
  m_stop = {};
  say(tr("Writing %1 …").arg(screenText(path.toStdString())), false);
  updateButtons();
  m_port->shareIncident(
      m_uuid, path.toStdString(), m_stop.get_token(), this,
      [this](std::int64_t bytes) {
        const QString written = formatBytes(static_cast<double>(bytes));
        say(m_estimate ? tr("Writing: %1 of about %2").arg(written, formatBytes(static_cast<double>(*m_estimate)))
                       : tr("Writing: %1").arg(written),
            false);
      },
      [this, path](const Result<std::int64_t>& answer) {
        m_running = false;
        if (answer.ok())
          say(tr("Wrote %1: %2").arg(screenText(path.toStdString()), formatBytes(static_cast<double>(*answer))), false);
        else if (answer.status().code() == Code::kCancelled)
          say(tr("The export was cancelled; no file is left."), false);
        else
          say(screenText(answer.status().message()), true);
        updateButtons();
      });
}

void IncidentShare::say(const QString& words, bool failed) {
  m_words->setText(words.isEmpty() || !failed ? words : severityGlyph(Severity::kWarning) + u' ' + words);
  m_words->setToolTip(words.toHtmlEscaped());
}

void IncidentShare::setUndo(const QString& words) {
  m_undo->setVisible(!words.isEmpty());
  m_undo->setToolTip(words.isEmpty() ? QString() : tr("Take back: %1 (Ctrl+Z)").arg(words).toHtmlEscaped());
}

QString IncidentShare::words() const { return m_words->text(); }

}  // namespace runglass
