// SPDX-License-Identifier: Apache-2.0
// FeedNames: mapping between a store's ids and those of a feed's dictionary. Each end of a feed has one: the hub for its store, the replica
// for its own; only dictionary ids are sent.
//
// Threading:  thread-safe; the feed adds pairs, questions and answers look them up.
// Ownership:  shared; lives as long as its session is used.
// Units:      ids; none if there is no pair (yet).
// Cost:       8 bytes an id: ids of a store are nearly dense.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.h"
#include "model/mutex.h"

namespace runglass {

class FeedNames {
 public:
  template <class Id>
  void pair(Id here, Id there) {
    if (!here || !there || here.value > kMax || there.value > kMax) return;
    const WriterLock lock(m_mutex);
    Pairs<Id>& pairs = std::get<Pairs<Id>>(m_pairs);
    put(pairs.there, here.value, there.value);
    put(pairs.here, there.value, here.value);
  }
  template <class Id>
  Id there(Id here) const {
    const ReaderLock lock(m_mutex);
    return Id{get(std::get<Pairs<Id>>(m_pairs).there, here.value)};
  }
  template <class Id>
  Id here(Id there) const {
    const ReaderLock lock(m_mutex);
    return Id{get(std::get<Pairs<Id>>(m_pairs).here, there.value)};
  }

 private:
  static constexpr std::uint64_t kMax = 1U << 28;
  template <class Id>
  struct Pairs {
    std::vector<std::uint32_t> there, here;  // by the other id
  };
  static void put(std::vector<std::uint32_t>& ids, std::uint64_t at, std::uint64_t id) {
    if (ids.size() <= at) ids.resize(at + 1);
    ids[at] = static_cast<std::uint32_t>(id);
  }
  static std::uint64_t get(const std::vector<std::uint32_t>& ids, std::uint64_t at) { return at < ids.size() ? ids[at] : 0; }

  mutable SharedMutex m_mutex;
  std::tuple<Pairs<NodeId>, Pairs<DeviceId>, Pairs<RunId>, Pairs<AttemptId>, Pairs<SeriesId>, Pairs<TrackId>> m_pairs
      RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
