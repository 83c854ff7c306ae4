// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/rewind_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <span>

#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxSpikes = 200;  // enough for a list that a user reads

}  // namespace

Result<std::vector<RewindSpike>> readRewindSpikes(Reader& reader, const CardQuestion& question, std::stop_token stop) {
  std::vector<RewindSpike> rows;
  const CurveTag& tag = question.catalog->tags.at(question.tag);
  for (const std::size_t index : question.members) {
    const CurveSeries& member = tag.members.at(index);
    if (!isLoss(member.series)) continue;
    RG_ASSIGN(const SharedSpikes spikes, question.spikes->spikes(reader, member.series, member.superseded_from, stop));
    const QString name = question.members.size() > 1 ? member.name : QString();
    for (const SeriesSpike& one : *spikes)
      rows.push_back({.question = {.run = member.series.run,
                                   .attempt = member.series.key.attempt,
                                   .first_step = one.spike.first_step,
                                   .last_step = one.spike.last_step},
                      .words = (name.isEmpty() ? QString() : name + QStringLiteral(": ")) + spikeWords(one.spike),
                      .malignant = one.spike.verdict == SpikeVerdict::kMalignant});
  }
  std::ranges::stable_sort(rows, [](const RewindSpike& a, const RewindSpike& b) {
    return a.malignant != b.malignant ? a.malignant : a.question.first_step > b.question.first_step;
  });
  return rows;
}

RewindDialog::RewindDialog(QueryService* queries, const CardQuestion& question, QWidget* parent)
    : QDialog(parent),
      m_queries(queries),
      m_spike(new QComboBox(this)),
      m_rule(new QComboBox(this)),
      m_text(new QPlainTextEdit(this)),
      m_copy(new QPushButton(tr("Copy"), this)),
      m_copy_argument(new QPushButton(tr("Copy --iterations-to-skip"), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Plan a rewind"));
  m_spike->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_rule->addItem(tr("PaLM: 100 steps before, 200 to 500 batches"));
  m_rule->addItem(tr("Falcon: latest checkpoint, 1 B tokens"));
  m_rule->setToolTip(tr("Which recorded practice to follow: where to start again, and how much data to leave out"));
  m_text->setReadOnly(true);
  m_text->setFont(tableFont());
  m_text->setAccessibleName(tr("The plan"));
  m_text->setPlainText(tr("Looking for spikes …"));
  m_copy->setEnabled(false);
  m_copy->setToolTip(tr("The whole plan. Runglass runs nothing: paste it where you need it"));
  m_copy_argument->setEnabled(false);
  m_copy_argument->setToolTip(tr("Megatron-LM's argument alone, for the command that starts your job"));
  auto* bar = new QHBoxLayout;
  bar->addWidget(new QLabel(tr("spike"), this));
  bar->addWidget(m_spike, 1);
  bar->addWidget(new QLabel(tr("rule"), this));
  bar->addWidget(m_rule);
  auto* column = new QVBoxLayout(this);
  column->addLayout(bar);
  column->addWidget(m_text, 1);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(m_copy_argument);
  buttons->addWidget(m_copy);
  column->addLayout(buttons);
  resize(1000, 360);
  connect(m_spike, &QComboBox::activated, this, [this] { plan(); });
  connect(m_rule, &QComboBox::activated, this, [this] { plan(); });
  connect(m_copy_argument, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_argument); });
  connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_text->toPlainText()); });
  queries->submit<std::vector<RewindSpike>>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [question](Reader& reader, std::stop_token stop) { return readRewindSpikes(reader, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const std::vector<RewindSpike>>>& answer) { fillSpikes(answer); });
}

void RewindDialog::fillSpikes(const Result<std::shared_ptr<const std::vector<RewindSpike>>>& answer) {
  if (!answer.ok()) return m_text->setPlainText(tr("The spikes could not be read: %1").arg(screenText(answer.status().message())));
  m_spikes = *answer;
  if (m_spikes->empty()) return m_text->setPlainText(tr("This curve has no spike."));
  for (const RewindSpike& one : std::span(*m_spikes).first(std::min(m_spikes->size(), kMaxSpikes))) m_spike->addItem(one.words);
  if (m_spikes->size() > kMaxSpikes) {
    m_spike->addItem(tr("… and %1 more: runglassctl rewind --step plans for any step").arg(m_spikes->size() - kMaxSpikes));
    m_spike->setItemData(m_spike->count() - 1, 0, Qt::UserRole - 1);  // not selectable
  }
  plan();
}

void RewindDialog::plan() {
  const auto at = static_cast<std::size_t>(std::max(0, m_spike->currentIndex()));
  if (m_spikes == nullptr || at >= std::min(m_spikes->size(), kMaxSpikes)) return;
  RewindQuestion question = (*m_spikes)[at].question;
  question.rule = m_rule->currentIndex() == 1 ? RewindRule::kFalcon : RewindRule::kPalm;
  m_copy->setEnabled(false);
  m_copy_argument->setEnabled(false);
  m_queries->submit<RewindAnswer>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [question](Reader& reader, std::stop_token stop) { return readRewind(reader, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const RewindAnswer>>& answer) {
        if (!answer.ok()) return m_text->setPlainText(tr("No plan: %1").arg(screenText(answer.status().message())));
        QStringList lines;
        // Never truncated: a truncated command would leave out the wrong batches.
        for (const std::string& line : rewindLines(**answer)) lines += screenText(line, static_cast<int>(line.size()));
        m_text->setPlainText(lines.join(u'\n'));
        m_copy->setEnabled(true);
        m_argument = QString::fromStdString(megatronSkipArgument((*answer)->plan));
        m_copy_argument->setEnabled(!m_argument.isEmpty());
      });
}

}  // namespace runglass
