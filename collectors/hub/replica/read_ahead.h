// SPDX-License-Identifier: Apache-2.0
// ReadAhead: prefetches series. A view requests one series after the other over the same range, and each request is a round trip. Each
// request therefore includes likely next ones: the series that followed last time, or else those at the distance of the last two, doubling
// in number.
//
// Threading:  one thread at a time; groups are shared by Readers and lock themselves.
// Ownership:  owns values until they are taken or another range is requested.
// Units:      ids of the replica.
// Errors:     a wrong guess costs its transfer, never more than was requested already.
// Cost:       memory <= kMax values of kMaxPoints in all.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "model/mutex.h"
#include "storage/reader.h"

namespace runglass {

// Series requested in sequence, by the first.
class AskedGroups {
 public:
  void learn(const std::vector<SeriesId>& group) {
    if (group.size() > kMaxSeries) return;  // a long list is predicted by stride
    const MutexLock lock(m_mutex);
    if (m_groups.size() >= kMaxGroups && !m_groups.contains(group.front())) m_groups.clear();
    m_groups[group.front()] = group;
  }
  std::vector<SeriesId> of(SeriesId first) const {
    const MutexLock lock(m_mutex);
    const auto known = m_groups.find(first);
    return known == m_groups.end() ? std::vector{first} : known->second;
  }

 private:
  static constexpr std::size_t kMaxGroups = 1'024, kMaxSeries = 64;
  mutable Mutex m_mutex;
  std::map<SeriesId, std::vector<SeriesId>> m_groups RG_GUARDED_BY(m_mutex);
};

template <class Value>
class ReadAhead {
 public:
  struct Stretch {
    Axis axis = Axis::kX;
    std::int64_t x0 = 0, x1 = 0;
    std::size_t bins = 0;
    friend bool operator==(const Stretch&, const Stretch&) = default;
  };
  static constexpr std::size_t kMax = 64, kMaxPoints = 100'000;
  static constexpr DurNs kGood = 2 * kNsPerSecond;

  // A value prefetched by a recent request.
  std::optional<Value> take(const Stretch& stretch, SeriesId series, DurNs now) {
    if (m_stretch != stretch || now - m_came > kGood) m_ahead.clear();
    const auto there = m_ahead.find(series);
    if (there == m_ahead.end()) return std::nullopt;
    std::optional<Value> value(std::move(there->second));
    m_ahead.erase(there);
    m_asked.push_back(series);
    return value;
  }
  // The series to request now, this one first. `may`: whether the hub has such a series.
  std::vector<SeriesId> plan(const Stretch& stretch, SeriesId series, AskedGroups& groups, const std::function<bool(SeriesId)>& may) {
    // Another range, or a repeated series: the view has started over.
    if (m_stretch != stretch || std::ranges::find(m_asked, series) != m_asked.end()) {
      if (m_asked.size() > 1) groups.learn(m_asked);
      m_asked.clear();
      m_stretch = stretch;
    }
    m_ahead.clear();
    m_asked.push_back(series);
    if (m_asked.size() == 1) return bounded(groups.of(series));
    std::vector<SeriesId> wanted{series};
    const std::uint64_t stride = series.value - m_asked[m_asked.size() - 2].value;  // modulo 2^64: the stride can be negative
    const std::size_t count = std::min(kMax, 2 * m_asked.size() - 1);
    for (SeriesId next{series.value + stride}; wanted.size() < count && may(next); next.value += stride) wanted.push_back(next);
    return bounded(std::move(wanted));
  }
  // Stores a prefetched value.
  void keep(SeriesId series, Value value, DurNs now) {
    m_ahead.insert_or_assign(series, std::move(value));
    m_came = now;
  }
  void noteSize(std::size_t points) { m_points = std::max<std::size_t>(1, points); }

 private:
  std::vector<SeriesId> bounded(std::vector<SeriesId> wanted) const {
    if (wanted.size() > 1) wanted.resize(std::clamp<std::size_t>(std::min(kMax, kMaxPoints / m_points), 1, wanted.size()));
    return wanted;
  }

  std::optional<Stretch> m_stretch;
  std::vector<SeriesId> m_asked;
  std::map<SeriesId, Value> m_ahead;
  DurNs m_came = 0;
  std::size_t m_points = 1;  // of the last value
};

}  // namespace runglass
