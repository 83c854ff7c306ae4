// SPDX-License-Identifier: Apache-2.0
// PlaceLink: a place in a store as text that can be sent in mails and chats:
// runglass://STORE_UUID/run/RUN_UUID?view=..&t0=..&t1=..&at=..&select=..
//
// Units:      TimeNs.
// Errors:     parseLink(): INVALID_ARGUMENT: not such a link; names the invalid part.
// Cost:       O(text).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct PlaceLink {
  std::string store_uuid;
  std::string run_uuid;              // empty: the store's default run
  std::string view;                  // empty: the default layout
  std::optional<TimeNs> t0, t1, at;  // at: the moment to show; absent: now
  std::string select;                // "rank=37,step=48210,node=n0412,attempt=2", as --select
  friend bool operator==(const PlaceLink&, const PlaceLink&) = default;
};

std::string linkText(const PlaceLink& link);
Result<PlaceLink> parseLink(std::string_view text);
bool isLink(std::string_view text);  // checks the scheme

// The view that shows a finding of this kind best: the target of its notification, and of Enter on it.
const char* viewOfFinding(std::string_view kind);

}  // namespace runglass
