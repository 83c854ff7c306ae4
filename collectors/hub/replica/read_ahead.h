// SPDX-License-Identifier: Apache-2.0
// ReadAhead: a view asks for one series after the other over the same range, and each question is a round trip. What comes next is asked
// for along: the series that followed last time, or else those that lie as far apart as the last two, twice as many each time.
//
// Threading:  one thread at a time; groups are shared by Readers and lock themselves.
// Ownership:  owns values until they are taken or another range is asked for.
// Units:      ids of the copy.
// Errors:     none. A wrong guess costs what it brings, never more than was asked for already.
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

// Which series were asked for one after the other, by the first.
class AskedGroups {
 public:
  void learn(const std::vector<SeriesId>& group) {
    if (group.size() > kMaxSeries) return;  // a long list is followed by its strides
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

  // What was asked for along with an earlier one, a moment ago.
  std::optional<Value> take(const Stretch& stretch, SeriesId series, DurNs now) {
    if (m_stretch != stretch || now - m_came > kGood) m_ahead.clear();
    const auto there = m_ahead.find(series);
    if (there == m_ahead.end()) return std::nullopt;
    std::optional<Value> value(std::move(there->second));
    m_ahead.erase(there);
    m_asked.push_back(series);
    return value;
  }
  // Which ones to ask for now, this one first. `may`: whether there is such a series at the hub.
  std::vector<SeriesId> plan(const Stretch& stretch, SeriesId series, AskedGroups& groups, const std::function<bool(SeriesId)>& may) {
    // Another range, or the same once more: the view has begun again.
    if (m_stretch != stretch || std::ranges::find(m_asked, series) != m_asked.end()) {
      if (m_asked.size() > 1) groups.learn(m_asked);
      m_asked.clear();
      m_stretch = stretch;
    }
    m_ahead.clear();
    m_asked.push_back(series);
    if (m_asked.size() == 1) return bounded(groups.of(series));
    std::vector<SeriesId> wanted{series};
    const std::uint64_t stride = series.value - m_asked[m_asked.size() - 2].value;  // modulo 2^64: it may go backwards
    const std::size_t count = std::min(kMax, 2 * m_asked.size() - 1);
    for (SeriesId next{series.value + stride}; wanted.size() < count && may(next); next.value += stride) wanted.push_back(next);
    return bounded(std::move(wanted));
  }
  // What came of the plan, without the first.
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
  std::size_t m_points = 1;  // of the last one
};

}  // namespace runglass
