// SPDX-License-Identifier: Apache-2.0
// The identity of every catalogued object as one string of bytes (recorder.h defines its parts). Internal to storage.
//
// Ownership:  keys own their bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/events.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"

namespace runglass {

// A composite key as bytes: integers with fixed size, texts with their length.
class Key {
 public:
  Key& add(std::int64_t v) {
    m_bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
    return *this;
  }
  Key& add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    m_bytes.append(text);
    return *this;
  }
  template <class T>
  Key& add(const std::optional<T>& v) {
    m_bytes.push_back(v ? 1 : 0);
    return add(v ? static_cast<std::int64_t>(*v) : std::int64_t{0});
  }
  template <class Tag>
  Key& add(Id<Tag> id) {
    return add(static_cast<std::int64_t>(id.value));
  }
  std::string take() { return std::move(m_bytes); }

 private:
  std::string m_bytes;
};

inline std::string keyOf(const Attempt& a) { return Key().add(a.run).add(a.key).take(); }
inline std::string keyOf(const Rank& r) { return Key().add(r.attempt).add(std::int64_t{r.rank}).take(); }
inline std::string keyOf(const Fact& f) { return Key().add(f.attempt).add(f.node).add(f.rank).add(f.key).take(); }
inline std::string keyOf(const Checkpoint& c) { return Key().add(c.attempt).add(c.step).add(c.path).take(); }
inline std::string keyOf(const CommGroup& g) { return Key().add(g.attempt).add(g.id).take(); }
inline std::string keyOf(const Progress& p) { return Key().add(p.attempt).add(std::int64_t{p.rank}).take(); }
inline std::string keyOf(const SeriesKey& k) {
  return Key().add(k.attempt).add(k.rank).add(k.node).add(k.device).add(k.metric).add(k.source).add(k.labels).take();
}
inline std::string keyOf(const TrackKey& k) { return Key().add(k.attempt).add(k.rank).add(k.kind).add(k.name).take(); }

}  // namespace runglass
