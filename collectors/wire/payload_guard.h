// SPDX-License-Identifier: Apache-2.0
// What a hub looks at in an agent's bytes before it takes them: a payload's outermost fields, without decoding what they hold.
//
// Threading:  pure.
// Ownership:  borrows the bytes.
// Units:      ns.
// Errors:     bytes that are malformed from some point on are looked at up to there; so far PayloadReplay reads them, too.
// Cost:       O(outermost fields); fewParts() O(bytes).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace runglass {

struct PayloadGlance {
  bool definitions_only = true;
  bool has_hubs_fields = false;                     // such as only a hub puts in front: received_ns, only_node, follows_files
  bool begins_sealed = false;                       // sealed_ns is at the very front, where agents put it
  std::optional<TimeNs> first_sealed, last_sealed;  // the earliest and the latest of all
};
PayloadGlance glanceAt(std::string_view payload);
std::string withoutHubsFields(std::string_view payload);

// At most `most` fields in a message and what is nested in it, so many levels deep: each may cost hundreds of bytes in memory and two here.
bool fewParts(std::string_view message, std::size_t most, int levels);

}  // namespace runglass
