// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. A parent precedes its child in the canonical order, so that there are no cycles.
//  2. The order, and with it every answer, is independent of the input order of the findings.
//  3. A finding of severity info is a leaf: it is no parent and starts no incident.
#include "analysis/incident/propose.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/incident/incident_words.h"

namespace runglass {
namespace {

enum class Tie : std::uint8_t { kNone = 0, kMoment, kRack, kNode, kRank, kSaid };

struct Placed {
  const Finding* finding = nullptr;
  std::size_t index = 0;  // in the input
  FindingPlace place;
  std::optional<std::size_t> parent;  // index into the placed findings
};

template <class T>
bool share(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::any_of(a, [&](const T& one) { return std::ranges::binary_search(b, one); });
}

// Computed in double: hostile times near the limits must not overflow.
double since(TimeNs from, TimeNs to) { return static_cast<double>(to) - static_cast<double>(from); }

bool lastTogether(const FindingPlace& a, const FindingPlace& b, DurNs slack) {
  if (!a.start || !b.start) return false;
  const auto most = static_cast<double>(slack);
  return since(*a.until, *b.start) <= most && since(*b.until, *a.start) <= most;
}

bool stepsNear(const Finding& a, const Finding& b, std::int64_t most) {
  if (a.attempt != b.attempt || !a.first_step || !b.first_step) return false;
  const double apart = static_cast<double>(*b.first_step) - static_cast<double>(a.last_step.value_or(*a.first_step));
  return apart <= static_cast<double>(most) &&
         static_cast<double>(*a.first_step) - static_cast<double>(b.last_step.value_or(*b.first_step)) <= static_cast<double>(most);
}

// Whether `effect` began at most `after` after `cause`, or shortly before it.
bool beganAfter(const Placed& cause, const Placed& effect, DurNs after) {
  if (cause.place.start && effect.place.start) {
    const double later = since(*cause.place.start, *effect.place.start);
    return later >= -static_cast<double>(kMoment) && later <= static_cast<double>(after);
  }
  if (cause.finding->attempt != effect.finding->attempt || !cause.finding->first_step || !effect.finding->first_step) return false;
  const double later = static_cast<double>(*effect.finding->first_step) - static_cast<double>(*cause.finding->first_step);
  return later >= -1 && later <= static_cast<double>(kOnsetSteps);
}

class Tying {
 public:
  Tying(const RunPlaces& places) : m_places(places) {
    std::set<std::string> racks;
    for (const auto& [id, node] : places.nodes) racks.insert(node.rack);
    m_several_racks = racks.size() > 1;
  }

  Tie of(const Placed& cause, const Placed& effect) const {
    if (effect.place.explained_by && isExplainedBy(*effect.place.explained_by, *cause.finding)) return Tie::kSaid;
    if (cause.finding->severity <= Severity::kInfo) return Tie::kNone;
    if (followsRestart(cause, effect)) return Tie::kMoment;
    const bool losses = cause.place.link == ChainLink::kLoss, loss = effect.place.link == ChainLink::kLoss;
    if (losses || loss) return losses && loss && again(cause, effect) ? Tie::kMoment : Tie::kNone;
    if (cause.finding->kind == effect.finding->kind) return ofOneKind(cause, effect);
    if (cause.place.everywhere() || effect.place.everywhere()) return ofEverybody(cause, effect);
    if (const Tie tie = ofPlaces(cause, effect, kOnset); tie != Tie::kNone) return tie;
    // The culprit may be misidentified, or a fault may show elsewhere first: closeness in time is enough.
    const bool hang = effect.place.stands && cause.place.link == ChainLink::kMachine;
    return hang && beganAfter(cause, effect, 2 * kMoment) ? Tie::kMoment : Tie::kNone;
  }

 private:
  static bool isExplainedBy(const ExplainedBy& said, const Finding& cause) {
    return said.kind == cause.kind && said.subject == cause.subject && said.first_step == cause.first_step;
  }
  static bool again(const Placed& a, const Placed& b) {
    return a.place.start && b.place.start ? a.finding->attempt == b.finding->attempt && lastTogether(a.place, b.place, kAgain)
                                          : stepsNear(*a.finding, *b.finding, kAgainSteps);
  }

  Tie ofPlaces(const Placed& a, const Placed& b, DurNs slack) const {
    const bool together =
        a.place.start && b.place.start ? lastTogether(a.place, b.place, slack) : stepsNear(*a.finding, *b.finding, kOnsetSteps);
    if (!together) return Tie::kNone;
    if (a.place.stage || b.place.stage) return a.place.stage == b.place.stage ? Tie::kRank : Tie::kNone;
    if (a.finding->attempt == b.finding->attempt && share(a.place.ranks, b.place.ranks)) return Tie::kRank;
    return share(a.place.nodes, b.place.nodes) ? Tie::kNode : Tie::kNone;
  }

  Tie ofOneKind(const Placed& a, const Placed& b) const {
    if (a.finding->subject == b.finding->subject && again(a, b)) return Tie::kRank;
    if (const Tie tie = ofPlaces(a, b, kAgain); tie != Tie::kNone) return tie;
    return m_several_racks && beganAfter(a, b, kMoment) && oneRack(a.place, b.place) ? Tie::kRack : Tie::kNone;
  }

  bool oneRack(const FindingPlace& a, const FindingPlace& b) const {
    std::set<std::string> racks;
    for (const FindingPlace* place : {&a, &b}) {
      if (place->nodes.empty()) return false;
      for (const NodeId node : place->nodes) {
        const auto found = m_places.nodes.find(node);
        racks.insert(found == m_places.nodes.end() ? std::string() : found->second.rack);
      }
    }
    return racks.size() == 1 && !racks.begin()->empty();
  }

  static Tie ofEverybody(const Placed& cause, const Placed& effect) {
    if (cause.place.link > effect.place.link) return Tie::kNone;
    // A cause that affects all ranks alike does not make one of them slower than its peers.
    if (cause.place.everywhere() && !effect.place.everywhere() && effect.place.link == ChainLink::kRank) return Tie::kNone;
    // A difference that exists since the start does not stop a rank.
    if (cause.place.link == ChainLink::kMachine && effect.place.stands)
      return cause.finding->kind == "hardware_fault" && beganAfter(cause, effect, kUntilEnd) ? Tie::kMoment : Tie::kNone;
    return beganAfter(cause, effect, kOnset) ? Tie::kMoment : Tie::kNone;
  }

  bool followsRestart(const Placed& cause, const Placed& effect) const {
    if (!effect.place.after_restart || cause.place.link > ChainLink::kRank) return false;
    const Attempt* ended = endedBy(*cause.finding, cause.place, m_places);
    const Attempt* next = ended != nullptr ? m_places.after(*ended) : nullptr;
    return next != nullptr && next->id == effect.finding->attempt;
  }

  const RunPlaces& m_places;
  bool m_several_racks = false;
};

auto orderOf(const Placed& one) {
  const Finding& f = *one.finding;
  // Within a link by start; at equal starts a hang, which is critical, precedes the shifts and stalls of its time.
  return std::tuple(one.place.link, one.place.start.value_or(std::numeric_limits<TimeNs>::max()), f.attempt,
                    f.first_step.value_or(std::numeric_limits<std::int64_t>::max()), -static_cast<int>(f.severity),
                    std::tie(f.kind, f.subject));
}

class Proposer {
 public:
  Proposer(std::span<const Finding> findings, const RunPlaces& places, std::span<const Incident> incidents, const std::stop_token& stop)
      : m_findings(findings), m_places(places), m_stop(stop) {
    for (const Incident& incident : incidents) {
      m_known[incident.uuid] = &incident;
      for (const std::int64_t id : incident.findings)
        // A finding of a merged incident is also in the incident that it was merged into.
        if (id != 0 && (!m_taken.contains(id) || m_taken[id]->state == IncidentState::kDismissed)) m_taken[id] = &incident;
    }
  }

  Proposals propose() {
    choose();
    tie();
    std::map<std::size_t, std::vector<std::size_t>> trees;  // by root
    for (std::size_t i = 0; i < m_placed.size(); ++i) trees[rootOf(i)].push_back(i);
    for (const auto& [root, members] : trees)
      if (!m_stop.stop_requested()) add(members);
    std::ranges::stable_sort(m_out.all, [](const IncidentProposal& a, const IncidentProposal& b) {
      const auto begin = [](const IncidentProposal& p) { return p.incident.range ? p.incident.range->t0 : 0; };
      return std::tuple(-a.score, -static_cast<double>(begin(a)), a.key) < std::tuple(-b.score, -static_cast<double>(begin(b)), b.key);
    });
    return std::move(m_out);
  }

 private:
  void choose() {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < m_findings.size(); ++i)
      if (m_findings[i].kind != "insufficient_evidence") chosen.push_back(i);
    if (chosen.size() > kMaxFindings) {
      std::ranges::stable_sort(chosen, [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) {
          return std::tuple(-static_cast<int>(m_findings[i].severity), -static_cast<double>(m_findings[i].start.value_or(0)));
        };
        return key(a) < key(b);
      });
      m_out.left_out = chosen.size() - kMaxFindings;
      chosen.resize(kMaxFindings);
    }
    for (const std::size_t i : chosen) m_placed.push_back({&m_findings[i], i, placeOf(m_findings[i], m_places), {}});
    std::ranges::stable_sort(m_placed, [](const Placed& a, const Placed& b) { return orderOf(a) < orderOf(b); });
  }

  void tie() {
    const Tying ties(m_places);
    for (std::size_t child = 0; child < m_placed.size() && !m_stop.stop_requested(); ++child) {
      Tie best = Tie::kNone;
      double best_apart = 0;
      for (std::size_t parent = 0; parent < child; ++parent) {
        const Placed &cause = m_placed[parent], &effect = m_placed[child];
        const Tie tie = ties.of(cause, effect);
        if (tie == Tie::kNone || tie < best) continue;
        const double apart = cause.place.start && effect.place.start ? std::abs(since(*cause.place.start, *effect.place.start)) : 0;
        if (tie == best && apart >= best_apart) continue;
        best = tie, best_apart = apart;
        m_placed[child].parent = parent;
      }
    }
  }

  std::size_t rootOf(std::size_t i) const {
    while (m_placed[i].parent) i = *m_placed[i].parent;
    return i;
  }

  const Incident* incidentOf(const Placed& one) const {
    if (const auto taken = m_taken.find(one.finding->id); one.finding->id != 0 && taken != m_taken.end()) return taken->second;
    const auto known = m_known.find(proposalKey(m_places.run_uuid, *one.finding));
    return known != m_known.end() ? known->second : nullptr;
  }

  // `members` of one tree, in canonical order: the first is the root.
  void add(const std::vector<std::size_t>& members) {
    std::vector<std::size_t> free;
    const Incident *open = nullptr, *dismissed = nullptr;
    Severity was = Severity::kDebug, worst = Severity::kDebug;
    for (const std::size_t i : members) {
      const Incident* incident = incidentOf(m_placed[i]);
      if (incident == nullptr) {
        free.push_back(i);
        worst = std::max(worst, m_placed[i].finding->severity);
      } else if (incident->state == IncidentState::kDismissed) {
        dismissed = incident;
        was = std::max({was, incident->severity, m_placed[i].finding->severity});
      } else if (open == nullptr) {
        open = incident;
      }
    }
    if (worst < Severity::kWarning || (open == nullptr && dismissed != nullptr && worst <= was)) return;
    // A finding of severity info cannot be the root of the remaining ones.
    std::ranges::stable_partition(free, [&](std::size_t i) { return m_placed[i].finding->severity > Severity::kInfo; });
    addProposal(free, open != nullptr ? open->uuid : "");
  }

  void addProposal(const std::vector<std::size_t>& members, std::string joins) {
    const Placed& root = m_placed[members.front()];
    IncidentProposal out{.key = proposalKey(m_places.run_uuid, *root.finding), .incident = {}, .members = {}, .score = 0, .joins = {}};
    out.joins = std::move(joins);
    Incident& incident = out.incident;
    incident.uuid = out.key, incident.run = root.finding->run, incident.attempt = root.finding->attempt;
    const Attempt* ended = nullptr;
    std::optional<TimeRange> range;
    bool goes_on = false;
    std::vector<const Finding*> others;
    for (const std::size_t i : members) {
      const Placed& one = m_placed[i];
      incident.severity = i == members.front() ? one.finding->severity : std::max(incident.severity, one.finding->severity);
      if (one.finding->id != 0) incident.findings.push_back(one.finding->id);
      out.members.push_back(one.index);
      if (i != members.front()) others.push_back(one.finding);
      if (one.finding->severity <= Severity::kInfo) continue;
      if (ended == nullptr) ended = endedBy(*one.finding, one.place, m_places);
      goes_on |= one.place.goes_on;
      if (one.place.start) {
        if (!range) range = TimeRange{*one.place.start, *one.place.until};
        range->t0 = std::min(range->t0, *one.place.start), range->t1 = std::max(range->t1, *one.place.until);
      }
    }
    if (range) incident.range = withRestart(*range, ended);
    out.title = incidentTitle(*root.finding, m_places), out.sentence = incidentSentence(*root.finding, others, ended, m_places);
    incident.title = out.title.english, incident.summary = out.sentence.english;
    out.score = static_cast<double>(incident.severity) + std::clamp(root.finding->confidence.value_or(1), 0.0, 1.0) + (goes_on ? 5 : 0);
    m_out.all.push_back(std::move(out));
  }

  TimeRange withRestart(TimeRange range, const Attempt* ended) const {
    if (ended != nullptr) {
      range.t1 = std::max(range.t1, *ended->end);
      const Attempt* next = m_places.after(*ended);
      if (next != nullptr && next->start && since(*ended->end, *next->start) <= static_cast<double>(kRestartShown))
        range.t1 = std::max(range.t1, *next->start);
    }
    // Half-open: includes the last moment.
    if (range.t1 < std::numeric_limits<TimeNs>::max()) ++range.t1;
    return range;
  }

  std::span<const Finding> m_findings;
  const RunPlaces& m_places;
  const std::stop_token& m_stop;
  std::map<std::int64_t, const Incident*> m_taken;
  std::map<std::string, const Incident*> m_known;
  std::vector<Placed> m_placed;
  Proposals m_out;
};

// FNV-1a, as commGroupId(); two hashes with different seeds give 128 bits.
std::uint64_t hashOf(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

std::string proposalKey(const std::string& run_uuid, const Finding& root) {
  const std::string text =
      run_uuid + '\n' + root.kind + '\n' + root.subject + '\n' + (root.first_step ? std::to_string(*root.first_step) : "-");
  std::uint64_t a = hashOf(text, 0xcbf29ce484222325ULL), b = hashOf(text, 0x9e3779b97f4a7c15ULL);
  a = (a & ~0xf000ULL) | 0x8000ULL;
  b = (b & ~(3ULL << 62)) | (2ULL << 62);
  char out[40];
  std::snprintf(out, sizeof out, "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(a >> 32), static_cast<unsigned>(a >> 16 & 0xffff),
                static_cast<unsigned>(a & 0xffff), static_cast<unsigned>(b >> 48), static_cast<unsigned long long>(b & 0xffffffffffffULL));
  return out;
}

const Attempt* endedBy(const Finding& finding, const FindingPlace& place, const RunPlaces& places) {
  const bool ends = finding.severity >= Severity::kError && (finding.kind == "hardware_fault" || place.stands);
  if (!ends || !place.start) return nullptr;
  for (const auto& [id, attempt] : places.attempts) {
    if (finding.attempt ? id != finding.attempt : !attempt.start || *attempt.start > *place.start) continue;
    if (!attempt.end || attempt.planned.value_or(false)) continue;
    if (since(*place.start, *attempt.end) >= 0 && since(*place.until, *attempt.end) <= static_cast<double>(kUntilEnd)) return &attempt;
  }
  return nullptr;
}

Proposals proposeIncidents(std::span<const Finding> findings, const RunPlaces& places, std::span<const Incident> incidents,
                           const std::stop_token& stop) {
  return Proposer(findings, places, incidents, stop).propose();
}

}  // namespace runglass
