// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/evidence/event_words.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/fault_catalog.h"
#include "widgets/core/language.h"

namespace runglass {

std::vector<FoldedEvent> foldEvents(const std::vector<Event>& events) {
  std::vector<FoldedEvent> out;
  std::map<std::tuple<std::string, std::string, NodeId, DeviceId, std::optional<std::int32_t>>, std::size_t> known;
  for (const Event& event : events) {
    if (!event.time) continue;
    const auto [at, fresh] = known.try_emplace({event.kind, event.code, event.node, event.device, event.rank}, out.size());
    if (fresh)
      out.push_back({event, 1});
    else
      ++out[at->second].count;
  }
  return out;
}

QString placeWords(const Event& event, const EvidenceSubject& subject) {
  QStringList where;
  const auto device = std::ranges::find(subject.devices, event.device, &Device::id);
  if (device != subject.devices.end() && device->index) where << QObject::tr("GPU %1").arg(*device->index);
  const NodeId node = event.node ? event.node : device != subject.devices.end() ? device->node : NodeId();
  if (const QString name = subject.nodeName(node); !name.isEmpty()) where << name;
  if (event.rank) where << QObject::tr("rank %1").arg(*event.rank);
  return where.join(u' ');
}

QString eventWords(const FoldedEvent& event, const QString& place) {
  const Event& first = event.first;
  QString text = first.kind == "xid" ? QStringLiteral("Xid") : screenText(first.kind, 40).replace(u'_', u' ');
  if (!first.code.empty()) text += u' ' + screenText(first.code, 20);
  if (event.count > 1) text += QStringLiteral(" × ") + formatCount(event.count);
  if (!place.isEmpty()) text = QObject::tr("%1, %2").arg(text, place);
  const FaultInfo* fault = findFault(first.kind, first.code);
  const QString meaning = fault != nullptr ? termText(fault->meaning) : screenText(first.message, 200);
  return meaning.isEmpty() ? text : QObject::tr("%1: %2").arg(text, meaning);
}

Result<EventsReported> readEventsReported(Reader& reader, const EvidenceSubject& subject, NodeId node, DeviceId device, TimeRange range,
                                          const std::stop_token& stop) {
  RowQuery query;
  query.range = range, query.run = subject.run.id, query.at_least = Severity::kWarning;
  if (node) query.node = node;
  query.order = RowOrder::kOldestFirst, query.limit = kMaxEventsRead;
  RG_ASSIGN(EventPage page, reader.searchEvents(query, stop));
  if (device) std::erase_if(page.events, [&](const Event& event) { return event.device && event.device != device; });
  auto folded = foldEvents(page.events);
  std::ranges::stable_sort(folded, std::ranges::greater(), [](const FoldedEvent& one) { return one.first.severity; });
  EventsReported out;
  if (folded.size() > kMaxEventsReported) {
    out.more = folded.size() - kMaxEventsReported;
    folded.resize(kMaxEventsReported);
  }
  std::ranges::stable_sort(folded, {}, [](const FoldedEvent& one) { return *one.first.time; });
  for (const FoldedEvent& one : folded)
    out.events.push_back(
        {*one.first.time, one.first.severity,
         formatTimeOfDay(*one.first.time, subject.style) + QStringLiteral("  ") + eventWords(one, placeWords(one.first, subject))});
  return out;
}

}  // namespace runglass
