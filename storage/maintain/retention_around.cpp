// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Rows that stay because of damage are noted.
// 2. A row that could not be erased is not returned again, so that a caller that asks for more rows terminates.
#include "storage/maintain/retention_around.h"

#include <algorithm>
#include <limits>

namespace runglass {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kNamed = 8, kMaxSkipped = 5'000;

}  // namespace

bool AroundDamage::note(const std::string& table, const std::string& object, const Status& failed) {
  if (failed.code() != Code::kDataLoss) return false;
  RetentionOutcome::Unread& unread = m_outcome.unread[table];
  unread.why = failed.message();
  if (object.empty() || !unread.objects.insert(object).second) return true;
  ++unread.count;
  if (unread.objects.size() > kNamed) unread.objects.erase(object);
  return true;
}

Result<std::int64_t> AroundDamage::nextReadable(std::int64_t from, const std::function<Result<bool>(std::int64_t)>& probe) {
  std::int64_t bad = from, good = from;
  for (std::int64_t step = 1;; step *= 2) {
    good = from > kHighest - step ? kHighest : from + step;
    RG_ASSIGN(const bool readable, probe(good));
    if (readable || good == kHighest) break;
    bad = good;
    if (step > kHighest / 2) return kHighest;
  }
  while (good - bad > 1) {
    const std::int64_t middle = bad + (good - bad) / 2;
    RG_ASSIGN(const bool readable, probe(middle));
    (readable ? good : bad) = middle;
  }
  return good;
}

Result<std::vector<AroundDamage::Row>> AroundDamage::ordered(const std::string& table, const std::string& sql, std::int64_t limit) {
  std::vector<Row> found;
  const std::set<std::int64_t>& skipped = m_skipped[table];
  if (skipped.size() > kMaxSkipped) return found;
  RG_ASSIGN(auto rows, m_db.prepare(sql));
  const auto probe = [&](std::int64_t from) -> Result<bool> {
    rows.reset();
    rows.bind(1, from);
    rows.bind(2, 1);
    const auto row = rows.step();
    if (!row.ok() && row.status().code() != Code::kDataLoss) return row.status();
    return row.ok();
  };
  std::int64_t from = std::numeric_limits<std::int64_t>::min(), reached = from;  // `reached` includes skipped rows
  while (from < kHighest) {
    rows.reset();
    rows.bind(1, from);
    rows.bind(2, limit + static_cast<std::int64_t>(skipped.size()));
    while (static_cast<std::int64_t>(found.size()) < limit) {
      const auto row = rows.step();
      if (row.ok() && !*row) return found;
      if (!row.ok()) {
        RG_TRY(skip(table, row.status()));
        from = std::max({from, reached, std::int64_t{0}});
        RG_ASSIGN(from, nextReadable(from, probe));
        break;
      }
      reached = rows.int64(1);
      if (!skipped.contains(rows.int64(0))) found.push_back({reached, rows.int64(0)});
    }
    if (static_cast<std::int64_t>(found.size()) >= limit) break;
  }
  return found;
}

Result<std::vector<AroundDamage::Row>> AroundDamage::fromEnds(const std::string& sql, const std::string& order,
                                                              std::optional<std::int64_t> owner, Status& damage) {
  std::vector<Row> found;
  for (const char* direction : {" ASC", " DESC"}) {
    RG_ASSIGN(auto rows, m_db.prepare(sql + " ORDER BY " + order + direction));
    if (owner) rows.bind(1, *owner);
    while (true) {
      const auto row = rows.step();
      if (!row.ok()) {
        if (row.status().code() != Code::kDataLoss) return row.status();
        damage = row.status();
        break;
      }
      if (!*row) return found;
      found.push_back({rows.int64(1), rows.int64(0)});
    }
  }
  return found;
}

Result<std::vector<AroundDamage::Row>> AroundDamage::ofOwners(const Owners& owners, std::int64_t each) {
  std::vector<Row> found;
  const std::set<std::int64_t>& skipped = m_skipped[owners.table];
  if (skipped.size() > kMaxSkipped) return found;
  Status damage;
  RG_ASSIGN(const auto ids, fromEnds("SELECT id, id FROM (" + owners.sql + ")", "id", {}, damage));
  if (!damage.ok()) static_cast<void>(note(owners.table, "some " + owners.what, damage));
  RG_ASSIGN(auto rows, m_db.prepare(owners.rows));
  RG_ASSIGN(auto one, m_db.prepare(owners.one));
  for (const Row& owner : ids) {
    rows.reset();
    rows.bind(1, owner.id);
    rows.bind(2, each + static_cast<std::int64_t>(skipped.size()));
    const std::size_t before = found.size();
    while (true) {
      const auto row = rows.step();
      if (row.ok() && !*row) break;
      if (row.ok()) {
        if (!skipped.contains(rows.int64(0))) found.push_back({rows.int64(1), rows.int64(0)});
        continue;
      }
      RG_TRY(skip(owners.table, row.status(), owners.what + ' ' + std::to_string(owner.id)));
      found.resize(before);
      Status unread;
      RG_ASSIGN(const auto listed, fromEnds(owners.listed, owners.order, owner.id, unread));
      for (const Row& row_of_index : listed) {
        one.reset();
        one.bind(1, row_of_index.id);
        const auto known = one.step();
        if (!known.ok()) RG_TRY(skip(owners.table, known.status()));
        if (known.ok() && *known && !skipped.contains(one.int64(0))) found.push_back({one.int64(1), one.int64(0)});
      }
      break;
    }
  }
  std::ranges::sort(found, {}, [](const Row& row) { return std::pair(row.at, row.id); });
  const auto same = std::ranges::unique(found, {}, &Row::id);
  found.erase(same.begin(), same.end());
  return found;
}

Status AroundDamage::erase(const std::string& table, std::span<const std::int64_t> ids,
                           const std::function<Status(std::span<const std::int64_t>)>& erase) {
  if (ids.empty() || m_skipped[table].size() > kMaxSkipped) return {};
  const Status erased = erase(ids);
  if (erased.ok() || erased.code() != Code::kDataLoss) return erased;
  if (ids.size() == 1) {
    m_skipped[table].insert(ids.front());
    static_cast<void>(note(table, "row " + std::to_string(ids.front()), erased));
    return {};
  }
  RG_TRY(this->erase(table, ids.subspan(0, ids.size() / 2), erase));
  return this->erase(table, ids.subspan(ids.size() / 2), erase);
}

}  // namespace runglass
