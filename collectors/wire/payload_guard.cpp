// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/payload_guard.h"

#include <algorithm>

#include "collectors/wire/wire_reader.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;

bool isHubs(std::uint32_t field) {
  return field == Wire::kReceivedNsFieldNumber || field == Wire::kOnlyNodeFieldNumber || field == Wire::kFollowsFilesFieldNumber;
}

// Counts down `left`; false: exceeded.
bool countParts(std::string_view message, std::size_t& left, int levels) {
  WireReader reader(message);
  while (reader.next()) {
    if (left == 0) return false;
    --left;
    if (reader.wireType() != 2) {
      reader.skip();
      continue;
    }
    const std::string_view bytes = reader.bytes();
    // A text field is parsed as a message too: unless crafted, its first few bytes are malformed.
    if (reader.ok() && levels > 1 && !countParts(bytes, left, levels - 1)) return false;
  }
  return true;
}

}  // namespace

PayloadGlance glanceAt(std::string_view payload) {
  PayloadGlance glance;
  WireReader reader(payload);
  for (bool first = true; reader.next(); first = false) {
    const std::uint32_t field = reader.field();
    glance.has_hubs_fields |= isHubs(field);
    glance.definitions_only &= field >= Wire::kDefineNodeFieldNumber && field <= Wire::kDefineTrackFieldNumber;
    if (field != Wire::kSealedNsFieldNumber || reader.wireType() != 1) {
      reader.skip();
      continue;
    }
    const TimeNs sealed = reader.fixed64();
    if (!reader.ok()) break;
    glance.begins_sealed |= first;
    glance.first_sealed = std::min(glance.first_sealed.value_or(sealed), sealed);
    glance.last_sealed = std::max(glance.last_sealed.value_or(sealed), sealed);
  }
  return glance;
}

std::string withoutHubsFields(std::string_view payload) {
  std::string out;
  WireReader reader(payload);
  std::size_t from = 0;
  while (reader.next()) {
    const bool hubs = isHubs(reader.field());
    reader.skip();
    if (!reader.ok()) break;
    const std::size_t to = payload.size() - reader.left();
    if (!hubs) out.append(payload, from, to - from);
    from = to;
  }
  // Malformed bytes end the payload in the decoder as well.
  return out.append(payload, from, std::string_view::npos);
}

bool fewParts(std::string_view message, std::size_t most, int levels) { return countParts(message, most, levels); }

}  // namespace runglass
