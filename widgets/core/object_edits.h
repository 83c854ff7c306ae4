// SPDX-License-Identifier: GPL-3.0-or-later
// Edits offered for an object, in one order and with one wording wherever it is shown: its context menu, the buttons next to a finding, a
// notification.
//
// Threading:  GUI thread; a finding is read on a query worker before it is muted.
// Errors:     `done` gets the reason.
#pragma once

#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/core/view.h"

namespace runglass {

inline constexpr DurNs kMuteFor = 2 * 3'600 * kNsPerSecond;

enum class ObjectEdit : std::uint8_t { kMark, kIncident, kMute };

struct OfferedEdit {
  ObjectEdit edit;
  QString words;
  QString refusal;  // why it is not possible now; empty: possible
};

// `edits` null: the store is read-only.
std::vector<OfferedEdit> editsOf(const Object& object, const EditPort* edits);
// For a finding, an event or a rank.
std::optional<IncidentSeed> seedOf(const Object& object);
// Mutes notifications of a finding's cause for kMuteFor.
void muteFinding(const ViewContext& context, QuerySlot& slot, const Object& finding, QObject* owner,
                 std::function<void(const Status&)> done);

}  // namespace runglass
