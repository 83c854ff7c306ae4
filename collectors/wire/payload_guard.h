// SPDX-License-Identifier: Apache-2.0
// Checks that a hub makes on an agent's bytes before accepting them: a payload's outermost fields, without decoding their content.
//
// Threading:  pure.
// Ownership:  borrows the bytes.
// Units:      ns.
// Errors:     malformed bytes are checked up to the first error; PayloadReplay decodes them up to there too.
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
  bool has_hubs_fields = false;                     // fields that only a hub puts in front: received_ns, only_node, follows_files
  bool begins_sealed = false;                       // sealed_ns is at the very front, where agents put it
  std::optional<TimeNs> first_sealed, last_sealed;  // the minimum and the maximum
};
PayloadGlance glanceAt(std::string_view payload);
std::string withoutHubsFields(std::string_view payload);

// Whether a message and its nested messages, `levels` deep, have at most `most` fields: each can take hundreds of bytes in memory and two
// here.
bool fewParts(std::string_view message, std::size_t most, int levels);

}  // namespace runglass
