// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. A refresh never overwrites the user's input or an open editor. 2. Signals are emitted only for the user's own choices.
#include "widgets/incidents/incident_head.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QStandardItemModel>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>

#include "model/edits.h"
#include "widgets/core/gpu_price.h"
#include "widgets/core/language.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/theme.h"
#include "widgets/incidents/editable_text.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kNumberWidth = 34 * kGrid, kNumberHeight = 10 * kGrid;
constexpr int kHeadTitleChars = 200, kSentenceChars = 1'000;
constexpr double kHighestPrice = 1e6;

// Ignores the mouse wheel: a choice here is stored.
class QuietCombo : public QComboBox {
 public:
  explicit QuietCombo(QWidget* parent = nullptr) : QComboBox(parent) { setFocusPolicy(Qt::StrongFocus); }

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

QLabel* plainLabel(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

}  // namespace

ImpactLine::ImpactLine(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Impact"));
  setFixedHeight(kNumberHeight);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ImpactLine::setNumbers(std::vector<ImpactNumber> numbers) {
  m_numbers = std::move(numbers);
  QStringList words;
  for (const ImpactNumber& one : m_numbers) words << one.name + QStringLiteral(": ") + one.value;
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  update();
}

QSize ImpactLine::sizeHint() const { return {static_cast<int>(m_numbers.size()) * kNumberWidth, kNumberHeight}; }

int ImpactLine::columnWidth() const {
  return m_numbers.empty() ? kNumberWidth : std::min(kNumberWidth, width() / static_cast<int>(m_numbers.size()));
}

void ImpactLine::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  const int column = columnWidth();
  QFont big = headlineFont();
  big.setPixelSize(kTextPx + 3);
  for (std::size_t i = 0; i < m_numbers.size(); ++i) {
    const QRect place(static_cast<int>(i) * column, 0, column - kPad, height());
    painter.setFont(tableFont());
    painter.setPen(theme.muted);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignTop,
                     painter.fontMetrics().elidedText(m_numbers[i].name, Qt::ElideRight, place.width()));
    painter.setFont(big);
    painter.setPen(m_numbers[i].value == kAbsentText ? theme.muted : theme.text);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignBottom,
                     painter.fontMetrics().elidedText(m_numbers[i].value, Qt::ElideRight, place.width()));
  }
}

AccessibleTable ImpactLine::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("impact"), tr("value"), tr("how it is known")}};
  for (std::size_t i = 0; i < m_numbers.size(); ++i)
    table.rows.push_back({{m_numbers[i].name, m_numbers[i].value, m_numbers[i].why},
                          QRect(static_cast<int>(i) * columnWidth(), 0, columnWidth(), height())});
  return table;
}

bool ImpactLine::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto at = static_cast<std::size_t>(std::max(0, help->pos().x()) / std::max(1, columnWidth()));
  if (at < m_numbers.size()) QToolTip::showText(help->globalPos(), plainTip(m_numbers[at].why), this);
  return true;
}

IncidentHead::IncidentHead(QWidget* parent)
    : QWidget(parent),
      m_title(new EditableText(tr("Title"), headlineFont(), kHeadTitleChars, this)),
      m_sentence(new EditableText(tr("Its cause in a sentence"), textFont(), kSentenceChars, this)),
      m_when(plainLabel(this)),
      m_likely(plainLabel(this)),
      m_states(new QuietCombo(this)),
      m_causes(new QuietCombo(this)),
      m_take(new QPushButton(tr("Take it"), this)),
      m_reason(new QLineEdit(this)),
      m_impact(new ImpactLine(this)),
      m_price(new QDoubleSpinBox(this)) {
  m_when->setFont(tableFont());
  m_when->setForegroundRole(QPalette::PlaceholderText);
  m_likely->setFont(tableFont());
  m_likely->setWordWrap(false);
  m_reason->setPlaceholderText(tr("Not a problem because …  (Enter; Esc leaves it as it is)"));
  m_reason->setAccessibleName(tr("Why it is not a problem"));
  m_reason->setMaxLength(kSentenceChars);
  m_reason->hide();
  m_price->setRange(0, kHighestPrice);
  m_price->setAccessibleName(tr("Price of a GPU-hour"));
  m_price->setDecimals(2);
  m_price->setKeyboardTracking(false);
  m_price->setPrefix(tr("GPU-hour: "));
  m_price->setSpecialValueText(tr("Price per GPU-hour …"));
  m_price->setToolTip(tr("What one GPU costs an hour, in your currency. Kept on this machine; 0: no money is shown."));
  m_price->setValue(rememberedGpuPrice().value_or(0));
  m_price->setFocusPolicy(Qt::StrongFocus);
  m_price->setButtonSymbols(QAbstractSpinBox::NoButtons);
  auto* top = new QHBoxLayout;
  top->setSpacing(kPad);
  top->addWidget(m_title, 1);
  top->addWidget(m_states, 0, Qt::AlignTop);
  auto* numbers = new QHBoxLayout;
  numbers->addWidget(m_impact, 1);
  numbers->addWidget(m_price, 0, Qt::AlignBottom);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2 * kPad, kPad, 2 * kPad, kPad);
  column->setSpacing(kGrid);
  column->addWidget(makeConflict());
  column->addLayout(top);
  column->addWidget(m_reason);
  column->addWidget(m_sentence);
  column->addWidget(m_when);
  column->addLayout(numbers);
  column->addLayout(makeStateRow());
  fillCauses();
  connect(m_title, &EditableText::changed, this, &IncidentHead::titleChanged);
  connect(m_sentence, &EditableText::changed, this, &IncidentHead::sentenceChanged);
  connect(m_states, &QComboBox::activated, this, [this](int index) {
    const auto state = static_cast<IncidentState>(m_states->itemData(index).toInt());
    if (state == IncidentState::kDismissed && m_shown.incident.state != state) {
      askWhyDismissed();
    } else if (state != m_shown.incident.state) {
      emit stateChosen(state, {});
    }
  });
  connect(m_reason, &QLineEdit::returnPressed, this, [this] {
    const QString reason = m_reason->text().trimmed();
    if (reason.isEmpty()) return;
    m_reason->hide();
    emit stateChosen(IncidentState::kDismissed, reason);
  });
  connect(m_causes, &QComboBox::activated, this, [this](int index) {
    const QString code = m_causes->itemData(index).toString();
    if (code.toStdString() != m_shown.incident.cause) emit causeChosen(code);
  });
  connect(m_take, &QPushButton::clicked, this, [this] {
    if (m_shown.page && m_shown.page->likely) emit causeChosen(QString::fromStdString(std::string(m_shown.page->likely->code)));
  });
  connect(m_price, &QDoubleSpinBox::valueChanged, this, [this](double price) {
    rememberGpuPrice(price);
    emit priceChanged();
  });
}

QLayout* IncidentHead::makeStateRow() {
  for (const IncidentState state : {IncidentState::kOpen, IncidentState::kMitigated, IncidentState::kResolved, IncidentState::kDismissed})
    m_states->addItem(stateGlyph(state) + u' ' + stateWord(state), static_cast<int>(state));
  m_states->setAccessibleName(tr("State"));
  m_states->setToolTip(tr("open; mitigated: it runs again, the cause is still there; resolved; dismissed: not a problem"));
  m_causes->setAccessibleName(tr("Root cause"));
  m_causes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_causes->setMinimumContentsLength(28);
  m_take->setFocusPolicy(Qt::TabFocus);
  auto* words = plainLabel(this);
  words->setText(tr("root cause"));
  words->setFont(tableFont());
  words->setWordWrap(false);
  words->setForegroundRole(QPalette::PlaceholderText);
  auto* row = new QHBoxLayout;
  row->setSpacing(kPad);
  row->addWidget(words);
  row->addWidget(m_causes);
  row->addWidget(m_likely);
  row->addWidget(m_take);
  row->addStretch(1);
  return row;
}

QWidget* IncidentHead::makeConflict() {
  m_conflict = new QWidget(this);
  m_conflict->setAutoFillBackground(true);
  m_conflict->setBackgroundRole(QPalette::AlternateBase);
  m_conflict_words = plainLabel(m_conflict);
  auto* mine = new QPushButton(tr("Make my change of it"), m_conflict);
  auto* theirs = new QPushButton(tr("Leave it"), m_conflict);
  mine->setObjectName(QStringLiteral("insist"));
  theirs->setObjectName(QStringLiteral("yield"));
  auto* row = new QHBoxLayout(m_conflict);
  row->setContentsMargins(kPad, kGrid, kPad, kGrid);
  row->addWidget(m_conflict_words, 1);
  row->addWidget(mine);
  row->addWidget(theirs);
  connect(mine, &QPushButton::clicked, this, [this] {
    hideConflict();
    emit insisted();
  });
  connect(theirs, &QPushButton::clicked, this, [this] {
    hideConflict();
    emit yielded();
  });
  m_conflict->hide();
  return m_conflict;
}

void IncidentHead::fillCauses() {
  m_causes->addItem(tr("not known"), QString());
  auto* model = qobject_cast<QStandardItemModel*>(m_causes->model());
  std::optional<CauseGroup> group;
  for (const IncidentCause& cause : incidentCauses()) {
    if (group != cause.group) {
      group = cause.group;
      m_causes->addItem(termText(causeGroupName(cause.group)));
      if (model != nullptr) model->item(m_causes->count() - 1)->setEnabled(false);
    }
    m_causes->addItem(causeText(cause), QString::fromStdString(std::string(cause.code)));
  }
  m_causes->view()->setMinimumWidth(90 * kGrid);
}

std::optional<double> IncidentHead::price() const { return m_price->value() > 0 ? std::optional(m_price->value()) : std::nullopt; }

void IncidentHead::editPrice() {
  m_price->setFocus();
  m_price->selectAll();
}

void IncidentHead::editTitle() { m_title->edit(); }

void IncidentHead::askWhyDismissed() {
  m_states->setCurrentIndex(static_cast<int>(m_shown.incident.state));
  m_reason->clear();
  m_reason->show();
  m_reason->setFocus();
}

void IncidentHead::setIncident(const Shown& shown) {
  const bool another = shown.incident.uuid != m_shown.incident.uuid;
  if (another) m_reason->hide();
  m_shown = shown;
  const Incident& incident = shown.incident;
  const QString why = shown.proposal ? tr("Accept it first.") : shown.refusal;
  const bool editable = why.isEmpty();
  for (EditableText* text : {m_title, m_sentence}) text->setEditable(editable);
  m_title->setText(shown.page ? sentenceText(shown.page->answer.title, kHeadTitleChars) : screenText(incident.title, kHeadTitleChars),
                   screenText(incident.title, kHeadTitleChars));
  const words::Sentence sentence = shown.page && !shown.page->answer.sentence.english.empty()
                                       ? shown.page->answer.sentence
                                       : words::Sentence(words::Message{"verbatim", {{"text", incident.summary}}});
  const QString none = shown.page ? tr("No finding belongs to it, and its cause is not recorded.") : QString();
  m_sentence->setText(sentence.english.empty() ? none : sentenceText(sentence, kSentenceChars),
                      screenText(sentence.english, kSentenceChars));
  QStringList when;
  if (shown.proposal) when << tr("proposed");
  when << QStringList{severityLabel(incident.severity), rangeText(shown.page ? shown.page->answer.range : incident.range, shown.style)};
  if (shown.attempt) when << tr("attempt %1").arg(*shown.attempt);
  if (const auto count = incident.findings.size(); count > 0) when << (count == 1 ? tr("1 finding") : tr("%1 findings").arg(count));
  if (incident.state == IncidentState::kDismissed) when << tr("not a problem because %1").arg(screenText(incident.reason, 300));
  m_when->setText(when.join(QStringLiteral("  ·  ")));
  m_states->setVisible(!shown.proposal);
  m_states->setEnabled(editable);
  if (!m_states->view()->isVisible()) m_states->setCurrentIndex(static_cast<int>(incident.state));
  m_impact->setNumbers(shown.page ? impactNumbers(shown.page->answer.impact, price()) : std::vector<ImpactNumber>());
  m_causes->setEnabled(editable);
  m_causes->setToolTip(editable ? tr("What it is put down to; the counts are those of Llama 3, 54 days on 16 384 GPUs "
                                     "(arXiv 2407.21783, table 5)")
                                : why);
  showCause();
}

void IncidentHead::showCause() {
  const QString code = QString::fromStdString(m_shown.incident.cause);
  int index = m_causes->findData(code);
  if (index < 0) {  // written by a newer version of the program
    m_causes->addItem(causeWords(m_shown.incident.cause), code);
    index = m_causes->count() - 1;
  }
  if (!m_causes->view()->isVisible()) m_causes->setCurrentIndex(index);
  const auto& likely = m_shown.page ? m_shown.page->likely : std::optional<LikelyCause>();
  const bool propose = likely && m_shown.incident.cause.empty();
  m_likely->setVisible(propose);
  m_take->setVisible(propose && !m_shown.proposal);
  m_take->setEnabled(m_causes->isEnabled());
  if (propose) m_likely->setText(tr("%1 suggests: %2").arg(screenText(likely->why, 80), causeWords(std::string(likely->code))));
}

void IncidentHead::showConflict(const QString& words, const QStringList& differences) {
  m_conflict_words->setText(severityGlyph(Severity::kWarning) + u' ' +
                            tr("Not saved: this incident was changed since it was read: %1. Your change: %2.")
                                .arg(differences.join(QStringLiteral("; ")), words));
  m_conflict->show();
}

void IncidentHead::hideConflict() { m_conflict->hide(); }

}  // namespace runglass
