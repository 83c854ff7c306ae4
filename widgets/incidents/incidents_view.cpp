// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The right side shows m_chosen, stored or proposed; m_page belongs to it or is null. 2. Only the user's choice becomes the
// shared selection; the initial choice does not. 3. Edits go through m_editor only (incidents_view_edits.cpp).
#include "widgets/incidents/incidents_view.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "analysis/incident/incident_costs.h"
#include "widgets/core/theme.h"
#include "widgets/incidents/incident_cards.h"
#include "widgets/incidents/incident_facts.h"
#include "widgets/incidents/incident_head.h"
#include "widgets/incidents/incident_lanes.h"
#include "widgets/incidents/incident_notes.h"
#include "widgets/incidents/incident_share.h"
#include "widgets/incidents/logbook_page.h"

namespace runglass {
namespace {

constexpr int kListWidth = 75 * kGrid, kMinRail = 60 * kGrid;
constexpr int kMiddleShare = 72, kRailShare = 28, kFactsShare = 75, kNotesShare = 25;
constexpr int kMaxLanesShare = 42;  // percent of the middle column that the timeline takes at most initially
constexpr DurNs kAround = 60 * kNsPerSecond;

TimeRange around(TimeNs begin, TimeNs end) {
  constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
  return {begin < kLowest + kAround ? kLowest : begin - kAround, end > kHighest - kAround ? kHighest : end + kAround};
}

}  // namespace

IncidentsView::IncidentsView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_editor(new IncidentEditor(m_context.edits, this)),
      m_list_panel(new IncidentListPanel(this)),
      m_head(new IncidentHead(this)),
      m_lanes(new IncidentLanes(this)),
      m_cards(new IncidentCards(m_context.queries, this)),
      m_facts(new IncidentFacts(this)),
      m_notes(new IncidentNotes(this)),
      m_share(new IncidentShare(m_context.share, this)),
      m_logbook(new LogbookPage(m_context, this)),
      m_panel(new StatePanel(this)),
      m_detail_panel(new StatePanel(this)),
      m_tabs(new QTabWidget(this)) {
  auto* incidents = new QWidget(this);
  m_stack = new QStackedLayout(incidents);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_tabs->setDocumentMode(true);
  m_tabs->setAccessibleName(tr("Incidents and run log"));
  m_tabs->addTab(incidents, tr("Incidents"));
  m_tabs->addTab(m_logbook, tr("Run log"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_tabs);
  setFocusProxy(m_list_panel);
  m_panel->showLoading(tr("Reading the incidents …"));
  connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
    if (logbookShown()) m_logbook->applyState(m_state);
  });
  connectProposals();
  connectEdits();
  connectJumps();
}

IncidentsView::~IncidentsView() = default;

QWidget* IncidentsView::makePage() {
  auto* page = new QWidget(this);
  m_list_panel->setFixedWidth(kListWidth);
  auto* rail = new QSplitter(Qt::Vertical);
  rail->addWidget(m_facts);
  rail->addWidget(m_notes);
  rail->setStretchFactor(0, 1);
  rail->setSizes({kFactsShare * 10, kNotesShare * 10});
  rail->setMinimumWidth(kMinRail);
  m_middle = new QSplitter(Qt::Vertical);
  m_middle->addWidget(m_lanes);
  m_middle->addWidget(m_cards);
  m_middle->setStretchFactor(1, 1);
  connect(m_middle, &QSplitter::splitterMoved, this, [this] { m_middle_moved = true; });
  auto* body = new QSplitter(Qt::Horizontal);
  body->addWidget(m_middle);
  body->addWidget(rail);
  body->setStretchFactor(0, kMiddleShare);
  body->setStretchFactor(1, kRailShare);
  body->setSizes({kMiddleShare * 10, kRailShare * 10});
  for (QSplitter* one : {rail, m_middle, body}) one->setChildrenCollapsible(false);
  auto* shown = new QWidget;
  auto* column = new QVBoxLayout(shown);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_head);
  column->addWidget(body, 1);
  column->addWidget(m_share);
  auto* right = new QWidget;
  m_detail = new QStackedLayout(right);
  m_detail->addWidget(shown);
  m_detail->addWidget(m_detail_panel);
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(m_list_panel);
  auto* edge = new QFrame;
  edge->setFrameShape(QFrame::VLine);
  edge->setFrameShadow(QFrame::Plain);
  edge->setFixedWidth(kHairline);
  edge->setForegroundRole(QPalette::Mid);
  row->addWidget(edge);
  row->addWidget(right, 1);
  return page;
}

void IncidentsView::connectJumps() {
  connect(m_lanes, &IncidentLanes::entryChosen, this, &IncidentsView::jumpTo);
  connect(m_cards, &IncidentCards::opened, this, &IncidentsView::open);
  connect(m_facts, &IncidentFacts::suspectChosen, this, [this](const IncidentSuspect& suspect) {
    Selection selection = m_context.state->state().selection;
    selection.run = m_list->run.id;
    selection.rank = suspect.rank;
    const auto node = m_list->nodes.find(suspect.node);
    selection.node = node != m_list->nodes.end() ? node->second : NodeId{};
    m_context.state->select(selection);
  });
  connect(m_share, &IncidentShare::reportWanted, this, [this] {
    if (!proposalShown() && shownIncident() != nullptr) emit reportRequested(QString::fromStdString(m_chosen));
  });
}

void IncidentsView::applyState(const ViewState& state) {
  const bool another = state.selection.run != m_state.selection.run && (!m_list || state.selection.run != m_list->run.id);
  const bool restyled = state.time_style != m_state.time_style;
  const bool chosen_elsewhere = state.selection.incident != m_state.selection.incident && !state.selection.incident.empty();
  m_state = state;
  m_lanes->setMoment(state.moment);
  if (restyled && m_list) {
    m_list_panel->setList(m_list, state.time_style);
    showChosen();
  }
  if (chosen_elsewhere && state.selection.incident != m_chosen) choose(state.selection.incident);
  // An incident that is not in the list was just created, or belongs to another run.
  if (!m_asked || another || (chosen_elsewhere && shownIncident() == nullptr)) askList(QueryService::Supersede::kCancelOlder);
  if (logbookShown()) m_logbook->applyState(state);
}

void IncidentsView::refresh(Tick tick) {
  if (tick != Tick::kText) return;
  if (logbookShown()) m_logbook->refresh();
  if (m_list_age.isValid() && m_list_age.elapsed() >= kListAgainMs) askList(QueryService::Supersede::kAfterCurrent);
}

bool IncidentsView::isFinal() const {
  if (logbookShown()) return m_logbook->isFinal();
  return m_shown && !m_list_slot.busy() && !m_page_slot.busy() && !m_cost_slot.busy() && !m_editor->busy() && m_cards->isFinal();
}

QString IncidentsView::copyText() const { return logbookShown() ? m_logbook->copyText() : m_lanes->copyText(); }

bool IncidentsView::showTab(const QString& name) {
  if (name != QLatin1String("incidents") && name != QLatin1String("logbook")) return false;
  m_tabs->setCurrentIndex(name == QLatin1String("logbook") ? 1 : 0);
  return true;
}

void IncidentsView::focusFilter() { logbookShown() ? m_logbook->focusFilter() : m_lanes->focusFilter(); }

bool IncidentsView::logbookShown() const { return m_tabs->currentIndex() == 1; }

void IncidentsView::askList(QueryService::Supersede supersede) {
  m_asked = true;
  m_list_age.start();
  m_context.queries->submit<IncidentList>(
      m_list_slot, supersede,
      [run = m_state.selection.run](Reader& reader, std::stop_token stop) { return readIncidentList(reader, run, std::move(stop)); },
      [this](const auto& answer) { showList(answer); });
}

void IncidentsView::showList(const Result<std::shared_ptr<const IncidentList>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    m_editor->setList(nullptr);
    if (answer.status().code() == Code::kNotFound)
      m_panel->showEmpty(tr("No run in this store yet."), tr("Incidents are of a run."));
    else
      m_panel->showFailed(tr("The incidents cannot be read."), screenText(answer.status().message()));
    m_stack->setCurrentWidget(m_panel);
    return;
  }
  m_list = *answer;
  m_list_panel->setList(m_list, m_state.time_style);
  if (m_list->incidents.empty() && m_list->proposals.all.empty()) {
    m_panel->showEmpty(tr("No incident."), tr("Make one from a finding (I) or a selection (Shift+I)."));
    m_panel->offer(tr("New"), [this] { emit newWanted(); });
    m_stack->setCurrentWidget(m_panel);
    m_editor->setList(m_list);
    return;
  }
  m_stack->setCurrentIndex(1);
  choose(m_list->find(m_chosen) != nullptr || m_list->proposal(m_chosen) != nullptr ? m_chosen : firstChoice());
  askCosts();
  m_editor->setList(m_list);
}

std::string IncidentsView::firstChoice() const {
  if (m_list->find(m_state.selection.incident) != nullptr) return m_state.selection.incident;
  const auto& incidents = m_list->incidents;
  if (!incidents.empty() && incidents.front().state == IncidentState::kOpen) return incidents.front().uuid;
  if (!m_list->proposals.all.empty()) return m_list->proposals.all.front().key;
  return incidents.empty() ? std::string() : incidents.front().uuid;
}

// For all incidents at once, and only when one of them, or the price, has changed; from time to time while one is ongoing.
void IncidentsView::askCosts() {
  std::vector<std::pair<std::string, std::optional<TimeNs>>> of;
  for (const Incident& one : m_list->incidents) of.emplace_back(one.uuid, one.updated);
  const bool aged = m_list->live && m_costs_age.isValid() && m_costs_age.elapsed() >= kPageAgainMs;
  if (of == m_costs_of && m_head->price() == m_costs_price && !aged) return;
  m_costs_of = std::move(of);
  m_costs_price = m_head->price();
  m_costs_age.start();
  m_context.queries->submit<IncidentCosts>(
      m_cost_slot, QueryService::Supersede::kCancelOlder,
      [list = m_list, price = m_costs_price](Reader& reader, std::stop_token stop) {
        return readIncidentCosts(reader, list->run, list->incidents, list->findings, price, std::move(stop));
      },
      [this](const Result<std::shared_ptr<const IncidentCosts>>& answer) {
        if (answer.ok()) m_list_panel->setCosts(*answer);
      });
}

const Incident* IncidentsView::shownIncident() const {
  if (!m_list) return nullptr;
  if (const Incident* stored = m_list->find(m_chosen)) return stored;
  const IncidentProposal* proposed = m_list->proposal(m_chosen);
  return proposed != nullptr ? &proposed->incident : nullptr;
}

bool IncidentsView::proposalShown() const { return m_list && m_list->find(m_chosen) == nullptr && m_list->proposal(m_chosen) != nullptr; }

void IncidentsView::choose(const std::string& key) {
  if (key != m_chosen) {
    m_chosen = key;
    m_page.reset();
    m_page_of = {};
    m_page_slot.cancel();
    m_head->hideConflict();
  }
  m_list_panel->choose(key);
  showChosen();
}

void IncidentsView::chosenByUser(const std::string& key) {
  choose(key);
  const Incident* const incident = shownIncident();
  if (incident == nullptr) return;
  const Incident chosen = *incident;  // a copy: the signals that this emits may replace the list
  m_context.state->goTo(proposalShown() ? m_context.state->state().selection : selectionOf(chosen), windowOf(chosen));
}

void IncidentsView::showChosen() {
  const Incident* const incident = shownIncident();
  if (incident == nullptr) {
    m_detail_panel->showLoading(tr("Reading the incident …"));
    m_detail->setCurrentIndex(1);
    return;
  }
  m_detail->setCurrentIndex(0);
  const bool proposal = proposalShown();
  const QString refusal = proposal ? tr("Accept it first.") : m_editor->refusal();
  const AttemptId attempt = m_page && m_page->answer.attempt ? m_page->answer.attempt->id : incident->attempt;
  m_head->setIncident({.incident = *incident,
                       .proposal = proposal,
                       .refusal = refusal,
                       .page = m_page,
                       .attempt = m_list->numberOf(attempt),
                       .style = m_state.time_style});
  m_lanes->setPage(m_page, m_state.time_style);
  m_lanes->setMoment(m_state.moment);
  if (m_page && !m_middle_moved) {
    const int all = m_middle->height(), lanes = std::min(m_lanes->wantedHeight(), all * kMaxLanesShare / 100);
    m_middle->setSizes({lanes, all - lanes});
  }
  m_facts->setPage(m_page);
  m_notes->setNotes(incident->uuid, incident->notes, refusal);
  m_cards->setIncident(*incident, refusal, m_state.time_style);
  m_share->setIncident(proposal ? std::string() : incident->uuid, screenText(incident->title), refusal);
  m_share->setEstimate(m_page ? &m_page->size : nullptr);
  const bool aged = m_list->live && incident->state == IncidentState::kOpen && m_page_age.isValid() && m_page_age.elapsed() >= kPageAgainMs;
  if (aged) m_cards->reload();
  // Its current content stays until the whole answer has arrived.
  if (*incident != m_page_of || m_head->price() != m_page_price || aged) askPage(m_page != nullptr && m_page->ranked);
  if (!proposal && !m_name_when_shown.empty() && m_name_when_shown == incident->uuid) {
    m_name_when_shown.clear();
    m_head->editTitle();
  }
}

void IncidentsView::askPage(bool with_ranking) {
  const Incident* const incident = shownIncident();
  if (incident == nullptr) return;
  m_page_of = *incident;
  m_page_price = m_head->price();
  m_page_age.start();
  m_context.queries->submit<IncidentPage>(
      m_page_slot, QueryService::Supersede::kCancelOlder,
      [question = PageQuestion{.list = m_list, .incident = *incident, .price = m_page_price, .with_ranking = with_ranking}](
          Reader& reader, std::stop_token stop) { return readIncidentPage(reader, question, std::move(stop)); },
      [this, with_ranking](const auto& answer) { showPage(answer, with_ranking); });
}

void IncidentsView::showPage(const Result<std::shared_ptr<const IncidentPage>>& answer, bool with_ranking) {
  if (!answer.ok()) {
    // Earlier content stays; without any the page shows the reason.
    m_share->say(screenText(answer.status().message()), true);
    if (m_page) {
      auto page = std::make_shared<IncidentPage>(*m_page);
      page->ranked = true;  // nothing else is pending
      m_page = std::move(page);
      return showChosen();
    }
    m_detail_panel->showFailed(tr("The incident cannot be read."), screenText(answer.status().message()));
    m_detail->setCurrentIndex(1);
    return;
  }
  m_page = *answer;
  showChosen();
  if (!with_ranking && !m_page_slot.busy()) askPage(true);
}

void IncidentsView::jumpTo(const TimelineEntry& entry) {
  Selection selection = selectionOfText(*m_list, m_context.state->state().selection, entry.select);
  if (!proposalShown()) selection.incident = m_chosen;
  const auto finding = std::ranges::find(m_list->findings, entry.finding, &Finding::id);
  if (entry.finding != 0 && finding != m_list->findings.end()) {
    selection.attempt = finding->attempt;
    selection.rank = finding->rank, selection.node = finding->node, selection.step = finding->first_step;
    selection.device = {};
  } else if (entry.step) {
    selection.step = entry.step;
  }
  m_context.state->goTo(selection, around(entry.time, entry.until.value_or(entry.time)));
}

void IncidentsView::open(const EvidencePlace& place) {
  m_context.state->select(selectionOfText(*m_list, m_context.state->state().selection, place.select));
  if (place.t0 && place.t1 && *place.t0 < *place.t1) m_context.state->setWindow({*place.t0, *place.t1});
  emit viewRequested(QString::fromStdString(place.view));
}

}  // namespace runglass
