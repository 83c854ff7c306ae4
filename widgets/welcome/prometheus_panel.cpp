// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/prometheus_panel.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QUrl>
#include <QVBoxLayout>

#include "widgets/core/units.h"
#include "widgets/welcome/file_row.h"
#include "widgets/welcome/making_line.h"

namespace runglass {
namespace {

bool isServer(const QString& text) {
  const QUrl url(text.trimmed(), QUrl::StrictMode);
  return (url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https")) && !url.host().isEmpty();
}

}  // namespace

PrometheusPanel::PrometheusPanel(StoreMaker& maker, const QString& folder, QWidget* parent)
    : QWidget(parent), m_maker(maker), m_folder(folder), m_found(new InkLabel(this)), m_line(new MakingLine(tr("Import and open"), this)) {
  auto* words =
      new QLabel(tr("The metrics of GPUs, hosts and the network that a Prometheus, VictoriaMetrics, Thanos or Mimir has of a job or "
                    "a window become a store in %1.")
                     .arg(folder),
                 this);
  words->setTextFormat(Qt::PlainText);
  words->setWordWrap(true);
  auto* form = new QFormLayout;
  form->setSpacing(2 * kGrid);
  const auto field = [this, form](const QString& name, const QString& example) {
    auto* line = new QLineEdit(this);
    line->setPlaceholderText(example);
    form->addRow(name, line);
    return line;
  };
  m_url = field(tr("Server"), QStringLiteral("http://prom:9090"));
  m_access = addFileRow(*form, this, tr("Access file"), tr("token, CA, headers (TOML, mode 0600); empty: none"));
  m_job = field(tr("Slurm job"), tr("its id; the job has a window and nodes of its own"));
  m_from = field(tr("From"), tr("2026-11-20T21:43:00Z; empty: an hour before the end"));
  m_to = field(tr("To"), tr("2026-11-20T22:43:00Z; empty: now"));
  m_nodes = field(tr("Nodes"), tr("gpu-[001-128],login; empty: all"));
  m_match = field(tr("Selector"), tr("{cluster=\"a\"}; empty: all series"));
  m_found->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2 * kGrid);
  column->addWidget(words);
  column->addLayout(form);
  column->addWidget(m_found);
  column->addWidget(m_line);
  column->addStretch(1);
  for (QLineEdit* line : {m_url, m_access, m_job, m_from, m_to, m_nodes, m_match})
    connect(line, &QLineEdit::textChanged, this, &PrometheusPanel::noteEdit);
  m_check.setSingleShot(true);
  connect(&m_check, &QTimer::timeout, this, &PrometheusPanel::check);
  connect(m_line, &MakingLine::started, this, &PrometheusPanel::start);
  connect(m_line, &MakingLine::stopped, this, [this] {
    m_maker.cancel();
    m_line->setStartEnabled(true);
  });
  noteEdit();
}

MetricsQuestion PrometheusPanel::question() const {
  MetricsQuestion asked{.url = m_url->text(), .access_file = m_access->text(), .match = m_match->text(), .job = m_job->text()};
  if (asked.job.trimmed().isEmpty()) asked.nodes = m_nodes->text(), asked.from = m_from->text(), asked.to = m_to->text();
  return asked;
}

void PrometheusPanel::fill(const MetricsQuestion& question) {
  m_url->setText(question.url);
  m_access->setText(question.access_file);
  m_match->setText(question.match);
  m_nodes->setText(question.nodes);
  m_from->setText(question.from);
  m_to->setText(question.to);
  m_job->setText(question.job);
}

bool PrometheusPanel::isBusy() const { return m_checking || m_check.isActive() || m_line->isBusy(); }

void PrometheusPanel::noteEdit() {
  const bool job = !m_job->text().trimmed().isEmpty();
  for (QLineEdit* line : {m_from, m_to, m_nodes}) line->setEnabled(!job);
  m_found->clear();
  m_line->setStartEnabled(false);
  if (m_line->isBusy()) return;
  if (m_checking) m_maker.cancel();
  m_checking = false;
  if (isServer(m_url->text()))
    m_check.start(kCheckAfterMs);
  else
    m_check.stop();
}

void PrometheusPanel::check() {
  m_checking = true;
  m_found->setInk(themeInk<&Theme::muted>());
  m_found->setText(tr("Waiting for %1").arg(screenText(m_url->text().trimmed().toStdString(), 100)));
  m_maker.findMetrics(question(), this, [this](const Result<MetricsFound>& found) { showFound(found); });
}

void PrometheusPanel::showFound(const Result<MetricsFound>& found) {
  m_checking = false;
  m_found->setInk(found.ok() ? themeInk<&Theme::text>() : severityText(Severity::kError));
  if (!found.ok()) return m_found->setText(severityGlyph(Severity::kError) + QLatin1Char(' ') + screenText(found.status().message()));
  m_line->setStartEnabled(found->metrics > 0);
  if (found->metrics == 0)
    return m_found->setText(tr("The server answers, but has no metrics of GPUs, hosts, ports or collectives for this."));
  m_found->setText(
      tr("Nodes: %1 · GPUs: %2 · known metrics: %3 · other metrics, not imported: %4")
          .arg(formatCount(found->nodes), formatCount(found->devices), formatCount(found->metrics), formatCount(found->other_metrics)));
}

void PrometheusPanel::start() {
  m_check.stop();
  m_checking = false;
  m_line->begin();
  m_maker.importMetrics(
      question(), m_folder, this, [this](const MakeProgress& progress) { m_line->showProgress(progress); },
      [this](const Result<MadeStore>& result) {
        m_line->setStartEnabled(true);
        if (!result.ok()) return m_line->showFailed(screenText(result.status().message()));
        m_line->showIdle();
        emit made(result->path);
      });
}

}  // namespace runglass
