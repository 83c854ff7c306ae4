// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. m_plot shows m_data in the window of m_question. 2. m_due: the next paint submits the query; a hidden card submits none.
// 3. m_missing parts of one query are pending; m_parts holds those that have arrived.
#include "widgets/curves/curve_card.h"

#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/curves/curve_export.h"

namespace runglass {
namespace {

constexpr int kBorder = 2, kButtonHeight = 18;

QToolButton* makeButton(QWidget* parent, const QString& text, const QString& tip, bool checkable) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  button->setCheckable(checkable);
  button->setAutoRaise(true);
  button->setProperty("dense", true);
  button->setFont(tableFont());
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

// All fields but the window: data already read may cover a change of the window alone.
bool sameSubject(const CardQuestion& a, const CardQuestion& b) {
  return a.catalog == b.catalog && a.tag == b.tag && a.members == b.members && a.colors == b.colors && a.axis == b.axis &&
         a.smoothing == b.smoothing && a.log == b.log && a.robust == b.robust && a.style == b.style;
}

// The inputs of marks. A newer catalogue of the same series only adds to them.
bool sameMarks(const CardQuestion& a, const CardQuestion& b) {
  return a.catalog != nullptr && b.catalog != nullptr && a.catalog->tags.at(a.tag).metric == b.catalog->tags.at(b.tag).metric &&
         a.members == b.members && a.axis == b.axis && a.rules == b.rules;
}

}  // namespace

CurveCard::CurveCard(QueryService* queries, QWidget* parent)
    : QWidget(parent),
      m_queries(queries),
      m_plot(new PlotWidget(this)),
      m_note(new InkLabel(this)),
      m_pin(makeButton(this, tr("pin"), tr("Keep this card first"), true)),
      m_log(makeButton(this, tr("log"), tr("Logarithmic values"), true)),
      m_more(makeButton(this, tr("…"), tr("Export this window, or hide the card"), false)),
      m_rules(makeButton(this, tr("spikes"), tr("Whose spikes are marked, a comparison of the rules, and a plan for a rewind"), false)) {
  for (QuerySlot& slot : m_slots) slot.sayWhatLacks();
  m_note->setFont(tableFont());
  m_note->setAlignment(Qt::AlignCenter);
  m_note->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_note->hide();
  setFocusProxy(m_plot);
  connect(m_pin, &QToolButton::clicked, this, &CurveCard::pinToggled);
  connect(m_log, &QToolButton::clicked, this, &CurveCard::logToggled);
  auto* menu = new QMenu(this);
  for (const char* suffix : {"png", "svg", "csv"})
    menu->addAction(tr("Export %1 …").arg(QString::fromLatin1(suffix).toUpper()), this,
                    [this, suffix] { chooseFile(QString::fromLatin1(suffix)); });
  menu->addSeparator();
  menu->addAction(tr("Hide this card"), this, &CurveCard::hideRequested);
  m_more->setMenu(menu);
  m_more->setPopupMode(QToolButton::InstantPopup);
  auto* rules = new QMenu(this);
  connect(rules, &QMenu::aboutToShow, this, &CurveCard::fillRulesMenu);
  m_rules->setMenu(rules);
  m_rules->setPopupMode(QToolButton::InstantPopup);
  m_rules->hide();
}

bool CurveCard::showsLoss() const {
  if (m_question.catalog == nullptr) return false;
  const CurveTag& tag = m_question.catalog->tags.at(m_question.tag);
  return std::ranges::any_of(m_question.members, [&](std::size_t member) { return isLoss(tag.members.at(member).series); });
}

void CurveCard::fillRulesMenu() {
  QMenu* menu = m_rules->menu();
  menu->clear();
  const auto add = [&](const QString& title, const QString& tip, bool on, auto change) {
    QAction* action = menu->addAction(title);
    action->setCheckable(true);
    action->setChecked(on);
    action->setToolTip(tip);
    connect(action, &QAction::toggled, this, [this, change](bool checked) {
      SpikeRules rules = m_question.rules;
      change(rules, checked);
      emit rulesChosen(rules);
    });
  };
  menu->setToolTipsVisible(true);
  add(tr("Runglass"), tr("8 robust sigma and 5 % above the local level"), m_question.rules.own,
      [](SpikeRules& rules, bool on) { rules.own = on; });
  for (std::size_t i = 0; i < publishedRules().size(); ++i) {
    const PublishedRuleInfo& info = publishedRules()[i];
    add(termText(info.title), termText(info.says), m_question.rules.published[i],
        [i](SpikeRules& rules, bool on) { rules.published[i] = on; });
  }
  menu->addSeparator();
  menu->addAction(tr("Compare the rules …"), this, &CurveCard::comparisonRequested);
  menu->addAction(tr("Plan a rewind …"), this, &CurveCard::rewindRequested);
}

void CurveCard::ask(const CardQuestion& question, std::size_t left_out, bool pinned, bool fresh) {
  m_question = question;
  m_left_out = left_out;
  m_pin->setChecked(pinned);
  m_log->setChecked(question.log);
  if (m_rules->isHidden() == showsLoss()) {
    m_rules->setVisible(showsLoss());
    placeButtons();
  }
  if (m_data && m_asked && !sameMarks(m_question, m_answered)) {
    m_answered.rules = m_question.rules;
    if (sameSubject(m_question, m_answered)) submitMarks();
  }
  m_plot->setWindow(question.x0, question.x1);
  if (!fresh && m_asked && covered()) return;
  m_due = true;
  if (m_data && !sameSubject(m_question, m_answered) && m_question.tag != m_answered.tag) m_plot->setStale(true);
  // Visible: query at once. Hidden: the paint event that shows it will.
  if (!visibleRegion().isEmpty()) submit(fresh ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder);
  update();
}

bool CurveCard::covered() const {
  if (!m_data || !sameSubject(m_question, m_answered)) return false;
  if (m_question.x0 < m_data->covered0 || m_question.x1 > m_data->covered1) return false;
  const double pixel =
      static_cast<double>(m_question.x1 - m_question.x0) / static_cast<double>(std::max<std::size_t>(1, m_question.pixels));
  return m_data->bin_width <= pixel * (m_question.members.size() > kFewCurves ? kCoarsest : 1);
}

void CurveCard::submit(QueryService::Supersede supersede) {
  // Data arrived while an answer is pending: that answer comes first, or a slow store under a fast run never shows.
  if (busy() && supersede == QueryService::Supersede::kAfterCurrent) return;
  m_due = false;
  m_asked = true;
  m_question.pixels = static_cast<std::size_t>(std::max(64, m_plot->plotArea().width()));
  m_failure.clear();
  m_parts.assign(partsOf(m_question), nullptr);
  m_missing = m_parts.size();
  for (QuerySlot& slot : m_slots) slot.cancel();
  for (std::size_t part = 0; part < m_parts.size(); ++part)
    m_queries->submit<CardPart>(
        m_slots[part], QueryService::Supersede::kCancelOlder,
        [question = m_question, part](Reader& reader, std::stop_token stop) {
          return readCardPart(reader, question, part, std::move(stop));
        },
        [this, question = m_question, part](const Result<std::shared_ptr<const CardPart>>& answer) { answered(question, part, answer); });
}

void CurveCard::answered(const CardQuestion& question, std::size_t part, const Result<std::shared_ptr<const CardPart>>& answer) {
  --m_missing;
  if (answer.ok())
    m_parts[part] = *answer;
  else
    m_failure = tr("could not be read: %1").arg(screenText(answer.status().message()));
  if (m_missing > 0) return;
  if (m_failure.isEmpty()) {
    m_data = std::make_shared<const CardData>(joinCard(question, m_parts));
    m_answered = question;
    m_plot->setData(m_data->plot);
    if (!m_data->plot->panels.empty()) m_plot->setAccessibleName(m_data->plot->panels.front().title);
    addMarks();
    submitMarks();
  } else {
    m_plot->setStale(true);
  }
  m_parts.clear();
  tell();
  if (m_due) update();  // the paint event submits the query
}

// Runs after the curves, which must not wait. A pending answer comes first: fast data must not starve it.
void CurveCard::submitMarks() {
  const CurveTag& tag = m_answered.catalog->tags.at(m_answered.tag);
  if (std::ranges::none_of(m_answered.members, [&](std::size_t member) { return isLoss(tag.members.at(member).series); })) return;
  if (m_marks_slot.busy() && sameMarks(m_marks_asked, m_answered)) {
    m_marks_due = true;
    return;
  }
  m_marks_due = false;
  m_marks_asked = m_answered;
  m_queries->submit<CardMarks>(
      m_marks_slot, QueryService::Supersede::kCancelOlder,
      [question = m_answered](Reader& reader, std::stop_token stop) { return readCardMarks(reader, question, std::move(stop)); },
      [this, question = m_answered](const Result<std::shared_ptr<const CardMarks>>& answer) {
        if (answer.ok()) {
          const bool same = m_marks && *m_marks == **answer && sameMarks(m_marks_answered, question);
          m_marks = *answer;
          m_marks_answered = question;
          if (!same) addMarks();  // otherwise the picture already has them
        }
        if (m_marks_due) submitMarks();
      });
}

void CurveCard::addMarks() {
  if (!m_marks || !sameMarks(m_marks_answered, m_answered)) return;
  if (*m_marks == m_plot->data()->panels.front().marks) return;
  auto plot = std::make_shared<PlotData>(*m_data->plot);
  plot->panels.front().marks = *m_marks;
  m_plot->setData(std::move(plot));
}

std::optional<CurvePlace> CurveCard::placeOn(SeriesId series, std::int64_t x) const {
  return m_data ? runglass::placeOn(m_answered, series, x) : std::nullopt;
}

void CurveCard::tell() {
  QStringList words;
  if (!m_failure.isEmpty()) words += m_failure;
  if (m_left_out > 0) words += tr("%1 more curves are not drawn; untick some").arg(formatCount(static_cast<std::int64_t>(m_left_out)));
  if (m_data && m_data->without_axis > 0 && !m_data->plot->panels.front().curves.empty())
    words += tr("%1 curves have no place on this axis").arg(formatCount(static_cast<std::int64_t>(m_data->without_axis)));
  const QString text = words.join(QStringLiteral("  ·  "));
  m_note->setText(m_note->fontMetrics().elidedText(text, Qt::ElideRight, std::max(40, width() - 40)));
  m_note->setToolTip(text.toHtmlEscaped());
  m_note->setVisible(!words.isEmpty());
  m_note->adjustSize();
  m_note->move(width() - m_note->width() - 20, m_plot->geometry().bottom() - m_note->height() - 24);
  m_note->setInk(m_failure.isEmpty() ? themeInk<&Theme::muted>() : themeInk<&Theme::text>());
}

bool CurveCard::isFinal() const {
  return visibleRegion().isEmpty() ||
         (m_asked && !m_due && !busy() && !m_marks_slot.busy() && (m_plot->visibleRegion().isEmpty() || m_plot->isRendered()));
}

void CurveCard::contextMenuEvent(QContextMenuEvent* event) { emit menuWanted(event->globalPos()); }

void CurveCard::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().surface);
  painter.setPen(currentTheme().line);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  // The same query at a new size is a new query: bins are counted in pixels.
  if (m_asked && m_question.pixels != static_cast<std::size_t>(std::max(64, m_plot->plotArea().width()))) m_due = true;
  if (m_due && m_question.catalog) submit(QueryService::Supersede::kAfterCurrent);
}

void CurveCard::resizeEvent(QResizeEvent*) {
  m_plot->setGeometry(rect().adjusted(kBorder, kBorder, -kBorder, -kBorder));
  placeButtons();
  tell();
}

QWidget* CurveCard::tabAfter(QWidget* control) {
  for (QWidget* part : std::initializer_list<QWidget*>{m_plot, m_rules, m_pin, m_log, m_more}) {
    setTabOrder(control, part);
    control = part;
  }
  return control;
}

void CurveCard::placeButtons() {
  int right = width() - kBorder - kGrid;
  for (QToolButton* button : {m_more, m_log, m_pin, m_rules}) {
    if (button->isHidden()) continue;
    const QSize size(button->sizeHint().width(), kButtonHeight);
    button->setGeometry(right - size.width(), kBorder, size.width(), size.height());
    right -= size.width();
    button->raise();
  }
  m_plot->setTitleReserve(width() - right - kGrid);
}

void CurveCard::chooseFile(const QString& suffix) {
  auto* dialog = new QFileDialog(this, tr("Export %1").arg(suffix.toUpper()));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  dialog->setNameFilter(QStringLiteral("*.") + suffix);
  dialog->selectFile(QStringLiteral("curves.") + suffix);
  connect(dialog, &QFileDialog::fileSelected, this, &CurveCard::exportTo);
  dialog->open();
}

void CurveCard::exportTo(const QString& path) {
  if (!path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)) {
    const Status status = writePicture(*m_plot, path);
    emit exported(status.ok() ? tr("Wrote %1").arg(path) : screenText(status.message()), status.ok());
    return;
  }
  m_queries->submit<std::int64_t>(
      m_export_slot, QueryService::Supersede::kCancelOlder,
      [question = m_question, path](Reader& reader, std::stop_token stop) { return writeCsv(reader, question, path, std::move(stop)); },
      [this, path](const Result<std::shared_ptr<const std::int64_t>>& rows) {
        emit exported(rows.ok() ? tr("Wrote %1 rows to %2").arg(formatCount(**rows), path) : screenText(rows.status().message()),
                      rows.ok());
      });
}

}  // namespace runglass
