// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/import_panel.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/table_view.h"
#include "widgets/core/units.h"
#include "widgets/welcome/making_line.h"

namespace runglass {
namespace {

std::vector<Column<ImportRow>> columns() {
  using R = ImportRow;
  std::vector<Column<R>> columns;
  columns.push_back({.title = QObject::tr("File"),
                     .help = QObject::tr("Inside archives: archive/member"),
                     .align = Qt::AlignLeft,
                     .text = [](const R& r) { return screenText(r.path.toStdString(), 400); }});
  columns.push_back({.title = QObject::tr("Kind"),
                     .help = QObject::tr("By its content; without one it is left out"),
                     .align = Qt::AlignLeft,
                     .text = [](const R& r) { return r.kind.isEmpty() ? QObject::tr("left out") : QString(r.kind).replace(u'_', u' '); }});
  columns.push_back({.title = QObject::tr("Size"),
                     .help = QObject::tr("On disk"),
                     .align = Qt::AlignRight,
                     .text = [](const R& r) { return r.bytes ? formatBytes(static_cast<double>(*r.bytes)) : QString(); },
                     .sort = [](const R& r) { return r.bytes ? QVariant(static_cast<qlonglong>(*r.bytes)) : QVariant(); }});
  columns.push_back(
      {.title = QObject::tr("Why not"), .help = QObject::tr("Why it is left out"), .align = Qt::AlignLeft, .text = [](const R& r) {
         return screenText(r.reason.toStdString(), 400);
       }});
  return columns;
}

}  // namespace

ImportPanel::ImportPanel(StoreMaker& maker, const QString& folder, QWidget* parent)
    : QWidget(parent),
      m_maker(maker),
      m_folder(folder),
      m_words(new QLabel(this)),
      m_store(new QLineEdit(this)),
      m_target(new QWidget(this)),
      m_model(new TableModel<ImportRow>(
          columns(), [](const ImportRow& a, const ImportRow& b) { return a.path == b.path; }, this)),
      m_table(new TableView(m_model, tr("Files"), tr("Filter files"), this)),
      m_line(new MakingLine(tr("Import"), this)) {
  m_words->setTextFormat(Qt::PlainText);
  m_words->setWordWrap(true);
  m_words->setText(
      tr("Drop files or folders here, or choose them: TensorBoard events, training logs, PyTorch and Nsight traces, NCCL flight recorder "
         "dumps, nvidia-smi and CSV telemetry, kernel logs; also .gz .bz2 .zst .xz .tar."));
  auto* files = new QPushButton(tr("Files …"), this);
  auto* folders = new QPushButton(tr("Folder …"), this);
  connect(files, &QPushButton::clicked, this, [this] { choose(false); });
  connect(folders, &QPushButton::clicked, this, [this] { choose(true); });
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(2 * kGrid);
  buttons->addWidget(files);
  buttons->addWidget(folders);
  buttons->addStretch(1);
  auto* target = new QHBoxLayout(m_target);
  target->setContentsMargins(0, 0, 0, 0);
  target->addWidget(new QLabel(tr("Into the store"), m_target));
  target->addWidget(m_store, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2 * kGrid);
  column->addWidget(m_words);
  column->addLayout(buttons);
  column->addWidget(m_table, 1);
  column->addWidget(m_target);
  column->addWidget(m_line);
  column->addStretch(0);
  for (QWidget* later : std::initializer_list<QWidget*>{m_table, m_target, m_line}) later->hide();
  connect(m_line, &MakingLine::started, this, &ImportPanel::start);
  connect(m_line, &MakingLine::stopped, this, [this] {
    m_maker.cancel();
    m_listing = false;
  });
}

bool ImportPanel::isBusy() const { return m_listing || m_line->isBusy(); }

void ImportPanel::choose(bool folder) {
  auto* dialog = new QFileDialog(this, folder ? tr("Import a folder") : tr("Import files"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &ImportPanel::offer);
  dialog->open();
}

void ImportPanel::offer(const QStringList& paths) {
  if (paths.isEmpty() || m_line->isBusy()) return;
  m_paths = paths;
  m_listing = true;
  const QString name = QFileInfo(paths.front()).completeBaseName();
  m_store->setText(m_folder + QLatin1Char('/') + (name.isEmpty() ? QStringLiteral("import") : name) + QStringLiteral(".rgl"));
  m_line->show();
  m_line->begin();
  m_line->showProgress({tr("looking at the files"), std::nullopt});
  m_maker.list(paths, this, [this](const Result<ImportListing>& listing) { showListing(listing); });
}

void ImportPanel::showListing(const Result<ImportListing>& listing) {
  m_listing = false;
  if (!listing.ok()) return m_line->showFailed(screenText(listing.status().message()));
  m_line->showIdle();
  const auto known = std::ranges::count_if(listing->rows, [](const ImportRow& row) { return !row.kind.isEmpty(); });
  const auto all = static_cast<std::int64_t>(listing->rows.size());
  m_words->setText(
      tr("%1 of %2%3 files can be imported.").arg(formatCount(known), formatCount(all), listing->more ? tr(" and more") : QString()));
  m_line->setStartWords(tr("Import"));
  m_line->setStartEnabled(known > 0);
  m_model->setRows(std::make_shared<const std::vector<ImportRow>>(listing->rows));
  m_table->fitColumns();
  m_table->show();
  m_target->show();
}

void ImportPanel::start() {
  m_line->begin();
  m_maker.import(
      m_paths, m_store->text().trimmed(), this, [this](const MakeProgress& progress) { m_line->showProgress(progress); },
      [this](const Result<MadeStore>& result) {
        if (!result.ok()) return m_line->showFailed(screenText(result.status().message()));
        m_line->showIdle();
        emit made(result->path);
      });
}

}  // namespace runglass
