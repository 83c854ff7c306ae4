// SPDX-License-Identifier: Apache-2.0
// Invariant: each part is hashed with its length, so that different lists of parts never give the same bytes.
#include "model/record_identity.h"

#include <openssl/sha.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace runglass {
namespace {

Identity hash(std::initializer_list<std::string_view> parts) {
  std::string bytes;
  for (const std::string_view part : parts) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(part.size() >> shift & 0xff));
    bytes += part;
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  Identity out;
  std::copy_n(digest.begin(), out.bytes.size(), out.bytes.begin());
  return out;
}

std::string textOf(std::optional<std::int32_t> rank) { return rank ? std::to_string(*rank) : std::string(); }

}  // namespace

std::string Identity::hex() const {
  constexpr const char* kHex = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) text.append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  return text;
}

Identity identityOf(const SeriesKey& key, const OwnerNames& owner) {
  return hash(
      {"series", owner.run, owner.attempt, textOf(key.rank), owner.node, owner.device, key.metric, key.source, key.labels, key.unit});
}

Identity identityOf(const TrackKey& key, const OwnerNames& owner) {
  return hash({"track", owner.run, owner.attempt, textOf(key.rank), key.kind, key.name});
}

Identity identityOf(std::string_view name) { return hash({"name", name}); }

}  // namespace runglass
