// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/evidence_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/ranking/node_commands.h"
#include "widgets/ranking/ranking_words.h"

namespace runglass {
namespace {

constexpr int kBarsShare = 40, kMachineShare = 28, kLinesShare = 32;
constexpr int kLongLine = 160;

QString timeText(std::optional<TimeNs> time, TimeStyle style) { return time ? formatTimeOfDay(*time, style) : kAbsentText; }
QString html(const QString& text) { return text.toHtmlEscaped(); }
QString link(const char* view, const QString& text) {
  // The colour is in the text, because a label ignores an equal text after a theme change.
  return QStringLiteral("<a style=\"text-decoration:none; color:%3\" href=\"%1\">%2</a>")
      .arg(QLatin1String(view), html(text), currentTheme().accent.name());
}

}  // namespace

EvidencePanel::EvidencePanel(ViewContext context, QWidget* parent)
    : QWidget(parent),
      m_context(std::move(context)),
      m_title(new QLabel),
      m_advice(new QLabel),
      m_machine(new QLabel),
      m_lines(new QLabel),
      m_copied(new QLabel),
      m_bars(new RankPartBars) {
  for (QLabel* label : {m_title, m_advice, m_machine, m_lines, m_copied}) {
    label->setWordWrap(label != m_copied);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    label->setContentsMargins(2 * kGrid, kGrid / 2, 2 * kGrid, kGrid / 2);
  }
  for (QLabel* label : {m_title, m_advice, m_copied}) label->setTextFormat(Qt::PlainText);
  for (QLabel* label : {m_machine, m_lines}) {
    label->setTextFormat(Qt::RichText);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    // Long lines wrap instead of pushing other widgets aside.
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    connect(label, &QLabel::linkActivated, this, &EvidencePanel::jump);
  }
  m_copied->setForegroundRole(QPalette::PlaceholderText);
  auto* middle = new QHBoxLayout;
  middle->setContentsMargins(0, 0, 0, 0);
  middle->addWidget(m_bars, kBarsShare);
  middle->addWidget(m_machine, kMachineShare);
  middle->addWidget(m_lines, kLinesShare);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_title);
  column->addLayout(middle, 1);
  column->addWidget(m_advice);
  column->addWidget(makeActions());
}

QWidget* EvidencePanel::makeActions() {
  auto* actions = new QWidget;
  auto* row = new QHBoxLayout(actions);
  row->setContentsMargins(2 * kGrid, 0, 2 * kGrid, kGrid);
  row->setSpacing(kGrid);
  const auto add = [&](const QString& text, const QString& help, auto action) {
    auto* button = new QPushButton;
    button->setText(text);
    button->setToolTip(help);
    connect(button, &QPushButton::clicked, this, action);
    row->addWidget(button);
  };
  add(tr("Timeline at its worst step"), tr("The step in which it took most more than its peers"), [this] { emit worstStepWanted(); });
  add(tr("If fixed …"), tr("Step time without this rank's delay"), [this] { emit whatIfWanted(); });
  add(tr("Copy hosts"), tr("The hosts of the chosen rows, comma-separated"), [this] { copy(hostList(m_nodes), tr("hosts")); });
  add(tr("Copy drain (Slurm)"), tr("scontrol update … state=drain, as text; nothing is run"),
      [this] { copy(drainCommand(true), tr("command")); });
  add(tr("Copy cordon (Kubernetes)"), tr("kubectl cordon …, as text; nothing is run"),
      [this] { copy(drainCommand(false), tr("command")); });
  add(tr("Copy pair test"), tr("nccl-tests of this node with a healthy one, and of two healthy ones"),
      [this] { copy(pairCommand(), tr("commands")); });
  row->addWidget(m_copied, 1);
  return actions;
}

std::optional<TimeRange> EvidencePanel::rangeOf(const RankingData& data, const RankRow& row, TimeNs now) {
  const Ranking& ranking = data.ranking;
  const Suspect* suspect = ranking.suspectOf(row.ranked);
  const auto last = ranking.over ? ranking.lastTime() : std::optional(now);
  if (suspect != nullptr && suspect->start) {
    const auto end = suspect->holds ? last : suspect->end;
    return TimeRange{*suspect->start, std::max(end.value_or(*suspect->start), *suspect->start + 1)};
  }
  std::optional<TimeRange> all;
  for (const auto& when : ranking.when)
    if (when) all = all ? TimeRange{std::min(all->t0, when->t0), std::max(all->t1, when->t1)} : *when;
  if (!all && ranking.votes.range.t1 > ranking.votes.range.t0) all = ranking.votes.range;
  return all;
}

void EvidencePanel::show(std::shared_ptr<const RankingData> data, const RankRow& row, QStringList nodes, TimeStyle style) {
  m_data = std::move(data);
  m_row = row;
  m_nodes = std::move(nodes);
  m_style = style;
  m_title->setText(rankEvidence(*m_data, m_row).section(u'\n', 0, 0));
  m_advice->setText(adviceText(*m_data, adviceFor(*m_data, m_row, m_context.now()), style));
  std::vector<PartBar> bars;
  for (const PartScore& part : m_row.score.parts)
    if (part.own_ns > 0 || part.peers_ns > 0 || part.own_wait_ns.value_or(0) > 0)
      bars.push_back({m_data->ranking.relative.parts[part.part], partNameText(m_data->ranking.relative, part.part), part.own_ns,
                      part.peers_ns, part.own_wait_ns, part.peers_wait_ns});
  m_bars->setBars(std::move(bars), tr("No parts of its steps are known, or it has too few peers to compare them with."));
  ask(*m_data, m_row);
  showMachine();
  showLines();
}

void EvidencePanel::ask(const RankingData& data, const RankRow& row) {
  const auto range = rangeOf(data, row, m_context.now());
  if (!range) {
    m_slot.cancel();  // the pending answer belongs to another row
    m_evidence.reset(), m_asked.reset(), m_failed.clear();
    return;
  }
  RankEvidenceQuestion question{.run = data.ranking.run.id, .place = row.ranked.place, .peers = {}, .range = *range};
  const bool same = m_asked && *m_asked == question;
  if (same && question.range.t1 - m_asked->range.t1 < kAskAgain) return;
  if (!same) m_evidence.reset(), m_failed.clear();
  for (const Rank& place : data.ranking.places)
    if (place.rank != row.score.rank && place.pp == row.ranked.place.pp) question.peers.push_back(place);
  m_asked = question;
  m_context.submitAtPlayhead<RankEvidence>(
      m_slot, same ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder,
      [question](const MomentReaders& readers, std::stop_token stop) { return readRankEvidence(readers.then, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const RankEvidence>>& answer) {
        m_failed = answer.ok() ? QString() : screenText(answer.status().message());
        if (answer.ok()) m_evidence = *answer;
        showMachine();
        showLines();
      });
}

// Links take their colour from the palette when their text is set.
void EvidencePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_data) return;
  showMachine();
  showLines();
}

void EvidencePanel::showMachine() {
  QStringList lines;
  if (!m_failed.isEmpty()) lines << tr("The machine's readings could not be read: %1").arg(html(m_failed));
  if (m_evidence) {
    QStringList against, ruled_out;
    for (const EvidenceLine& line : evidenceLines(*m_evidence)) (line.differs ? against : ruled_out) << line.text;
    for (const QString& text : against) lines << QStringLiteral("<b>%1</b>").arg(link("gpus", text));
    if (!ruled_out.isEmpty()) lines << tr("Ruled out:");
    for (const QString& text : ruled_out) lines << QStringLiteral("· ") + link("gpus", text);
    if (const QString missing = notRecorded(*m_evidence); !missing.isEmpty()) lines << html(tr("Not recorded: %1").arg(missing));
  } else if (m_failed.isEmpty()) {
    lines << (m_asked ? tr("Asking its machine …") : tr("Its steps have no clock: its machine cannot be asked."));
  }
  m_machine->setText(lines.join(QStringLiteral("<br>")));
}

void EvidencePanel::showLines() {
  if (!m_evidence) return m_lines->setText({});
  QStringList lines;
  for (const Event& event : m_evidence->events)
    lines << link(
        "events",
        QStringLiteral("%1 %2: %3").arg(timeText(event.time, m_style), screenText(event.kind, 40), screenText(event.message, kLongLine)));
  for (const LogHit& hit : m_evidence->logs)
    lines << link("events", tr("%1 log: %2").arg(timeText(hit.line.time, m_style), screenText(hit.line.text, kLongLine)));
  if (lines.isEmpty())
    lines << html(m_evidence->question.place.node ? tr("No warnings from its node in this window.")
                                                  : tr("It is not known which node it runs on."));
  m_lines->setText(lines.join(QStringLiteral("<br>")));
}

QString EvidencePanel::drainCommand(bool slurm) const {
  if (!slurm) return kubernetesCordon(m_nodes);
  return slurmDrain(m_nodes, drainReason(m_row.score.rank, m_row.ranked.slower, m_row.ranked.since_step));
}

// The healthy nodes are the best ranks' nodes other than the suspect's.
QString EvidencePanel::pairCommand() const {
  if (!m_data || m_row.node.isEmpty()) return {};
  QStringList healthy;
  int per_node = 0;
  for (const RankRow& row : m_data->rows) per_node += row.node == m_row.node ? 1 : 0;
  for (auto row = m_data->rows.rbegin(); row != m_data->rows.rend() && healthy.size() < 2; ++row)
    if (!row->node.isEmpty() && row->node != m_row.node && !row->ranked.stands_out && !healthy.contains(row->node)) healthy << row->node;
  return pairTest(m_row.node, healthy.value(0), healthy.value(1), per_node);
}

void EvidencePanel::copy(const QString& text, const QString& what) {
  if (text.isEmpty()) return m_copied->setText(tr("There is no %1 to copy: the node is not known, or it is the only one.").arg(what));
  QApplication::clipboard()->setText(text);
  m_copied->setText(tr("Copied: %1").arg(text.section(u'\n', 0, 0)));
}

QString EvidencePanel::text() const {
  QStringList lines{m_data ? rankEvidence(*m_data, m_row) : QString(), m_advice->text()};
  if (m_evidence)
    for (const EvidenceLine& line : evidenceLines(*m_evidence)) lines << line.text;
  return lines.join(u'\n');
}

}  // namespace runglass
