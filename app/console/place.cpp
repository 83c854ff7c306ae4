// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/place.h"

#include <QDateTime>
#include <algorithm>
#include <charconv>
#include <limits>

#include "app/cli/run_choice.h"
#include "storage/writer.h"
#include "widgets/core/run_words.h"

namespace runglass {
namespace {

template <class Number>
bool parseNumber(std::string_view text, std::optional<Number>& out) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  out = value;
  return true;
}

bool parsePart(std::string_view key, std::string_view value, Place& place) {
  if (key == "rank") return parseNumber(value, place.rank);
  if (key == "attempt") return parseNumber(value, place.attempt);
  if (key == "step") return parseNumber(value, place.step);
  if ((key != "node" && key != "incident") || value.empty()) return false;
  (key == "node" ? place.node : place.incident) = value;
  return true;
}

}  // namespace

Status parseSelect(std::string_view text, Place& place) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || !parsePart(part.substr(0, equals), part.substr(equals + 1), place))
      return {Code::kInvalidArgument,
              "--select: " + std::string(part) + ": expected rank=N, attempt=N, step=N, node=NAME or incident=UUID"};
  }
  return {};
}

Result<TimeNs> parseMoment(const std::string& text) {
  std::optional<TimeNs> ns;
  if (parseNumber(std::string_view(text), ns)) return *ns;
  QDateTime time = QDateTime::fromString(QString::fromStdString(text).replace(u' ', u'T'), Qt::ISODateWithMs);
  if (!time.isValid())
    return Status(Code::kInvalidArgument, "--at: " + text + ": expected ns since 1970 or a time as 2026-11-20T21:43:07Z");
  if (time.timeSpec() == Qt::LocalTime) time.setTimeSpec(Qt::UTC);
  TimeNs at = 0;
  if (__builtin_mul_overflow(time.toMSecsSinceEpoch(), kNsPerMs, &at))
    return Status(Code::kInvalidArgument, "--at: " + text + ": beyond what ns since 1970 can tell");
  return at;
}

Result<Place> placeOf(const PlaceLink& link) {
  Place place{.store_uuid = link.store_uuid, .view = link.view, .run = link.run_uuid, .t0 = link.t0, .t1 = link.t1, .at = link.at};
  RG_TRY(parseSelect(link.select, place));
  if (place.t0 && place.t1 && *place.t0 >= *place.t1) return Status(Code::kInvalidArgument, "link: t0 must be before t1");
  return place;
}

Result<Place> placeToOpen(Reader& reader, Place place) {
  const bool said = !place.run.empty() || !place.node.empty() || place.t0 || place.t1 || place.at || place.rank || place.attempt ||
                    place.step || !place.incident.empty();
  if (said) return place;
  RG_ASSIGN(const StoreInfo info, reader.info());
  if (info.incident.empty()) return place;
  const Result<Incident> incident = reader.incident(info.incident);
  if (incident.status().code() == Code::kNotFound) return place;  // deleted since
  RG_TRY(incident.status());
  const Result<Run> run = reader.run(incident->run);
  if (!run.ok()) return place;
  place.run = run->uuid;
  place.incident = incident->uuid;
  if (place.view.empty()) place.view = "incidents";
  if (const Result<Attempt> attempt = reader.attempt(incident->attempt); attempt.ok()) place.attempt = attempt->number;
  if (!incident->range) return place;
  if (incident->range->t0 > std::numeric_limits<TimeNs>::min() + kIncidentMargin) place.t0 = incident->range->t0 - kIncidentMargin;
  if (incident->range->t1 < std::numeric_limits<TimeNs>::max() - kIncidentMargin) place.t1 = incident->range->t1 + kIncidentMargin;
  return place;
}

Result<Selection> resolvePlace(Reader& reader, const Place& place) {
  if (!place.store_uuid.empty()) {
    RG_ASSIGN(const StoreInfo info, reader.info());
    // A link from a hub also applies to replicas of its store.
    if (info.store_uuid != place.store_uuid && (!info.mirror || info.mirror->source_uuid != place.store_uuid))
      return Status(Code::kNotFound, "link: it leads into store " + place.store_uuid + ", this one is " + info.store_uuid);
  }
  Selection selection;
  if (!place.run.empty()) {
    RG_ASSIGN(const Run run, wantedRun(reader, {}, place.run));
    selection.run = run.id;
  }
  if (!place.incident.empty()) {
    const Result<Incident> incident = reader.incident(place.incident);
    if (incident.status().code() == Code::kNotFound) return Status(Code::kNotFound, "incident " + place.incident + ": not in this store");
    RG_TRY(incident.status());
    selection.run = incident->run;
    selection.attempt = incident->attempt;
    selection.incident = incident->uuid;
  }
  selection.rank = place.rank;
  selection.step = place.step;
  if (place.attempt) {
    RG_ASSIGN(const Run run, chooseRun(reader, selection.run));
    RG_ASSIGN(const Attempt attempt, wantedAttempt(reader, {}, run, place.attempt));
    selection.run = run.id;
    selection.attempt = attempt.id;
  }
  if (!place.node.empty()) {
    RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
    const auto found = std::ranges::find(nodes, place.node, &Node::name);
    if (found == nodes.end()) return Status(Code::kNotFound, "node " + place.node + ": not in this store");
    selection.node = found->id;
  }
  return selection;
}

}  // namespace runglass
