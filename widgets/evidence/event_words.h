// SPDX-License-Identifier: GPL-3.0-or-later
// Hardware events around an incident, repeats folded, with their meaning.
//
// Threading:  on a query worker.
// Units:      TimeNs.
// Errors:     the Reader's.
// Cost:       a page of kMaxEventsRead events.
#pragma once

#include <vector>

#include "widgets/evidence/curve_picture.h"
#include "widgets/evidence/evidence_subject.h"

namespace runglass {

inline constexpr std::size_t kMaxEventsRead = 2'000, kMaxEventsReported = 6;

struct FoldedEvent {
  Event first;
  std::int64_t count = 1;
};
// Folds events of the same kind, code, machine and rank; by time.
std::vector<FoldedEvent> foldEvents(const std::vector<Event>& events);
// "GPU 5 sim-0002 rank 21"
QString placeWords(const Event& event, const EvidenceSubject& subject);
// "Xid 79 × 3, GPU 5 sim-0002: GPU has fallen off the bus"; without a place if the caller prints it. The caller prints times.
QString eventWords(const FoldedEvent& event, const QString& place);

// Warnings and above of a node (0: of the run), or only of the device if one is given; if there are too many, those of the worst severity
// are preferred; ordered by time.
struct EventsReported {
  std::vector<CurveEvent> events;
  std::size_t more = 0;
};
Result<EventsReported> readEventsReported(Reader& reader, const EvidenceSubject& subject, NodeId node, DeviceId device, TimeRange range,
                                          const std::stop_token& stop);

}  // namespace runglass
