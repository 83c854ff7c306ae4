// SPDX-License-Identifier: GPL-3.0-or-later
// Hardware events around an incident, repeats folded, with what they mean.
//
// Threading:  on a query worker.
// Ownership:  values.
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
// Of one kind, code, machine and rank together; by time.
std::vector<FoldedEvent> foldEvents(const std::vector<Event>& events);
// "GPU 5 sim-0002 rank 21"
QString placeWords(const Event& event, const EvidenceSubject& subject);
// "Xid 79 × 3, GPU 5 sim-0002: GPU has fallen off the bus"; without a place where that is told beside it. Times are the caller's.
QString eventWords(const FoldedEvent& event, const QString& place);

// Warnings and worse of a node (0: of the run), of the device alone where one is given; those of the worst severity first where they are
// too many, told by time.
struct EventsReported {
  std::vector<CurveEvent> events;
  std::size_t more = 0;
};
Result<EventsReported> readEventsReported(Reader& reader, const EvidenceSubject& subject, NodeId node, DeviceId device, TimeRange range,
                                          const std::stop_token& stop);

}  // namespace runglass
