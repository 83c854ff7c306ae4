// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. At most one row of the two lists is selected, that of m_chosen. 2. Signals are emitted only for the user's own choices.
#include "widgets/incidents/incident_list.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/theme.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr int kRowPx = 2 * kRowHeight, kPad = 2 * kGrid, kGlyphPx = 5 * kGrid;
constexpr int kProposalsShown = 4;  // number of rows before their list scrolls
constexpr int kTitleChars = 200;
constexpr int kMenuChars = 60;
constexpr int kYearChars = 5;  // "2026-"

class EntryDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {0, kRowPx}; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = currentTheme();
    const bool chosen = (option.state & QStyle::State_Selected) != 0;
    painter->save();
    painter->fillRect(option.rect, chosen ? theme.selection : theme.ground);
    if (chosen) painter->fillRect(QRect(option.rect.left(), option.rect.top(), kSelectionLine, kRowPx), theme.accent);
    painter->setPen(theme.line);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    const bool quiet = index.data(IncidentEntryModel::kQuietRole).toBool();
    const auto severity = static_cast<Severity>(index.data(IncidentEntryModel::kSeverityRole).toInt());
    const QRect words = option.rect.adjusted(kPad + kGlyphPx, kGrid / 2, -kPad, -kGrid / 2);
    const QRect top(words.left(), words.top(), words.width(), words.height() / 2);
    painter->setFont(textFont());
    painter->setPen(quiet ? theme.muted : severityColor(theme, severity));
    painter->drawText(QRect(option.rect.left() + kPad, top.top(), kGlyphPx, top.height()), Qt::AlignLeft | Qt::AlignVCenter,
                      quiet ? QStringLiteral("·") : severityGlyph(severity));
    painter->setPen(quiet ? theme.muted : theme.text);
    painter->drawText(top, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, top.width()));
    painter->setFont(tableFont());
    painter->setPen(theme.muted);
    QRect bottom(words.left(), top.bottom(), words.width(), words.height() / 2);
    const QString cost = index.data(IncidentEntryModel::kCostRole).toString();
    painter->drawText(bottom, Qt::AlignRight | Qt::AlignVCenter, cost);
    bottom.setRight(bottom.right() - painter->fontMetrics().horizontalAdvance(cost) - kPad);
    painter->drawText(
        bottom, Qt::AlignLeft | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data(IncidentEntryModel::kSecondRole).toString(), Qt::ElideRight, bottom.width()));
    painter->restore();
  }
};

QListView* makeView(IncidentEntryModel* model, const QString& name, QWidget* parent) {
  auto* view = new QListView(parent);
  view->setModel(model);
  view->setItemDelegate(new EntryDelegate(view));
  view->setUniformItemSizes(true);
  view->setFrameShape(QFrame::NoFrame);
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view->setAccessibleName(name);
  return view;
}

QLabel* makeHead(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setFont(tableFont());
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

QString beginText(const std::optional<TimeRange>& range, TimeStyle style) {
  if (!range) return IncidentText::tr("without a time");
  // The year is in the tooltip: a row has little space.
  const QString time = formatTime(range->t0, style);
  return style == TimeStyle::kRelative ? time : time.mid(kYearChars).section(u' ', 0, 1);
}

}  // namespace

IncidentEntry entryOf(const Incident& incident, const IncidentImpact* cost, const IncidentList& list, TimeStyle style) {
  const QString title = list.titleOf(incident);
  IncidentEntry entry{.key = incident.uuid, .severity = incident.severity, .title = title};
  entry.quiet = incident.state >= IncidentState::kResolved;
  entry.second = QStringLiteral("%1 %2 · %3").arg(stateGlyph(incident.state), stateWord(incident.state), beginText(incident.range, style));
  entry.cost = costText(cost);
  QString tip = QStringLiteral("%1\n%2, %3, %4")
                    .arg(title, severityLabel(incident.severity), stateWord(incident.state), rangeText(incident.range, style));
  if (!incident.reason.empty()) tip += u'\n' + IncidentText::tr("Not a problem: %1").arg(screenText(incident.reason));
  entry.tip = plainTip(tip);
  return entry;
}

IncidentEntry entryOf(const IncidentProposal& proposal, const IncidentList& list, TimeStyle style) {
  const Incident& incident = proposal.incident;
  IncidentEntry entry{.key = proposal.key, .severity = incident.severity, .title = sentenceText(proposal.title, kTitleChars)};
  const auto count = static_cast<qlonglong>(incident.findings.size());
  entry.second = (count == 1 ? IncidentText::tr("%1 · %2 finding") : IncidentText::tr("%1 · %2 findings"))
                     .arg(beginText(incident.range, style), QString::number(count));
  QString joins;
  if (const Incident* other = proposal.joins.empty() ? nullptr : list.find(proposal.joins))
    joins = IncidentText::tr("belongs to “%1”").arg(list.titleOf(*other, kMenuChars));
  if (!joins.isEmpty()) entry.second += QStringLiteral(" · ") + joins;
  entry.tip =
      plainTip(QStringLiteral("%1\n%2, %3\n%4")
                   .arg(sentenceText(proposal.sentence, 600), severityLabel(incident.severity), rangeText(incident.range, style), joins));
  return entry;
}

void IncidentEntryModel::setEntries(std::vector<IncidentEntry> entries) {
  const bool same_keys = std::ranges::equal(entries, m_entries, {}, &IncidentEntry::key, &IncidentEntry::key);
  if (!same_keys) {
    beginResetModel();
    m_entries = std::move(entries);
    endResetModel();
    return;
  }
  if (entries == m_entries) return;
  m_entries = std::move(entries);
  emit dataChanged(index(0), index(rowCount() - 1));
}

int IncidentEntryModel::rowOf(std::string_view key) const {
  const auto found = std::ranges::find(m_entries, key, &IncidentEntry::key);
  return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
}

int IncidentEntryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_entries.size()); }

QVariant IncidentEntryModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !checkIndex(index)) return {};
  const IncidentEntry& entry = m_entries[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return entry.title;
    case Qt::ToolTipRole:
      return entry.tip;
    case Qt::AccessibleTextRole:
      return QString(severityLabel(entry.severity) + QStringLiteral(": ") + entry.title + QStringLiteral(", ") + entry.second + u' ' +
                     entry.cost);
    case kSecondRole:
      return entry.second;
    case kCostRole:
      return entry.cost;
    case kSeverityRole:
      return static_cast<int>(entry.severity);
    case kQuietRole:
      return entry.quiet;
    default:
      return {};
  }
}

IncidentListPanel::IncidentListPanel(QWidget* parent)
    : QWidget(parent),
      m_proposals(new IncidentEntryModel(this)),
      m_incidents(new IncidentEntryModel(this)),
      m_proposal_view(makeView(m_proposals, tr("Proposed incidents"), this)),
      m_incident_view(makeView(m_incidents, tr("Incidents"), this)),
      m_proposal_head(makeHead(this)),
      m_incident_head(makeHead(this)),
      m_accept(new QPushButton(tr("Accept"), this)),
      m_merge(new QPushButton(tr("Merge into"), this)),
      m_dismiss(new QPushButton(tr("Dismiss …"), this)),
      m_merge_incident(new QPushButton(tr("Merge into"), this)),
      m_reason(new QLineEdit(this)),
      m_merge_menu(new QMenu(this)) {
  m_proposal_box = makeProposals();
  auto* fresh = new QPushButton(tr("New"), this);
  fresh->setToolTip(tr("Make an incident of the time window and the selection (Shift+I)"));
  fresh->setFocusPolicy(Qt::TabFocus);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(kPad, kGrid, kPad, kGrid);
  buttons->setSpacing(kGrid);
  m_incident_head->setContentsMargins(kPad, kGrid, kPad, 0);
  m_merge_incident->setToolTip(tr("Its findings, evidence and notes join another incident, and it is dismissed"));
  m_merge_incident->setFocusPolicy(Qt::TabFocus);
  m_merge_incident->setMenu(m_merge_menu);
  buttons->addWidget(fresh, 1);
  buttons->addWidget(m_merge_incident, 1);
  buttons->addStretch(1);  // as wide as the buttons of proposals
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_proposal_box);
  column->addWidget(m_incident_head);
  column->addLayout(buttons);
  column->addWidget(m_incident_view, 1);
  setFocusProxy(m_incident_view);
  connect(fresh, &QPushButton::clicked, this, &IncidentListPanel::newWanted);
  for (QListView* view : {m_proposal_view, m_incident_view})
    connect(view->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this, view](const QModelIndex& now) { rowChosen(view, now.row()); });
  updateButtons();
}

QWidget* IncidentListPanel::makeProposals() {
  auto* box = new QWidget(this);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(kPad, kGrid, kPad, kGrid);
  buttons->setSpacing(kGrid);
  for (QPushButton* push : {m_accept, m_merge, m_dismiss}) {
    push->setFocusPolicy(Qt::TabFocus);
    buttons->addWidget(push, 1);
  }
  m_merge->setMenu(m_merge_menu);
  m_accept->setToolTip(tr("Make it an incident, with its findings and evidence"));
  m_merge->setToolTip(tr("Its findings and evidence join an incident that is there"));
  m_dismiss->setToolTip(tr("Say why it is no problem; it is not proposed again unless it gets worse"));
  m_reason->setPlaceholderText(tr("Not a problem because …  (Enter)"));
  m_reason->setAccessibleName(tr("Why it is not a problem"));
  m_reason->hide();
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_proposal_head->setContentsMargins(kPad, kPad, kPad, kGrid);
  column->addWidget(m_proposal_head);
  column->addWidget(m_proposal_view);
  column->addLayout(buttons);
  column->addWidget(m_reason);
  connect(m_accept, &QPushButton::clicked, this, &IncidentListPanel::acceptChosen);
  connect(m_dismiss, &QPushButton::clicked, this, &IncidentListPanel::dismissChosen);
  connect(m_merge_menu, &QMenu::aboutToShow, this, [this] { fillMenu(m_merge_menu); });
  connect(m_reason, &QLineEdit::returnPressed, this, [this] {
    const QString reason = m_reason->text().trimmed();
    if (reason.isEmpty() || !chosenIsProposal()) return;
    m_reason->clear();
    m_reason->hide();
    emit dismissWanted(QString::fromStdString(m_chosen), reason);
  });
  return box;
}

void IncidentListPanel::setList(std::shared_ptr<const IncidentList> list, TimeStyle style) {
  m_list = std::move(list);
  m_style = style;
  fill();
}

void IncidentListPanel::setCosts(std::shared_ptr<const IncidentCosts> costs) {
  m_costs = std::move(costs);
  fill();
}

void IncidentListPanel::fill() {
  if (!m_list) return;
  std::vector<IncidentEntry> incidents, proposals;
  std::size_t open = 0;
  for (const Incident& one : m_list->incidents) {
    const IncidentImpact* cost = nullptr;
    if (m_costs)
      if (const auto found = m_costs->of.find(one.uuid); found != m_costs->of.end()) cost = &found->second;
    incidents.push_back(entryOf(one, cost, *m_list, m_style));
    open += one.state == IncidentState::kOpen ? 1U : 0U;
  }
  for (const IncidentProposal& one : m_list->proposals.all) proposals.push_back(entryOf(one, *m_list, m_style));
  QString head = tr("Incidents: %1, %2 open").arg(incidents.size()).arg(open);
  const bool together = incidents.size() > 1 && m_costs && m_costs->gpu_hours.value;
  if (together) head = tr("%1; %2").arg(head, gpuHoursText(m_costs->gpu_hours));
  m_incident_head->setText(head);
  QString tip;
  if (together) tip = tr("What they cost together, without those dismissed: a restart that several of them count is in it once");
  if (together && m_costs->gpu_hours.at_least) tip = tr("%1; what one of them cost is not known").arg(tip);
  m_incident_head->setToolTip(tip);
  const std::size_t left_out = m_list->proposals.left_out;
  m_proposal_head->setText(
      left_out > 0
          ? tr("Proposed: %1; %2 findings were too many to look at").arg(QString::number(proposals.size()), QString::number(left_out))
          : tr("Proposed: %1").arg(proposals.size()));
  m_proposal_box->setVisible(!proposals.empty());
  m_proposal_view->setFixedHeight(kRowPx * std::min<int>(kProposalsShown, static_cast<int>(proposals.size())) + 1);
  m_quiet = true;
  m_incidents->setEntries(std::move(incidents));
  m_proposals->setEntries(std::move(proposals));
  m_quiet = false;
  choose(m_chosen);
}

void IncidentListPanel::choose(const std::string& key) {
  m_quiet = true;
  if (key != m_chosen) m_reason->hide();
  m_chosen = key;
  for (const auto& [view, model] : {std::pair(m_proposal_view, m_proposals), std::pair(m_incident_view, m_incidents)}) {
    const int row = model->rowOf(key);
    if (row < 0) {
      view->selectionModel()->clear();
    } else if (view->currentIndex().row() != row || !view->selectionModel()->isRowSelected(row)) {
      view->setCurrentIndex(model->index(row));
    }
  }
  m_quiet = false;
  updateButtons();
}

void IncidentListPanel::rowChosen(QListView* view, int row) {
  if (m_quiet || row < 0) return;
  const auto* model = view == m_proposal_view ? m_proposals : m_incidents;
  choose(model->entries()[static_cast<std::size_t>(row)].key);
  emit chosenChanged(QString::fromStdString(m_chosen));
}

bool IncidentListPanel::chosenIsProposal() const { return m_proposals->rowOf(m_chosen) >= 0; }

bool IncidentListPanel::acceptChosen() {
  if (!chosenIsProposal()) return false;
  emit acceptWanted(QString::fromStdString(m_chosen));
  return true;
}

bool IncidentListPanel::dismissChosen() {
  if (!chosenIsProposal()) return false;
  m_reason->show();
  m_reason->setFocus();
  return true;
}

bool IncidentListPanel::mergeChosen() {
  QPushButton* const push = chosenIsProposal() ? m_merge : m_merge_incident;
  if (!push->isEnabled()) return false;
  push->showMenu();
  return true;
}

void IncidentListPanel::fillMenu(QMenu* menu) {
  menu->clear();
  if (!m_list) return;
  for (const Incident& one : m_list->incidents) {
    if (one.state == IncidentState::kDismissed || one.uuid == m_chosen) continue;
    QString words = m_list->titleOf(one, kMenuChars);
    words.replace(u'&', QStringLiteral("&&"));
    const QString uuid = QString::fromStdString(one.uuid);
    connect(menu->addAction(stateGlyph(one.state) + u' ' + words), &QAction::triggered, this,
            [this, uuid] { emit mergeWanted(QString::fromStdString(m_chosen), uuid); });
  }
}

void IncidentListPanel::updateButtons() {
  const bool proposal = chosenIsProposal();
  const bool into = m_list && std::ranges::any_of(m_list->incidents, [&](const Incident& one) {
                      return one.state != IncidentState::kDismissed && one.uuid != m_chosen;
                    });
  m_accept->setEnabled(proposal);
  m_dismiss->setEnabled(proposal);
  m_merge->setEnabled(proposal && into);
  m_merge_incident->setVisible(m_incidents->rowCount() > 1);
  m_merge_incident->setEnabled(m_incidents->rowOf(m_chosen) >= 0 && into);
  if (!proposal) m_reason->hide();
}

}  // namespace runglass
