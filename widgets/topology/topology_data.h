// SPDX-License-Identifier: GPL-3.0-or-later
// TopologyData: the ranks of one attempt at their places in the DP × PP × TP lattice, with one value each against its stage's median.
//
// Threading:  readTopology() on a query worker; its result is immutable. The other functions are pure.
// Units:      catalogue units; a deviation is a ratio, or a difference in the metric's unit if `relative` is false.
// Errors:     the Reader's; NOT_FOUND without a run. A rank without a value has a reason, never 0.
// Cost:       work and step time that of a SlowVerdictFeed; waits one scalar read of at most kTopologySteps points of each series of a
//             rank, and only of ranks whose series grew since `previous`.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/hangs/hang_evidence.h"
#include "analysis/layout/layout_places.h"
#include "analysis/peers/slower_than_peers.h"
#include "analysis/ranking/slow_verdict.h"
#include "model/step_metrics.h"
#include "storage/reader.h"

namespace runglass {

struct TopologyText {
  Q_DECLARE_TR_FUNCTIONS(Topology)
};

enum class TopologyValue : std::uint8_t {
  kStepTime,
  kWork,
  kProgress,
  kPower,
  kClock,
  kTemperature,
  kWait,
  kHeard,
  kFindings,
  kWhatIf,
  kNamed  // a series selected by name: not among kTopologyMetrics
};
struct TopologyMetric {
  TopologyValue value;
  const char* title;
  const char* metric;  // the series; "" if it is none
  const char* unit;
  bool more_is_worse;
  bool relative;      // deviations are ratios
  double stands_out;  // the deviation from which the headline names a rank or a stage
  // Sentences: %1 is a rank or a stage, %2 the amount. "" if there is none.
  const char *rank_of_stage, *rank_of_all, *stage_of_all;
  const char* missing;  // why a rank has no value
};
inline constexpr std::array<TopologyMetric, 10> kTopologyMetrics = {{
    {TopologyValue::kStepTime, QT_TRANSLATE_NOOP("Topology", "step time, median of its newest steps"), kStepTimeMetric.data(), "ns", true,
     true, kSlowerThanPeers, QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 slower than its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 slower than the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 is %2 slower than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "no step time in the newest steps")},
    {TopologyValue::kWork, QT_TRANSLATE_NOOP("Topology", "work (without waiting), median of its newest steps"), kStepPartMetric.data(),
     "ns", true, true, kSlowerThanPeers, QT_TRANSLATE_NOOP("Topology", "Rank %1 works %2 longer than its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 works %2 longer than the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 works %2 longer than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "its step parts do not separate work from waiting")},
    {TopologyValue::kProgress, QT_TRANSLATE_NOOP("Topology", "last reported step"), "", "steps", false, false, 2,
     QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 behind its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 behind the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 is %2 behind the other stages"), QT_TRANSLATE_NOOP("Topology", "its progress names no step")},
    {TopologyValue::kPower, QT_TRANSLATE_NOOP("Topology", "GPU power, latest"), "power_watts", "watts", false, true, 0.15,
     QT_TRANSLATE_NOOP("Topology", "Rank %1 draws %2 less power than its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 draws %2 less power than the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 draws %2 less power than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "its GPU is not known or does not report it")},
    {TopologyValue::kClock, QT_TRANSLATE_NOOP("Topology", "SM clock, latest"), "sm_clock_hertz", "hertz", false, true, 0.05,
     QT_TRANSLATE_NOOP("Topology", "Rank %1 is clocked %2 lower than its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 is clocked %2 lower than the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 is clocked %2 lower than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "its GPU is not known or does not report it")},
    {TopologyValue::kTemperature, QT_TRANSLATE_NOOP("Topology", "GPU temperature, latest"), "temperature_celsius", "celsius", true, false,
     10, QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 hotter than its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 hotter than the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 is %2 hotter than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "its GPU is not known or does not report it")},
    // The rank that waits least is the one that the others wait for.
    {TopologyValue::kWait, QT_TRANSLATE_NOOP("Topology", "waiting, median of 50 steps"), kStepPartWaitMetric.data(), "ns", false, true,
     0.25, QT_TRANSLATE_NOOP("Topology", "Rank %1 waits %2 less than its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 waits %2 less than the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 waits %2 less than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "its step parts do not separate work from waiting")},
    {TopologyValue::kHeard, QT_TRANSLATE_NOOP("Topology", "time since its last report"), "", "ns", true, false, 30e9,
     QT_TRANSLATE_NOOP("Topology", "Rank %1 reported %2 longer ago than its stage's median"),
     QT_TRANSLATE_NOOP("Topology", "Rank %1 reported %2 longer ago than the ranks' median"),
     QT_TRANSLATE_NOOP("Topology", "Stage %1 reported %2 longer ago than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "nothing it said has a time")},
    {TopologyValue::kFindings, QT_TRANSLATE_NOOP("Topology", "findings that name it, worst severity"), "", "", true, false, 2, "", "", "",
     ""},
    {TopologyValue::kWhatIf, QT_TRANSLATE_NOOP("Topology", "what-if slowdown S_w of its stage and replica"), "", "", true, true, 0.05, "",
     "", QT_TRANSLATE_NOOP("Topology", "Stage %1 costs the step %2 more than the other stages"),
     QT_TRANSLATE_NOOP("Topology", "its spans do not show what a step waited for")},
}};
// A series by name; the text belongs to `named`.
struct NamedMetric {
  std::string metric, title, unit;
};
TopologyMetric metricOf(const NamedMetric& named);
inline constexpr std::size_t kMaxNamedMetrics = 200;
inline constexpr std::int64_t kTopologySteps = 50;

// In a hang: the rank's state in the collective that blocks the job, by its newest progress and the hang's finding.
enum class WaitState : std::uint8_t {
  kNone,     // nothing is known
  kWaiting,  // in a collective, and others are not
  kNotSeen,  // others wait for it
  kSilent,   // the same, and it does not report
  kComputing
};

struct TopologyRank {
  Rank place;
  QString node, gpu, rack;
  std::optional<double> value, deviation;
  QStringList findings;  // as text, worst first
  std::optional<Progress> progress;
  WaitState wait = WaitState::kNone;
  bool at_root = false;           // waits in a communicator that waits for no other
  QString behind;                 // lag of a missing rank: "−2" in its peers' sequence, or its activity instead
  QString last_log, stack_top;    // in a hang
  std::uint64_t fingerprint = 0;  // of the series of the value
};

inline constexpr std::uint32_t kNoRank = UINT32_MAX;

// The places of ranks: a tile for each (pp, dp), in it a block for each cp (and ep if needed to distinguish ranks), a tick for each tp.
// Only recorded coordinates; values are those that occur, or all up to the layout's size.
struct Lattice {
  std::vector<std::int32_t> dp, pp, tp;                       // axes; {-1}: no rank recorded it
  std::vector<std::pair<std::int32_t, std::int32_t>> blocks;  // (cp, ep); -1: not recorded or not needed
  std::vector<std::uint32_t> cells;                           // index into ranks, or kNoRank
  bool by_ep = false;
  std::size_t at(std::size_t row, std::size_t column, std::size_t block, std::size_t tick) const {
    return ((row * dp.size() + column) * blocks.size() + block) * tp.size() + tick;
  }
  // Ranks that recorded no place, or a place already taken; by node if no rank has a place.
  struct Strip {
    QString title;
    std::vector<std::uint32_t> ranks;
  };
  std::vector<Strip> strips;
  // For a folded lattice: by rank, the rank drawn in its place (the worst one); empty: every rank itself.
  std::vector<std::uint32_t> shown;
};

struct StageMedian {
  std::optional<std::int32_t> pp;
  double median = 0;
  std::size_t ranks = 0;  // with a value
};

// The cause of a blocked job, where the ranks' progress shows it.
struct Hang {
  std::size_t waiting = 0;             // in the whole job
  std::vector<std::int32_t> not_seen;  // missing in the blocked collective, and waiting nowhere else
  std::size_t inside = 0, members = 0;
  QString op, group;
  std::optional<std::int64_t> seq;
};

struct TopologyData {
  Run run;
  Attempt attempt;
  std::vector<TopologyRank> ranks;  // by rank
  std::vector<CommGroup> groups;
  LayoutPlaces places;  // where the ranks' coordinates come from; its ranks are those recorded
  std::string chosen_order;
  Lattice lattice;
  std::shared_ptr<const NamedMetric> named;  // source of `metric`
  std::vector<std::string> offered;          // series that a rank or its GPU has
  TopologyMetric metric = kTopologyMetrics[0];
  std::vector<StageMedian> stages;               // by pp
  double spread = 0;                             // the deviation drawn in full colour
  std::optional<Hang> hang;                      // if no analysis has a more precise result
  std::optional<HangEvidence> hang_found;        // by the newest active `hang` finding
  Severity hang_severity = Severity::kCritical;  // of that finding
  bool hang_mode = false;                        // ranks are drawn by their state in the hang, not by a metric
  std::uint64_t grown = 0;                       // samples of the attempt when `metric` was read
  QString trouble;                               // why there are no values at all, if more is known than the metric's `missing`
  std::shared_ptr<const SlowVerdict> verdict;    // where `metric` is what ranks are judged by
  std::optional<std::int64_t> first_step, last_step;
  TimeNs now = 0;     // ages are relative to it
  bool live = false;  // a process is writing the run
  QString headline;
  bool warn = false;
};

struct TopologyQuestion {
  RunId run;
  AttemptId attempt;
  std::optional<TopologyValue> value;  // absent: work, else the first metric that any rank has
  std::string named;                   // for kNamed
  TimeNs now = 0;
  std::shared_ptr<SharedSlowVerdict> memory;  // of the view, for questions about now; null: a single question
  std::shared_ptr<const TopologyData> previous;
};
Result<TopologyData> readTopology(Reader& reader, const TopologyQuestion& question, std::stop_token stop);

// From coordinates alone; strips by node if no rank has any.
Lattice placeRanks(std::span<const TopologyRank> ranks, const Layout& layout);
// Dimensions folded into one cell: all but DP and PP, ...
enum class Fold : std::uint8_t { kStages, kContexts, kTensor, kNone };
// kTensor: EP folded with the rest; kNone: as placeRanks() returned it.
Lattice foldLattice(const TopologyData& data, Fold fold);
// Computes deviations, stages and spread from the values.
void compareToStages(TopologyData& data);
std::optional<Hang> findHang(TopologyData& data);  // also sets the ranks' wait states
// The newest active hang finding of the attempt, the ranks' states by it, and the newest log line of the missing ranks.
Status readHangFinding(Reader& reader, TimeNs now, TopologyData& data);
QString hangHeadline(const TopologyData& data);
QString hangCaption(const TopologyData& data);
QString waitText(const TopologyRank& rank);  // "waits", "has not entered", ...

enum class PeerKind : std::uint8_t { kTp, kPp, kDp, kEp, kCp };
struct PeerGroup {
  PeerKind kind;
  std::vector<std::uint32_t> ranks;  // indices, with the rank itself
};
// By coordinates; kinds that coordinates do not define come from the attempt's communicators. Groups of a single rank are left out.
std::vector<PeerGroup> peersOf(const TopologyData& data, std::uint32_t rank);

// Texts.
void makeWords(TopologyData& data);                                   // the headline
QString captionOf(const TopologyData& data, const Lattice& lattice);  // description of that lattice's picture
QString rankRanges(std::vector<std::int32_t> ranks, int most = 12);   // "0–7, 16"
QString placesText(const LayoutPlaces& places);                       // source of the coordinates and contradictions; may be empty
QString coordinateText(const Rank& rank);                             // "dp 0 · pp 1 · tp 5"; kAbsentText
QString deviationText(const TopologyMetric& metric, double deviation);
QString valueText(const TopologyMetric& metric, double value);
QString stageText(std::optional<std::int32_t> pp);

}  // namespace runglass
