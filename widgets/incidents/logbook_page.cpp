// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The export contains exactly the shown run log. 2. A note that could not be saved stays in its field.
//             3. The field has the draft of the run that is shown.
#include "widgets/incidents/logbook_page.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSettings>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include "analysis/logbook/read_logbook.h"
#include "widgets/core/run_words.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/theme.h"
#include "widgets/core/user_settings.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kTextColumn = 3;

QString draftKey(const std::string& run_uuid) { return QStringLiteral("logbook/draft/") + QString::fromStdString(run_uuid); }

Result<Logbook> readPage(Reader& reader, RunId wanted, std::stop_token stop) {
  RG_ASSIGN(const Run run, chooseRun(reader, wanted));
  RG_ASSIGN(const auto findings, reader.findings(run.id));
  RG_ASSIGN(const auto incidents, reader.incidents(run.id));
  return readLogbook(reader, run, findings, incidents, std::move(stop));
}

}  // namespace

std::vector<Column<LogbookEntry>> logbookColumns(const TimeStyle* style) {
  using E = LogbookEntry;
  std::vector<Column<E>> columns;
  columns.push_back({.title = IncidentText::tr("time"),
                     .help = IncidentText::tr("When; – where the source has no clock."),
                     .text = [style](const E& e) { return e.time ? formatTime(*e.time, *style) : kAbsentText; },
                     .sort = [](const E& e) { return e.time ? QVariant::fromValue(static_cast<qlonglong>(*e.time)) : QVariant(); },
                     .copy = [](const E& e) { return e.time ? formatTimeFull(*e.time, TimeStyle::kUtc) : QString(); }});
  columns.push_back({.title = IncidentText::tr("step"),
                     .help = IncidentText::tr("The step that was made then."),
                     .align = Qt::AlignRight,
                     .text = [](const E& e) { return e.step ? formatCount(*e.step) : kAbsentText; },
                     .sort = [](const E& e) { return e.step ? QVariant::fromValue(static_cast<qlonglong>(*e.step)) : QVariant(); }});
  columns.push_back({.title = IncidentText::tr("what"),
                     .help = IncidentText::tr("What kind of entry it is."),
                     .text = [](const E& e) { return sentenceText(e.what, 60); },
                     .mark = [](const E& e) { return e.severity; }});
  columns.push_back({.title = IncidentText::tr("entry"),
                     .help = IncidentText::tr("Event, or text of a note."),
                     .text = [](const E& e) { return sentenceText(e.text, 600); },
                     .tip = [](const E& e) { return plainTip(sentenceText(e.text, 4'000)); }});
  return columns;
}

LogbookPage::LogbookPage(ViewContext context, QWidget* parent)
    : QWidget(parent),
      m_context(std::move(context)),
      m_model(new TableModel<LogbookEntry>(
          logbookColumns(&m_state.time_style),
          [](const LogbookEntry& a, const LogbookEntry& b) { return a.time == b.time && a.kind == b.kind && a.text == b.text; }, this)),
      m_table(new TableView(m_model, tr("Run log"), tr("Filter the run log  ( / )"), this)),
      m_summary(new QLabel(this)),
      m_words(new QLabel(this)),
      m_note(new QLineEdit(this)),
      m_add(new QPushButton(tr("Add"), this)),
      m_panel(new StatePanel(this)),
      m_stack(new QStackedLayout(this)) {
  m_page = makePage();
  m_stack->addWidget(m_panel);
  m_stack->addWidget(m_page);
  setFocusProxy(m_table);
  m_panel->showLoading(tr("Loading the run log …"));
  connect(m_table, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    goTo(index);
    tellNoteTime();
  });
  connect(m_add, &QPushButton::clicked, this, &LogbookPage::addNote);
  connect(m_note, &QLineEdit::returnPressed, this, &LogbookPage::addNote);
  connect(m_note, &QLineEdit::textEdited, this, &LogbookPage::keepDraft);
}

QWidget* LogbookPage::makePage() {
  auto* page = new QWidget(this);
  for (QLabel* label : {m_summary, m_words}) label->setTextFormat(Qt::PlainText);
  m_summary->setWordWrap(true);
  m_summary->setContentsMargins(kPad, kPad, kPad, kPad);
  m_words->setFont(tableFont());
  m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_note->setMaxLength(static_cast<int>(kMaxEditText) / 4);
  m_note->setAccessibleName(tr("A note for the run log"));
  m_table->table()->setTextElideMode(Qt::ElideRight);
  QHeaderView* const head = m_table->table()->horizontalHeader();
  for (int column = 0; column < m_model->columnCount(); ++column)
    head->setSectionResizeMode(column, column < kTextColumn ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
  auto* save = new QPushButton(tr("Export as Markdown …"), page);
  connect(save, &QPushButton::clicked, this, [this] { exportMarkdown({}); });
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(kPad, kGrid, kPad, kGrid);
  foot->setSpacing(kPad);
  foot->addWidget(m_note, 3);
  foot->addWidget(m_add);
  foot->addWidget(m_words, 2);
  foot->addWidget(save);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_summary);
  column->addWidget(m_table, 1);
  column->addLayout(foot);
  return page;
}

void LogbookPage::applyState(const ViewState& state) {
  const bool restyled = state.time_style != m_state.time_style, another = state.selection.run != m_state.selection.run;
  m_state = state;
  if (restyled) m_model->retext();
  tellNoteTime();
  if (m_asked && !another) return;
  ask(QueryService::Supersede::kCancelOlder);
}

void LogbookPage::refresh() {
  if (!m_age.isValid() || m_age.elapsed() >= kReadAgainMs) ask(QueryService::Supersede::kAfterCurrent);
}

void LogbookPage::ask(QueryService::Supersede supersede) {
  m_asked = true;
  m_age.start();
  m_context.queries->submit<Logbook>(
      m_slot, supersede,
      [run = m_state.selection.run](Reader& reader, std::stop_token stop) { return readPage(reader, run, std::move(stop)); },
      [this](const auto& answer) { showAnswer(answer); });
}

void LogbookPage::showAnswer(const Result<std::shared_ptr<const Logbook>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    if (answer.status().code() == Code::kNotFound)
      m_panel->showEmpty(tr("No run in this store yet."), tr("The run log belongs to a run."));
    else
      m_panel->showFailed(tr("The run log cannot be read."), screenText(answer.status().message()));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  m_logbook = *answer;
  QString words = sentenceText(m_logbook->summary, 600);
  if (m_logbook->left_out > 0)
    words = tr("%1 %2 events are left out.").arg(words, formatCount(static_cast<std::int64_t>(m_logbook->left_out)));
  m_summary->setText(words);
  m_model->setRows(std::shared_ptr<const std::vector<LogbookEntry>>(m_logbook, &m_logbook->entries));
  m_stack->setCurrentWidget(m_page);
  showDraft();
  tellNoteTime();
}

void LogbookPage::goTo(const QModelIndex& index) {
  const LogbookEntry* const entry = m_model->rowAt(index);
  if (entry == nullptr || !m_logbook) return;
  Selection selection = m_state.selection;
  selection.run = m_logbook->run.id;
  selection.step = entry->step;
  if (entry->rank) selection.rank = entry->rank;
  if (entry->node) selection.node = entry->node;
  if (!entry->time) return m_context.state->select(selection);
  m_context.state->goTo(selection, TimeRange{*entry->time - kMargin, *entry->time + kMargin});
}

std::optional<TimeNs> LogbookPage::noteTime() const {
  if (m_state.moment) return m_state.moment;
  if (const LogbookEntry* entry = m_model->rowAt(m_table->currentRow()); entry != nullptr && entry->time) return entry->time;
  if (m_logbook && m_logbook->run.state == RunState::kRunning && m_logbook->run.time_domain == TimeDomain::kUtc) return m_context.clock();
  return std::nullopt;
}

void LogbookPage::tellNoteTime() {
  const bool now = !m_state.moment && m_table->currentRow().row() < 0;
  const auto time = noteTime();
  m_note->setPlaceholderText(!time ? tr("Add a note, about the run as a whole  (Enter)")
                             : now ? tr("Add a note, now  (Enter)")
                                   : tr("Add a note, at %1  (Enter)").arg(formatTime(*time, m_state.time_style)));
  const QString refusal = m_context.edits != nullptr ? m_context.edits->refusal() : tr("This store cannot be edited.");
  m_add->setEnabled(refusal.isEmpty());
  m_add->setToolTip(refusal);
}

void LogbookPage::focusNote() { m_note->setFocus(); }

void LogbookPage::showDraft() {
  if (m_draft_of == m_logbook->run.uuid) return;
  m_draft_of = m_logbook->run.uuid;
  m_note->setText(hasUserSettings() ? QSettings().value(draftKey(m_draft_of)).toString() : QString());
}

void LogbookPage::keepDraft(const QString& text) {
  if (!hasUserSettings() || m_draft_of.empty()) return;
  if (text.isEmpty())
    QSettings().remove(draftKey(m_draft_of));
  else
    QSettings().setValue(draftKey(m_draft_of), text);
}

void LogbookPage::addNote() {
  const QString text = m_note->text().trimmed();
  if (text.isEmpty() || !m_logbook) return;
  const QString refusal = m_context.edits != nullptr ? m_context.edits->refusal() : tr("This store cannot be edited.");
  if (m_context.edits == nullptr || !refusal.isEmpty()) {
    m_words->setText(refusal);
    return;
  }
  m_words->setText(tr("Saving …"));
  const Note note{.run_uuid = m_logbook->run.uuid, .time = noteTime(), .author = qgetenv("USER").toStdString(), .text = text.toStdString()};
  m_context.edits->submit(note, this, [this, text, run = note.run_uuid](const Status& made) {
    m_words->setText(made.ok() ? tr("Noted.") : screenText(made.message()));
    if (!made.ok()) return;
    if (m_draft_of == run && m_note->text().trimmed() == text) m_note->clear();
    if (hasUserSettings() && QSettings().value(draftKey(run)).toString().trimmed() == text) QSettings().remove(draftKey(run));
    ask(QueryService::Supersede::kCancelOlder);
  });
}

void LogbookPage::exportMarkdown(const QString& path) {
  if (!m_logbook) return;
  if (path.isEmpty()) {
    auto* dialog = new QFileDialog(this, tr("Export the run log"), QStringLiteral("logbook.md"), tr("Markdown (*.md)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("md"));
    connect(dialog, &QFileDialog::fileSelected, this, &LogbookPage::exportMarkdown);
    dialog->open();
    return;
  }
  const QByteArray text = QByteArray::fromStdString(logbookMarkdown(*m_logbook));
  QSaveFile file(path);
  const bool written = file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit();
  m_words->setText(written ? tr("Wrote %1: %2").arg(screenText(path.toStdString()), formatBytes(static_cast<double>(text.size())))
                           : tr("%1: %2").arg(screenText(path.toStdString()), file.errorString()));
}

QString LogbookPage::words() const { return m_words->text(); }
QString LogbookPage::summary() const { return m_summary->text(); }

}  // namespace runglass
