// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
// 1. m_before holds alignments of m_catalog's attempt: a change of the attempt empties it.
// 2. One edit is pending at a time.
#include "widgets/timeline/clock_panel.h"

#include <QHBoxLayout>
#include <QMenu>
#include <algorithm>
#include <numeric>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxLines = 12, kMaxUndo = 50;

// The same attempt without shifts: only its nodes' clocks.
ClockAlignment nothing(const TimelineCatalog& catalog) {
  return {.run_uuid = catalog.run.uuid, .attempt = catalog.attempt.number, .source = {}, .residual = {}, .shifts = {}};
}

QString signedDuration(DurNs duration) {
  if (duration == 0) return QStringLiteral("0");
  return (duration > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + formatDuration(std::abs(duration));
}

}  // namespace

QString alignmentWords(const std::optional<ClockAlignment>& alignment) {
  if (!alignment) return TimelineText::tr("clocks as stamped");
  if (alignment->source != "collectives") return TimelineText::tr("aligned by hand");
  const QString words = alignment->matches > 0 ? TimelineText::tr("aligned by %1 collectives").arg(formatCount(alignment->matches))
                                               : TimelineText::tr("aligned by collectives");
  return alignment->residual ? TimelineText::tr("%1, residual %2").arg(words, formatDuration(*alignment->residual)) : words;
}

QString proposalWords(const ClockProposal& proposal) {
  const ClockAlign& result = proposal.result;
  if (result.verdict != ClockAlignVerdict::kShift) return screenText(result.words, 400);
  QString words = TimelineText::tr("%1 operations on %2 clocks: their ends are up to %3 apart, and %4 after these shifts")
                      .arg(formatCount(result.matches))
                      .arg(std::ranges::count(result.clocks, true, &AlignedClock::aligned))
                      .arg(formatDuration(result.before), formatDuration(result.after));
  if (proposal.by_order > 0) words = TimelineText::tr("%1 (matched by their order: they have no numbers)").arg(words);
  std::vector<std::size_t> order(result.clocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) {
    const AlignedClock& clock = result.clocks[c];
    return clock.shift < 0 ? -(clock.shift + 1) : clock.shift;
  });
  std::size_t lines = 0, left_out = 0;
  for (const std::size_t c : order) {
    const AlignedClock& clock = result.clocks[c];
    if (!clock.aligned) ++left_out;
    if (!clock.aligned || clock.knots.empty() || ++lines > kMaxLines) continue;
    words += u'\n';
    words += (clock.knots.size() > 1 ? TimelineText::tr("%1  %2 ± %3, residual %4, was %5, drifts")
                                     : TimelineText::tr("%1  %2 ± %3, residual %4, was %5"))
                 .arg(screenText(proposal.owners[c].name, 40), signedDuration(clock.shift), formatDuration(clock.error),
                      formatDuration(clock.after), formatDuration(clock.before));
  }
  if (lines > kMaxLines) words += u'\n' + TimelineText::tr("and %1 more").arg(lines - kMaxLines);
  if (left_out > 0) words += u'\n' + TimelineText::tr("%1 with too few operations stay as they are").arg(left_out);
  return words;
}

ClockPanel::ClockPanel(const ViewContext& context, QWidget* parent)
    : QFrame(parent),
      m_context(context),
      m_button(new QToolButton),
      m_by_collectives(new QAction(tr("Align clocks by collectives …"), this)),
      m_begins(new QAction(tr("Align the other ranks' begins to the chosen span"), this)),
      m_ends(new QAction(tr("Align the other ranks' ends to the chosen span"), this)),
      m_undo(new QAction(tr("Undo the last alignment"), this)),
      m_off(new QAction(tr("Clocks as stamped"), this)),
      m_words(new QLabel),
      m_apply(new QPushButton(tr("Apply"))),
      m_close(new QPushButton(tr("Close"))) {
  m_begins->setShortcut(QKeySequence(Qt::ALT | Qt::Key_L));
  m_ends->setShortcut(QKeySequence(Qt::ALT | Qt::Key_R));
  for (QAction* action : actions()) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(m_by_collectives, &QAction::triggered, this, &ClockPanel::preview);
  connect(m_begins, &QAction::triggered, this, [this] { alignChosen(AlignEdge::kBegin); });
  connect(m_ends, &QAction::triggered, this, [this] { alignChosen(AlignEdge::kEnd); });
  connect(m_undo, &QAction::triggered, this, [this] {
    if (!m_before.empty()) store(m_before.back(), true);
  });
  connect(m_off, &QAction::triggered, this, [this] {
    if (m_catalog) store(nothing(*m_catalog), false);
  });
  auto* menu = new QMenu(m_button);
  menu->addActions({m_by_collectives, m_begins, m_ends});
  menu->addSeparator();
  menu->addActions({m_undo, m_off});
  m_button->setMenu(menu);
  m_button->setPopupMode(QToolButton::InstantPopup);
  m_button->setAutoRaise(true);
  m_button->setFont(tableFont());
  setFrameShape(QFrame::StyledPanel);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  m_words->setTextFormat(Qt::PlainText);
  m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_words->setWordWrap(true);
  row->addWidget(m_words, 1);
  row->addWidget(m_apply, 0, Qt::AlignTop);
  row->addWidget(m_close, 0, Qt::AlignTop);
  connect(m_apply, &QPushButton::clicked, this, [this] {
    if (m_proposed) store(*m_proposed, false);
  });
  connect(m_close, &QPushButton::clicked, this, [this] {
    m_slot.cancel();
    hide();
  });
  hide();
  showState();
}

void ClockPanel::setCatalog(std::shared_ptr<const TimelineCatalog> catalog) {
  if (!m_catalog || !catalog || m_catalog->attempt.id != catalog->attempt.id) {
    m_before.clear();
    m_proposed.reset();
    m_chosen.reset();
    m_slot.cancel();
    hide();
  }
  m_catalog = std::move(catalog);
  showState();
}

void ClockPanel::setChosen(const std::optional<ChosenCall>& chosen) {
  m_chosen = chosen;
  showState();
}

void ClockPanel::showState() {
  const auto alignment = m_catalog ? m_catalog->alignment : std::nullopt;
  m_button->setText(alignmentWords(alignment));
  const QString why = refusal();
  m_button->setToolTip(why.isEmpty() ? tr("How the clocks of nodes are aligned, and changing it") : why);
  m_by_collectives->setEnabled(m_catalog != nullptr);
  for (QAction* action : {m_begins, m_ends}) action->setEnabled(m_catalog != nullptr);
  m_undo->setEnabled(!m_before.empty() && !m_storing);
  m_off->setEnabled(alignment.has_value() && !m_storing);
}

QString ClockPanel::refusal() const {
  if (m_context.edits == nullptr) return tr("Read-only: open the store with --live, or connect to its hub, to edit.");
  return m_context.edits->refusal();
}

void ClockPanel::say(const QString& words, bool can_apply) {
  const QString why = refusal();
  m_words->setText(can_apply && !why.isEmpty() ? words + u'\n' + why : words);
  m_apply->setVisible(can_apply);
  m_apply->setEnabled(can_apply && why.isEmpty());
  m_apply->setToolTip(why);
  show();
}

void ClockPanel::preview() {
  if (!m_catalog) return;
  m_proposed.reset();
  say(tr("Comparing the ends of collectives …"));
  m_context.queries->submit<ClockProposal>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [run = m_catalog->run.id, attempt = m_catalog->attempt.id](Reader& reader, std::stop_token stop) {
        return proposeAlignment(reader, run, attempt, std::move(stop));
      },
      [this](const auto& answer) {
        if (!answer.ok()) return say(screenText(answer.status().message()));
        const bool shifts = (*answer)->result.verdict == ClockAlignVerdict::kShift;
        if (shifts) m_proposed = (*answer)->edit;
        say(proposalWords(**answer), shifts);
      });
}

void ClockPanel::alignChosen(AlignEdge edge) {
  if (!m_catalog || busy()) return;
  if (!m_chosen) return say(tr("Choose a collective first: the other ranks are aligned to it."));
  if (const QString why = refusal(); !why.isEmpty()) return say(why);
  m_context.queries->submit<ClockAlignment>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [chosen = *m_chosen, edge](Reader& reader, std::stop_token stop) { return alignToCall(reader, chosen, edge, std::move(stop)); },
      [this](const auto& answer) {
        if (!answer.ok()) return say(screenText(answer.status().message()));
        store(**answer, false);
      });
}

void ClockPanel::store(ClockAlignment alignment, bool is_undo) {
  if (!m_catalog || m_storing) return;
  if (const QString why = refusal(); !why.isEmpty()) return say(why);
  m_storing = true;
  showState();
  const ClockAlignment before = m_catalog->alignment.value_or(nothing(*m_catalog));
  m_context.edits->submit(std::move(alignment), this, [this, before, is_undo, attempt = m_catalog->attempt.id](const Status& status) {
    m_storing = false;
    if (!status.ok()) {
      say(screenText(status.message()));
    } else if (m_catalog && m_catalog->attempt.id == attempt) {
      if (is_undo && !m_before.empty()) m_before.pop_back();
      if (!is_undo) m_before.push_back(before);
      if (m_before.size() > kMaxUndo) m_before.erase(m_before.begin());
      m_proposed.reset();
      hide();
    }
    showState();
    if (status.ok()) emit aligned();
  });
}

}  // namespace runglass
