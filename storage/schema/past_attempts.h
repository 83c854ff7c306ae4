// SPDX-License-Identifier: Apache-2.0
// Ranks and facts of superseded attempts. A job that restarts has nearly the same ones each time, so they are stored once for a range of
// its attempts (rg_past_rank, rg_past_fact); process ids, which are new each time, are one packed column of the attempt (rg_past). Internal
// to storage.
//
// Threading:  that of the connection.
// Ownership:  the function of a connection owns its cache.
// Units:      ranges are of attempt ids: those of a run are assigned in the order of attempt numbers.
// Errors:     those of SQLite; process ids that cannot be decoded are NULL, and verify reports them.
// Cost:       moveToPast and reading an attempt: the rows of the attempt times the logarithm of the run's attempts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ids.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// The rows whose ranges contain an attempt are found by their fork: the id of the range that is divisible by the highest power of two. Its
// binary form ends in a one and zeros. The forks of all ranges that contain an id are among the numbers obtained by replacing the id's
// digits from some place on with a one and zeros, one number per place (ids are below 2^32). No two ranges of a rank have the same fork.
inline constexpr std::string_view kPlaces =
    "(WITH RECURSIVE b(d) AS (VALUES(0) UNION ALL SELECT d + 1 FROM b WHERE d < 31) SELECT d FROM b)";
// For FROM: all ranks and facts, including past ones. A row that arrived after its attempt was moved replaces the moved one. A condition on
// attempt_id uses the primary keys.
inline const std::string kPastRanks =
    "rg_past x JOIN rg_attempt a USING(attempt_id) CROSS JOIN " + std::string(kPlaces) +
    " b CROSS JOIN rg_past_rank p INDEXED BY rg_past_rank_fork ON p.run_id = a.run_id AND p.fork = ((x.attempt_id >> b.d) | 1) << b.d AND "
    "x.attempt_id BETWEEN "
    "p.first_attempt AND p.last_attempt WHERE NOT EXISTS (SELECT 1 FROM rg_rank r WHERE r.attempt_id = x.attempt_id AND r.rank = p.rank)";
inline const std::string kPastFacts =
    "rg_past x JOIN rg_attempt a USING(attempt_id) CROSS JOIN " + std::string(kPlaces) +
    " b CROSS JOIN rg_past_fact p INDEXED BY rg_past_fact_fork ON p.run_id = a.run_id AND p.fork = ((x.attempt_id >> b.d) | 1) << b.d AND "
    "x.attempt_id BETWEEN "
    "p.first_attempt AND p.last_attempt WHERE NOT EXISTS (SELECT 1 FROM rg_fact f WHERE f.attempt_id = x.attempt_id AND f.node_id = "
    "p.node_id "
    "AND f.rank = p.rank AND f.key = p.key)";
// The node of each rank: attempt_id, rank, node_id.
std::string rankNodes();

// Moves the rows of rg_rank and rg_fact of an attempt that is superseded and not in rg_past. If it was moved before and its row of rg_past
// is lost, it gets a row without process ids, and nothing is moved.
Status moveToPast(sqlite::Connection& db, AttemptId attempt);

using RankPid = std::pair<std::int32_t, std::int32_t>;
// By rank.
std::string packPids(std::span<const RankPid> pids);
std::optional<std::vector<RankPid>> unpackPids(std::string_view packed);
std::uint32_t pidsChecksum(std::int64_t attempt, std::string_view packed);

// Adds past_pid(pids, rank), for a connection that reads kPastRanks with process ids, and past_fork(first, last), for one that writes.
Status addPastPid(sqlite3* db, const std::string& path);

}  // namespace runglass
