// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/view_registry.h"

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
    ViewInfo{"runs", "Runs", "Every run of the store with its state, layout, step, loss, throughput and health", nullptr, nullptr,
             NavGroup::kRuns, make<RunsView>},
    ViewInfo{"compare", "Compare", "Two attempts, or one before and after a step: parts of a step, curves, settings and nodes side by side",
             nullptr, nullptr, NavGroup::kRuns, make<CompareView>},
    ViewInfo{"overview", "Overview", "One run at a glance: loss, throughput, step time over ranks, events, the slowest nodes",
             "X\tplot against time or step", nullptr, NavGroup::kInvestigate, make<OverviewView>},
    ViewInfo{"curves", "Curves", "Any scalar or metric of any run against step or time; runs compared in one plot", nullptr, nullptr,
             NavGroup::kInvestigate, make<CurvesView>},
    ViewInfo{"timeline", "Timeline",
             "What every rank did when, from a week to ten nanoseconds; spans, steps, launches and collective peers",
             "W S A D\tzoom, pan\n, .\tprevious, next span\n[ ]\talong its arrows\nF\tfit the selection\nShift+Z\tfit the area\n"
             "Home\tto the begin\nG\tgo to a step or time\nN, Shift+N\tnext, previous event or finding, also slow step or slow "
             "span\nM\twrite a note "
             "here\nP\tpin the rank under the pointer\nEnter\topen or close it; in the search: next hit\n− "
             "+\tlower, higher rows",
             nullptr, NavGroup::kInvestigate, make<TimelineView>},
    ViewInfo{"topology", "Topology", "The DP × PP × TP lattice: ranks that deviate from their stage, groups, blocked ranks",
             "← → ↑ ↓\trank\nEnter\tits timeline\nEsc\tnone", "lattice links step", NavGroup::kInvestigate, make<TopologyView>},
    ViewInfo{"ranking", "Ranking", "Slow ranks: own work against the ranks of the stage, worst first; rank × step in colour",
             "← → ↑ ↓\tneighbouring cell of the heat map\nEnter\tthe timeline at the worst step",
             "ranking dp-pp host-gpu rank-step what-if", NavGroup::kInvestigate, make<RankingView>},
    ViewInfo{"gpus", "GPUs", "Every GPU and host now, outliers first; the chosen host in numbers and strips",
             "1–9, 0\tmetric\nL\tas a list, worst first\nR\torder: by rack or by rank\n← → ↑ ↓\tneighbouring GPU", nullptr,
             NavGroup::kInvestigate, make<GpusView>},
    ViewInfo{"events", "Events",
             "One time line of hardware, log and training events, findings and notes: what happened, where, what it means and what to do",
             "Enter\tmove every view to the row\n→ ←\topen, close repeats\nEsc\tclear the search and filters", nullptr,
             NavGroup::kInvestigate, make<EventsView>},
    ViewInfo{"findings", "Findings", "Conclusions of the analyses about the run, most urgent first", nullptr, nullptr, NavGroup::kConclude,
             make<FindingsView>},
    ViewInfo{"incidents", "Incidents", "Incidents: cause, cost, time line, evidence, suspects, notes; and the run log",
             "I\tanywhere: of the chosen finding or event\nShift+I\tanywhere: of the selection and the shown time\n↑ ↓\tnext entry of the "
             "list or time line: every view goes there\nF2\tchange the title or sentence\nCtrl+Enter\tsave the notes",
             "incidents logbook", NavGroup::kConclude, make<IncidentsView>},
    ViewInfo{"alerts", "Notifications", "Notifications that the hub sent, newest first; mute a cause or a rule", nullptr, nullptr,
             NavGroup::kFoot, make<AlertsView>},
    ViewInfo{"data_quality", "Data quality", "Data that arrived malformed, late or not at all, with counts and help; the size of the store",
             nullptr, nullptr, NavGroup::kFoot, make<DataQualityView>},
};

}  // namespace

std::span<const ViewInfo> viewRegistry() { return kViews; }

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
