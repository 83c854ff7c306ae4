// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/rules_dialog.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/curves/card_data.h"

namespace runglass {
namespace {

template <class Get>
Column<RuleRow> countColumn(const QString& title, const QString& help, Get get) {
  return {.title = title,
          .help = help,
          .align = Qt::AlignRight,
          .text =
              [get](const RuleRow& row) {
                const std::optional<std::int64_t> value = get(row);
                return value ? formatCount(*value) : kAbsentText;
              },
          .sort =
              [get](const RuleRow& row) {
                const std::optional<std::int64_t> value = get(row);
                return value ? QVariant::fromValue(static_cast<qlonglong>(*value)) : QVariant();
              }};
}

std::vector<Column<RuleRow>> ruleColumns() {
  using R = RuleRow;
  std::vector<Column<R>> columns;
  columns.push_back({.title = CurveText::tr("rule"),
                     .help = CurveText::tr("Source of the rule; hover over a row for its text."),
                     .text = [](const R& r) { return r.rule; },
                     .tip = [](const R& r) { return r.says; }});
  columns.push_back(
      {.title = CurveText::tr("curve"), .help = CurveText::tr("Which of the card's losses."), .text = [](const R& r) { return r.curve; }});
  columns.push_back(countColumn(CurveText::tr("hits"), CurveText::tr("Points at which the rule strikes."),
                                [](const R& r) { return r.judged > 0 ? std::optional(r.hits) : std::nullopt; }));
  columns.push_back(countColumn(CurveText::tr("judged"),
                                CurveText::tr("Points after the rule's warm-up; 0: the curve is too short for it."),
                                [](const R& r) { return std::optional(r.judged); }));
  columns.push_back({.title = CurveText::tr("score"),
                     .help = CurveText::tr("Hits over judged points (the OLMo spike score is this number)."),
                     .align = Qt::AlignRight,
                     .text = [](const R& r) { return r.score ? formatValue(*r.score, "ratio") : kAbsentText; },
                     .sort = [](const R& r) { return r.score ? QVariant(*r.score) : QVariant(); },
                     .copy = [](const R& r) { return r.score ? fullNumber(*r.score) : QString(); }});
  columns.push_back(
      countColumn(CurveText::tr("first hit"), CurveText::tr("Step of the first one."), [](const R& r) { return r.first_hit; }));
  columns.push_back({.title = CurveText::tr("what it says"),
                     .help = CurveText::tr("Definition of the rule, with its window and warm-up."),
                     .text = [](const R& r) { return r.says; }});
  return columns;
}

}  // namespace

Result<std::vector<RuleRow>> readRuleRows(Reader& reader, const CardQuestion& question, std::stop_token stop) {
  std::vector<RuleRow> rows;
  const CurveTag& tag = question.catalog->tags.at(question.tag);
  for (const std::size_t index : question.members) {
    const CurveSeries& member = tag.members.at(index);
    if (!isLoss(member.series)) continue;
    RG_ASSIGN(const SharedSpikes own, question.spikes->spikes(reader, member.series, member.superseded_from, stop));
    RG_ASSIGN(const SharedRules rules, question.rule_cache->rules(reader, member.series, member.superseded_from, monotonicNow(), stop));
    RuleRow ours{.rule = CurveText::tr("Runglass"),
                 .says = CurveText::tr("log loss more than 8 robust sigma and 5 % above its local level; NaN and Inf"),
                 .curve = member.name,
                 .judged = rules->hits[0].points,
                 .score = {},
                 .first_hit = {}};
    for (const SeriesSpike& one : *own) ours.hits += one.spike.points;
    if (!own->empty()) ours.first_hit = own->front().spike.first_step;
    if (ours.judged > 0) ours.score = static_cast<double>(ours.hits) / static_cast<double>(ours.judged);
    rows.push_back(std::move(ours));
    for (std::size_t i = 0; i < publishedRules().size(); ++i) {
      const PublishedRuleInfo& info = publishedRules()[i];
      const RuleHits& hits = rules->hits[i];
      rows.push_back({.rule = termText(info.title),
                      .says = termText(info.says),
                      .curve = member.name,
                      .hits = static_cast<std::int64_t>(hits.steps.size()),
                      .judged = hits.judged,
                      .score = hits.score(),
                      .first_hit = hits.steps.empty() ? std::nullopt : std::optional(hits.steps.front())});
    }
  }
  return rows;
}

RulesDialog::RulesDialog(QueryService* queries, const CardQuestion& question, QWidget* parent)
    : QDialog(parent),
      m_rows(new TableModel<RuleRow>(
          ruleColumns(), [](const RuleRow& a, const RuleRow& b) { return a.rule == b.rule && a.curve == b.curve; }, this)),
      m_table(new TableView(m_rows, tr("Spike rules"), tr("Filter rules"), this)),
      m_note(new QLabel(tr("Applying every rule to every point …"), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Spike rules on %1").arg(question.catalog->tags.at(question.tag).title));
  m_note->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->addWidget(m_note);
  column->addWidget(m_table, 1);
  resize(1000, 340);
  queries->submit<std::vector<RuleRow>>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [question](Reader& reader, std::stop_token stop) { return readRuleRows(reader, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const std::vector<RuleRow>>>& answer) {
        if (!answer.ok()) return m_note->setText(tr("Could not be read: %1").arg(screenText(answer.status().message())));
        m_rows->setRows(*answer);
        m_table->fitColumns();
        m_note->setText(tr("The same curve under each rule, with the rule's own window and warm-up. Only Runglass' rule raises findings."));
      });
}

}  // namespace runglass
