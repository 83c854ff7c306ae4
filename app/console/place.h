// SPDX-License-Identifier: GPL-3.0-or-later
// Place: the place to show according to the command line, and its resolution in a store.
//
// Threading:  resolvePlace() on a query worker.
// Units:      TimeNs, steps.
// Errors:     parseSelect(): INVALID_ARGUMENT with the invalid part. resolvePlace(): NOT_FOUND: an object that is not in the store; the
//             Reader's own failures.
// Cost:       a few catalogue reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/place_link.h"
#include "model/result.h"
#include "storage/reader.h"
#include "widgets/core/selection.h"

namespace runglass {

struct Place {
  std::string store_uuid;                     // not empty: valid for this store only
  std::string view;                           // empty: the default layout
  std::string tab;                            // a part of the view; empty: its first one
  std::string run;                            // id or name; empty: the newest
  std::optional<TimeNs> t0, t1, at;           // at: the playhead
  std::optional<std::int32_t> rank, attempt;  // attempt by its number
  std::optional<std::int64_t> step;
  std::string node;      // by name
  std::string incident;  // its uuid
};

// "rank=37,step=48210,node=n0412,attempt=2,incident=UUID" in any order.
Status parseSelect(std::string_view text, Place& place);
// "--at": ns since 1970, or RFC 3339 as "2026-11-20T21:43:07Z", "2026-11-20 21:43:07.5+01:00"; without a zone: UTC.
Result<TimeNs> parseMoment(const std::string& text);
Result<Place> placeOf(const PlaceLink& link);
// For a store that was exported for an incident, and a `place` with at most a view: the incident with a margin. Otherwise `place`.
Result<Place> placeToOpen(Reader& reader, Place place);
Result<Selection> resolvePlace(Reader& reader, const Place& place);

}  // namespace runglass
