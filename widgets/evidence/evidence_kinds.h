// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of the kinds of evidence, one file each.
//
// Threading:  on a query worker.
// Units:      as Evidence.
// Errors:     the Reader's; an Evidence with a reason if there is no content.
// Cost:       see their files.
#pragma once

#include <stop_token>

#include "widgets/evidence/evidence_subject.h"

namespace runglass {

Result<Evidence> readLossEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                  const std::stop_token& stop);
Result<Evidence> readStepsEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                   const std::stop_token& stop);
Result<Evidence> readTimelineEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                      const std::stop_token& stop);
Result<Evidence> readDeviceEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                    const std::stop_token& stop);
Result<Evidence> readSeriesEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                    const std::stop_token& stop);
Result<Evidence> readLogEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                 const std::stop_token& stop);

}  // namespace runglass
