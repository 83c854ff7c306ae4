// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
// 1. m_shown_data is m_data except for an edited summary; m_pages shows an m_shown_data.
// 2. If names are replaced, an edited summary is read again, so that names are replaced in it too.
#include "widgets/report/report_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QTimer>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/report/report_charts.h"
#include "widgets/report/report_pdf.h"

namespace runglass {
namespace {

constexpr int kTypingMs = 600;
constexpr double kPreviewDots = 80;
constexpr int kChoicesWidth = 340, kSummaryHeight = 96, kFrameHeight = 64;

QString redactWords(report::RedactClass one) {
  switch (one) {
    case report::RedactClass::kHosts:
      return ReportDialog::tr("Hosts");
    case report::RedactClass::kUsers:
      return ReportDialog::tr("Users and e-mail addresses");
    case report::RedactClass::kPaths:
      return ReportDialog::tr("Paths");
    case report::RedactClass::kAddresses:
      return ReportDialog::tr("Network addresses");
    case report::RedactClass::kTokens:
      return ReportDialog::tr("Tokens and secrets");
  }
  return {};
}

}  // namespace

ReportDialog::ReportDialog(QueryService& queries, report::Question question, QWidget* parent)
    : QDialog(parent), m_queries(queries), m_question(std::move(question)), m_typing(new QTimer(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Export report"));
  auto* row = new QHBoxLayout(this);
  row->addLayout(makePreview(), 1);
  row->addLayout(makeChoices());
  m_typing->setSingleShot(true);
  m_typing->setInterval(kTypingMs);
  connect(m_typing, &QTimer::timeout, this, [this] {
    if (request().redact.empty())
      layOut();
    else
      read();
  });
  const QScreen* on = parent != nullptr ? parent->screen() : QGuiApplication::primaryScreen();
  resize(QSize(1'080, 820).boundedTo(on->availableSize() - QSize(4 * kGrid, kFrameHeight)));
  read();
  listRedactions();
}

ReportDialog::~ReportDialog() = default;

QVBoxLayout* ReportDialog::makePreview() {
  auto* column = new QVBoxLayout;
  m_picture = new QLabel(this);
  m_picture->setAlignment(Qt::AlignCenter);
  m_picture->setAccessibleName(tr("Page of the report"));
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(m_picture);
  scroll->setWidgetResizable(true);
  column->addWidget(scroll, 1);
  auto* turn = new QHBoxLayout;
  m_back = new QPushButton(tr("Previous page"), this);
  m_next = new QPushButton(tr("Next page"), this);
  m_number = new QLabel(tr("Reading …"), this);
  m_number->setAlignment(Qt::AlignCenter);
  turn->addWidget(m_back);
  turn->addWidget(m_number, 1);
  turn->addWidget(m_next);
  column->addLayout(turn);
  connect(m_back, &QPushButton::clicked, this, [this] { turnTo(m_page == 0 ? 0 : m_page - 1); });
  connect(m_next, &QPushButton::clicked, this, [this] { turnTo(m_page + 1); });
  return column;
}

QVBoxLayout* ReportDialog::makeChoices() {
  auto* column = new QVBoxLayout;
  auto* title = new QLabel(tr("Summary"), this);
  m_summary = new QPlainTextEdit(this);
  m_summary->setAccessibleName(tr("Summary"));
  m_summary->setFixedWidth(kChoicesWidth);
  m_summary->setFixedHeight(kSummaryHeight);
  title->setBuddy(m_summary);
  connect(m_summary, &QPlainTextEdit::textChanged, this, [this] {
    if (m_filling) return;
    m_summary_typed = true;
    m_typing->start();
  });
  column->addWidget(title);
  column->addWidget(m_summary);
  auto* formats = new QHBoxLayout;
  for (std::size_t i = 0; i < m_formats.size(); ++i) {
    m_formats[i] = new QCheckBox(QString::fromLatin1(reportFormatName(static_cast<ReportFormat>(i))), this);
    m_formats[i]->setChecked(i < 2);
    formats->addWidget(m_formats[i]);
  }
  formats->addStretch();
  auto* form = new QFormLayout;
  form->addRow(tr("Files"), formats);
  m_paper = new QComboBox(this);
  m_paper->addItems({tr("A4"), tr("Letter")});
  form->addRow(tr("Paper"), m_paper);
  m_price = new QLineEdit(this);
  m_price->setPlaceholderText(tr("none: no money is shown"));
  form->addRow(tr("Price of a GPU-hour"), m_price);
  column->addLayout(form);
  connect(m_paper, &QComboBox::currentIndexChanged, this, [this] { layOut(); });
  connect(m_price, &QLineEdit::editingFinished, this, [this] { read(); });
  makeRedactions(column);
  makeFoot(column);
  return column;
}

void ReportDialog::makeRedactions(QVBoxLayout* column) {
  column->addWidget(new QLabel(tr("Replaced before anything is written"), this));
  for (std::size_t i = 0; i < m_redact.size(); ++i) {
    m_redact[i] = new QCheckBox(redactWords(static_cast<report::RedactClass>(i)), this);
    m_redact[i]->setChecked(static_cast<report::RedactClass>(i) == report::RedactClass::kTokens);  // never wanted in a report
    connect(m_redact[i], &QCheckBox::toggled, this, [this] {
      showTouched();
      read();
    });
    column->addWidget(m_redact[i]);
  }
  m_replaced = new QTreeWidget(this);
  m_replaced->setHeaderLabels({tr("What"), tr("Becomes")});
  m_replaced->setRootIsDecorated(false);
  m_replaced->setFixedWidth(kChoicesWidth);
  m_replaced->setMinimumHeight(2 * kRowHeight);
  m_replaced->setAccessibleName(tr("What would be replaced"));
  column->addWidget(m_replaced, 1);
}

void ReportDialog::makeFoot(QVBoxLayout* column) {
  auto* to = new QHBoxLayout;
  m_folder = new QLineEdit(QDir::home().filePath(QStringLiteral("runglass-report")), this);
  m_folder->setAccessibleName(tr("Folder"));
  auto* choose = new QPushButton(tr("Choose …"), this);
  to->addWidget(m_folder, 1);
  to->addWidget(choose);
  column->addWidget(new QLabel(tr("Folder"), this));
  column->addLayout(to);
  m_progress = new QProgressBar(this);
  m_progress->hide();
  m_said = new QLabel(this);
  m_said->setWordWrap(true);
  m_said->setTextFormat(Qt::PlainText);
  m_said->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_said->setFixedWidth(kChoicesWidth);
  column->addWidget(m_progress);
  column->addWidget(m_said);
  auto* buttons = new QHBoxLayout;
  m_export = new QPushButton(tr("Export"), this);
  m_export->setDefault(true);
  m_cancel = new QPushButton(tr("Cancel"), this);
  m_open = new QPushButton(tr("Open folder"), this);
  m_open->hide();
  for (QPushButton* one : {m_open, m_cancel, m_export}) buttons->addWidget(one);
  column->addLayout(buttons);
  connect(choose, &QPushButton::clicked, this, [this] {
    auto* dialog = new QFileDialog(this, tr("Folder of the report"), m_folder->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &ReportDialog::setFolder);
    dialog->open();
  });
  connect(m_export, &QPushButton::clicked, this, [this] { exportNow(); });
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    if (m_writing)
      m_writer.request_stop();
    else
      close();
  });
  connect(m_open, &QPushButton::clicked, this, [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder->text())); });
}

bool ReportDialog::isFinal() const {
  return !m_read_slot.busy() && !m_list_slot.busy() && !m_layout_slot.busy() && !m_page_slot.busy() && !m_typing->isActive() && !m_writing;
}

ReportRequest ReportDialog::request() const {
  ReportRequest request{.question = m_question, .redact = {}};
  bool ok = false;
  if (const double price = m_price->text().trimmed().toDouble(&ok); ok && price >= 0) request.question.price = price;
  if (m_summary_typed) request.question.summary = m_summary->toPlainText().toStdString();
  for (std::size_t i = 0; i < m_redact.size(); ++i)
    if (m_redact[i]->isChecked()) request.redact.insert(static_cast<report::RedactClass>(i));
  return request;
}

ReportFiles ReportDialog::files() const {
  ReportFiles files{
      .formats = {}, .paper = m_paper->currentIndex() == 1 ? kLetter : kA4, .folder = m_folder->text().trimmed().toStdString()};
  for (std::size_t i = 0; i < m_formats.size(); ++i)
    if (m_formats[i]->isChecked()) files.formats.insert(static_cast<ReportFormat>(i));
  return files;
}

void ReportDialog::setFolder(const QString& folder) { m_folder->setText(folder); }

void ReportDialog::say(const QString& words) { m_said->setText(words); }

void ReportDialog::read() {
  m_export->setEnabled(false);
  m_queries.submit<ReportData>(
      m_read_slot, QueryService::Supersede::kCancelOlder,
      [request = request()](Reader& reader, std::stop_token stop) { return readReportData(reader, request, std::move(stop)); },
      [this](const Result<std::shared_ptr<const ReportData>>& answer) {
        if (answer.ok()) return take(*answer);
        m_number->setText(tr("No page"));
        say(screenText(answer.status().message()));
      });
}

// All classes at once: those not selected are listed too.
void ReportDialog::listRedactions() {
  using Lists = std::vector<RedactionList>;
  ReportRequest all{.question = m_question, .redact = {}};
  for (std::size_t i = 0; i < report::kRedactClasses; ++i) all.redact.insert(static_cast<report::RedactClass>(i));
  m_queries.submit<Lists>(
      m_list_slot, QueryService::Supersede::kCancelOlder,
      [all](Reader& reader, std::stop_token stop) -> Result<Lists> {
        RG_ASSIGN(ReportData data, readReportData(reader, all, std::move(stop)));
        return std::move(data.redactions);
      },
      [this](const Result<std::shared_ptr<const Lists>>& answer) {
        if (!answer.ok()) return;
        m_touched = **answer;
        for (const RedactionList& list : m_touched)
          m_redact[static_cast<std::size_t>(list.what)]->setText(
              tr("%1 (%2)").arg(redactWords(list.what), formatCount(static_cast<std::int64_t>(list.count))));
        showTouched();
      });
}

void ReportDialog::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && isVisible()) showTouched();
}

void ReportDialog::showTouched() {
  m_replaced->clear();
  for (const RedactionList& list : m_touched) {
    const bool chosen = m_redact[static_cast<std::size_t>(list.what)]->isChecked();
    for (const report::Replacement& one : list.examples) {
      auto* row = new QTreeWidgetItem(m_replaced, {screenText(one.what, 120), chosen ? screenText(one.with, 60) : tr("stays")});
      if (!chosen) row->setForeground(1, currentTheme().muted);
    }
  }
  m_replaced->resizeColumnToContents(0);
}

void ReportDialog::take(std::shared_ptr<const ReportData> data) {
  m_data = std::move(data);
  m_charts = drawCharts(m_data->document);
  if (!m_summary_typed) {
    m_filling = true;
    m_summary->setPlainText(screenText(m_data->document.summary, 4'000));
    m_filling = false;
  }
  layOut();
}

void ReportDialog::layOut() {
  if (!m_data) return;
  auto shown = std::make_shared<ReportData>(*m_data);
  if (m_summary_typed && request().redact.empty()) {
    shown->document.summary = m_summary->toPlainText().toStdString();
    shown->document.summary_edited = true;
  }
  m_shown_data = shown;
  m_queries.submit<ReportPages>(
      m_layout_slot, QueryService::Supersede::kCancelOlder,
      [shown = m_shown_data, charts = m_charts, paper = files().paper](Reader&, const std::stop_token&) -> Result<ReportPages> {
        return ReportPages(shown->document, {shown->evidence, charts}, paper);
      },
      [this](const Result<std::shared_ptr<const ReportPages>>& answer) {
        if (!answer.ok()) return;
        m_pages = *answer;
        m_export->setEnabled(!m_writing);
        turnTo(m_page);
      });
}

void ReportDialog::turnTo(std::size_t page) {
  if (!m_pages || m_pages->count() == 0) return;
  m_page = std::min(page, m_pages->count() - 1);
  m_back->setEnabled(m_page > 0);
  m_next->setEnabled(m_page + 1 < m_pages->count());
  m_number->setText(tr("Page %1 of %2").arg(m_page + 1).arg(m_pages->count()));
  showPage();
}

void ReportDialog::showPage() {
  const double ratio = devicePixelRatioF();
  m_queries.submit<QImage>(
      m_page_slot, QueryService::Supersede::kCancelOlder,
      [pages = m_pages, page = m_page, ratio](Reader&, const std::stop_token&) -> Result<QImage> {
        QImage image = pagePicture(*pages, page, kPreviewDots * ratio);
        image.setDevicePixelRatio(ratio);
        return image;
      },
      [this](const Result<std::shared_ptr<const QImage>>& answer) {
        if (answer.ok()) m_picture->setPixmap(QPixmap::fromImage(**answer));
      });
}

void ReportDialog::exportNow() {
  if (!m_shown_data || m_writing || m_typing->isActive() || m_read_slot.busy()) return;
  const ReportFiles wanted = files();
  if (wanted.formats.empty() || wanted.folder.empty()) {
    say(wanted.folder.empty() ? tr("Choose a folder.") : tr("Choose at least one kind of file."));
    return;
  }
  m_writing = true;
  m_export->setEnabled(false);
  m_open->hide();
  m_progress->setRange(0, static_cast<int>(wanted.formats.size()));
  m_progress->setValue(0);
  m_progress->show();
  m_cancel->setText(tr("Cancel"));
  say(tr("Writing …"));
  m_writer = std::jthread([this, data = m_shown_data, charts = m_charts, wanted](const std::stop_token& stop) {
    const auto progress = [this](std::size_t done, std::size_t) {
      QMetaObject::invokeMethod(
          this, [this, done] { m_progress->setValue(static_cast<int>(done)); }, Qt::QueuedConnection);
    };
    const auto paths = std::make_shared<Result<std::vector<std::string>>>(writeReport(*data, charts, wanted, stop, progress));
    QMetaObject::invokeMethod(
        this, [this, paths] { finished(*paths); }, Qt::QueuedConnection);
  });
}

void ReportDialog::finished(const Result<std::vector<std::string>>& paths) {
  m_writing = false;
  m_export->setEnabled(true);
  m_progress->hide();
  if (!paths.ok()) {
    say(paths.status().code() == Code::kCancelled ? tr("Stopped; nothing was written.") : screenText(paths.status().message()));
    return;
  }
  QStringList names;
  for (const std::string& path : *paths) names << screenText(path);
  say(tr("Written:\n%1").arg(names.join(u'\n')));
  m_cancel->setText(tr("Close"));
  m_open->show();
}

}  // namespace runglass
