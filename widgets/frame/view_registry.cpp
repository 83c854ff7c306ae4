// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/view_registry.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

#include "widgets/alerts/alerts_view.h"
#include "widgets/compare/compare_view.h"
#include "widgets/curves/curves_view.h"
#include "widgets/data_quality/data_quality_view.h"
#include "widgets/devices/gpus_view.h"
#include "widgets/events/events_view.h"
#include "widgets/findings/findings_view.h"
#include "widgets/incidents/incidents_view.h"
#include "widgets/overview/overview_view.h"
#include "widgets/ranking/ranking_view.h"
#include "widgets/runs/runs_view.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/topology/topology_view.h"

namespace runglass {
namespace {

template <class V>
View* make(ViewContext context, QWidget* parent) {
  return new V(context, parent);
}

// In the order of the navigation.
constexpr std::array kViews = {
    ViewInfo{"runs", QT_TRANSLATE_NOOP("ViewInfo", "Runs"),
             QT_TRANSLATE_NOOP("ViewInfo", "Every run of the store with its state, layout, step, loss, throughput and health"), nullptr,
             nullptr, NavGroup::kRuns, make<RunsView>},
    ViewInfo{"compare", QT_TRANSLATE_NOOP("ViewInfo", "Compare"),
             QT_TRANSLATE_NOOP("ViewInfo",
                               "Two attempts, or one before and after a step: parts of a step, curves, settings and nodes side by side"),
             nullptr, nullptr, NavGroup::kRuns, make<CompareView>},
    ViewInfo{"overview", QT_TRANSLATE_NOOP("ViewInfo", "Overview"),
             QT_TRANSLATE_NOOP("ViewInfo", "One run at a glance: loss, throughput, step time over ranks, events, the slowest nodes"),
             QT_TRANSLATE_NOOP("ViewInfo", "X\tplot against time or step"), nullptr, NavGroup::kInvestigate, make<OverviewView>},
    ViewInfo{"curves", QT_TRANSLATE_NOOP("ViewInfo", "Curves"),
             QT_TRANSLATE_NOOP("ViewInfo", "Any scalar or metric of any run against step or time; runs compared in one plot"), nullptr,
             nullptr, NavGroup::kInvestigate, make<CurvesView>},
    ViewInfo{"timeline", QT_TRANSLATE_NOOP("ViewInfo", "Timeline"),
             QT_TRANSLATE_NOOP("ViewInfo",
                               "What every rank did when, from a week to ten nanoseconds; spans, steps, launches and collective peers"),
             QT_TRANSLATE_NOOP(
                 "ViewInfo",
                 "W S A D\tzoom, pan\n, .\tprevious, next span\n[ ]\talong its arrows\nF\tfit the selection\nShift+Z\tfit the area\n"
                 "Home\tto the begin\nG\tgo to a step or time\nN, Shift+N\tnext, previous event or finding, also slow step or slow "
                 "span\nM\twrite a note "
                 "here\nP\tpin the rank under the pointer\nEnter\topen or close it; in the search: next hit\n− "
                 "+\tlower, higher rows"),
             nullptr, NavGroup::kInvestigate, make<TimelineView>},
    ViewInfo{"topology", QT_TRANSLATE_NOOP("ViewInfo", "Topology"),
             QT_TRANSLATE_NOOP("ViewInfo", "The DP × PP × TP lattice: ranks that deviate from their stage, groups, blocked ranks"),
             QT_TRANSLATE_NOOP("ViewInfo", "← → ↑ ↓\trank\nEnter\tits timeline\nEsc\tnone"), "lattice links step", NavGroup::kInvestigate,
             make<TopologyView>},
    ViewInfo{"ranking", QT_TRANSLATE_NOOP("ViewInfo", "Ranking"),
             QT_TRANSLATE_NOOP("ViewInfo", "Slow ranks: own work against the ranks of the stage, worst first; rank × step in colour"),
             QT_TRANSLATE_NOOP("ViewInfo", "← → ↑ ↓\tneighbouring cell of the heat map\nEnter\tthe timeline at the worst step"),
             "ranking dp-pp host-gpu rank-step what-if", NavGroup::kInvestigate, make<RankingView>},
    ViewInfo{
        "gpus", QT_TRANSLATE_NOOP("ViewInfo", "GPUs"),
        QT_TRANSLATE_NOOP("ViewInfo", "Every GPU and host now, outliers first; the chosen host in numbers and strips"),
        QT_TRANSLATE_NOOP("ViewInfo", "1–9, 0\tmetric\nL\tas a list, worst first\nR\torder: by rack or by rank\n← → ↑ ↓\tneighbouring GPU"),
        nullptr, NavGroup::kInvestigate, make<GpusView>},
    ViewInfo{
        "events", QT_TRANSLATE_NOOP("ViewInfo", "Events"),
        QT_TRANSLATE_NOOP(
            "ViewInfo",
            "One timeline of hardware, log and training events, findings and notes: what happened, where, what it means and what to do"),
        QT_TRANSLATE_NOOP("ViewInfo", "Enter\tmove every view to the row\n→ ←\topen, close repeats\nEsc\tclear the search and filters"),
        nullptr, NavGroup::kInvestigate, make<EventsView>},
    ViewInfo{"findings", QT_TRANSLATE_NOOP("ViewInfo", "Findings"),
             QT_TRANSLATE_NOOP("ViewInfo", "Conclusions of the analyses about the run, most urgent first"), nullptr, nullptr,
             NavGroup::kConclude, make<FindingsView>},
    ViewInfo{
        "incidents", QT_TRANSLATE_NOOP("ViewInfo", "Incidents"),
        QT_TRANSLATE_NOOP("ViewInfo", "Incidents: cause, cost, timeline, evidence, suspects, notes; and the run log"),
        QT_TRANSLATE_NOOP(
            "ViewInfo",
            "I\tanywhere: of the chosen finding or event\nShift+I\tanywhere: of the selection and the shown time\n↑ ↓\tnext entry of the "
            "list or timeline: every view goes there\nF2\tchange the title or sentence\nCtrl+Enter\tsave the notes"),
        "incidents logbook", NavGroup::kConclude, make<IncidentsView>},
    ViewInfo{"alerts", QT_TRANSLATE_NOOP("ViewInfo", "Notifications"),
             QT_TRANSLATE_NOOP("ViewInfo", "Notifications that the hub sent, newest first; mute a cause or a rule"), nullptr, nullptr,
             NavGroup::kFoot, make<AlertsView>},
    ViewInfo{"data_quality", QT_TRANSLATE_NOOP("ViewInfo", "Data quality"),
             QT_TRANSLATE_NOOP("ViewInfo", "Data that arrived malformed, late or not at all, with counts and help; the size of the store"),
             nullptr, nullptr, NavGroup::kFoot, make<DataQualityView>},
};

}  // namespace

std::span<const ViewInfo> viewRegistry() { return kViews; }

QString ViewInfo::titleText() const { return QCoreApplication::translate("ViewInfo", title); }

QString ViewInfo::purposeText() const { return QCoreApplication::translate("ViewInfo", purpose); }

QString ViewInfo::keysText() const { return keys != nullptr ? QCoreApplication::translate("ViewInfo", keys) : QString(); }

std::vector<std::string_view> tabsOf(const ViewInfo& view) {
  std::vector<std::string_view> names;
  std::string_view rest = view.tabs != nullptr ? view.tabs : "";
  while (!rest.empty()) {
    names.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), names.back().size() + 1));
  }
  return names;
}

const ViewInfo* findView(std::string_view id) {
  if (id == "health") id = "data_quality";
  const auto found = std::ranges::find(kViews, id, [](const ViewInfo& view) { return std::string_view(view.id); });
  return found == kViews.end() ? nullptr : &*found;
}

}  // namespace runglass
