// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A damaged object is named and the check continues: one bad page does not hide the rest.
// 2. At most kMaxLines lines; the last one then reports that there are more.
#include "storage/maintain/verify_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "model/log_query.h"
#include "storage/codec/capture_body.h"
#include "storage/codec/pyramid.h"
#include "storage/codec/sample_chunk.h"
#include "storage/codec/span_summary.h"
#include "storage/maintain/verify_pages.h"
#include "storage/read/store_reader.h"
#include "storage/schema/past_attempts.h"
#include "storage/schema/store_references.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxLines = 1000;

// One pyramid entry, comparable; sums are compared separately because the order of adding changes the last bits.
struct Entry {
  std::int64_t x0, x1;
  std::uint64_t first, last, min, max;  // bits
  std::uint8_t count, nan_count;
  double sum;
  auto key() const { return std::tie(x0, x1, first, last, min, max, count, nan_count); }
};

std::uint64_t bits(double value) {
  std::uint64_t raw;
  std::memcpy(&raw, &value, sizeof raw);
  return raw;
}

void appendEntries(const Pyramid& pyramid, std::vector<Entry>& out) {
  for (std::size_t i = 0; i < pyramid.size(); ++i) {
    const bool empty = pyramid.count[i] == 0;
    out.push_back({pyramid.x0[i], pyramid.x1[i], empty ? 0 : bits(pyramid.first[i]), empty ? 0 : bits(pyramid.last[i]),
                   empty ? 0 : bits(pyramid.min[i]), empty ? 0 : bits(pyramid.max[i]), pyramid.count[i], pyramid.nan_count[i],
                   empty ? 0 : pyramid.sum[i]});
  }
}

bool sumsAgree(const Entry& raw, const Entry& stored) {
  if (std::isnan(raw.sum) || std::isinf(raw.sum)) return true;  // infinities: the result depends on the order of adding
  double low, high;
  std::memcpy(&low, &raw.min, sizeof low);
  std::memcpy(&high, &raw.max, sizeof high);
  const double most = raw.count * std::max(std::fabs(low), std::fabs(high));
  return std::fabs(raw.sum - stored.sum) <= 1e-12 * most || std::isinf(most);
}

struct SeriesRow {
  std::int64_t id = 0, count = 0;
  std::string metric;
  std::int64_t expired = 0;
};

class Verifier {
 public:
  Verifier(sqlite::Connection& db, std::stop_token stop) : m_db(db), m_stop(std::move(stop)) {}

  Result<std::vector<std::string>> run() {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
    RG_TRY(tolerate("file", verifyPages(m_db, m_stop, [this](std::string line) { damaged(std::move(line)); })));
    RG_TRY(tolerate("file", checkFile()));
    for (const Reference& reference : kReferences) RG_TRY(tolerate(reference.what, checkReference(reference)));
    RG_TRY(tolerate("table rg_series", checkAllSeries()));
    RG_TRY(tolerate("table rg_span_chunk", checkSpanChunks()));
    RG_TRY(tolerate("table rg_thinned", checkThinned()));
    RG_TRY(tolerate("table rg_past", checkPast()));
    RG_TRY(tolerate("table rg_capture", checkCaptures()));
    RG_TRY(tolerate("table rg_incident", checkIncidents()));
    RG_TRY(tolerate("index of the words of log lines", checkLogWords()));
    if (m_more > 0) m_lines.push_back("and " + std::to_string(m_more) + " more damaged objects");
    return std::move(m_lines);
  }

 private:
  void damaged(std::string line) {
    if (m_lines.size() < kMaxLines)
      m_lines.push_back(std::move(line));
    else
      ++m_more;
  }
  // A failed read is damage too, unless the check was cancelled.
  Status tolerate(const std::string& object, Status status) {
    if (m_stop.stop_requested()) return {Code::kCancelled, "verify cancelled: " + m_db.path()};
    if (!status.ok()) damaged(object + ": cannot be read: " + status.message());
    return {};
  }
  Status eachRow(sqlite::Statement& statement, const auto& take) {
    while (true) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "verify cancelled"};
      RG_ASSIGN(const bool row, statement.step());
      if (!row) return {};
      RG_TRY(take());
    }
  }

  Status checkFile() {
    RG_ASSIGN(auto check, m_db.prepare("PRAGMA quick_check(100)"));
    return eachRow(check, [&]() -> Status {
      if (check.text(0) != "ok") damaged("file: " + std::string(check.text(0)));
      return {};
    });
  }

  Status checkReference(const Reference& reference) {
    RG_ASSIGN(auto orphans, m_db.prepare(reference.sql));
    return eachRow(orphans, [&]() -> Status {
      damaged(std::string(reference.what) + " " + std::to_string(orphans.int64(0)) + ": names something that is not in the store");
      return {};
    });
  }

  Status checkAllSeries() {
    RG_ASSIGN(auto rows,
              m_db.prepare("SELECT s.series_id, s.sample_count, m.text, e.sample_count FROM rg_series s LEFT JOIN rg_string m ON "
                           "m.string_id = s.metric LEFT JOIN rg_expired e ON e.series_id = s.series_id ORDER BY 1"));
    std::vector<SeriesRow> all;
    RG_TRY(eachRow(rows, [&]() -> Status {
      all.push_back({rows.int64(0), rows.int64(1), std::string(rows.text(2)), rows.int64(3)});
      return {};
    }));
    RG_ASSIGN(m_chunks, m_db.prepare("SELECT chunk_id, x0, x1, n, crc, data, sealed FROM rg_chunk WHERE series_id = ?1 ORDER BY x0", true));
    RG_ASSIGN(m_pyramids, m_db.prepare("SELECT pyramid_id, x0, x1, chunks, crc, data FROM rg_pyramid WHERE series_id = ?1", true));
    for (const SeriesRow& series : all) RG_TRY(tolerate(nameOf(series), checkSeries(series)));
    return {};
  }

  static std::string nameOf(const SeriesRow& series) { return "series " + std::to_string(series.id) + " (" + series.metric + ")"; }

  Status checkSeries(const SeriesRow& series) {
    std::vector<Entry> raw, stored;
    std::int64_t samples = 0;
    m_damage_in_series = false;
    m_chunks.reset();
    m_chunks.bind(1, series.id);
    RG_TRY(eachRow(m_chunks, [&]() -> Status {
      samples += m_chunks.int64(3);
      checkChunk(series, raw);
      return {};
    }));
    m_pyramids.reset();
    m_pyramids.bind(1, series.id);
    RG_TRY(eachRow(m_pyramids, [&]() -> Status {
      checkPyramid(series, stored);
      return {};
    }));
    if (samples + series.expired != series.count) {
      damaged(nameOf(series) + ": its chunks hold " + std::to_string(samples) + " samples" +
              (series.expired > 0 ? " and " + std::to_string(series.expired) + " were deleted" : "") + ", the series says " +
              std::to_string(series.count));
    }
    // A chunk or pyramid row that is already reported explains missing entries.
    if (!m_damage_in_series) comparePyramid(series, raw, stored);
    return {};
  }

  void checkChunk(const SeriesRow& series, std::vector<Entry>& raw) {
    const auto fail = [&](const char* why) {
      m_damage_in_series = true;
      damaged("sample chunk " + std::to_string(m_chunks.int64(0)) + " of " + nameOf(series) + ": " + why);
    };
    const std::int64_t x0 = m_chunks.int64(1), x1 = m_chunks.int64(2), n = m_chunks.int64(3);
    const std::string_view blob = m_chunks.blob(5);
    if (n < 1 || n > static_cast<std::int64_t>(kChunkPoints)) return fail("its sample count is out of range");
    const auto count = static_cast<std::size_t>(n);
    if (chunkChecksum(static_cast<std::uint64_t>(series.id), x0, x1, count, blob) != static_cast<std::uint32_t>(m_chunks.int64(4)))
      return fail("checksum mismatch");
    m_x.resize(count);
    m_time.resize(count);
    m_value.resize(count);
    if (!decodeSampleChunk(blob, count, x0, m_x.data(), m_time.data(), m_value.data())) return fail("cannot be decoded");
    if (!std::is_sorted(m_x.begin(), m_x.end()) || m_x.front() != x0 || m_x.back() != x1)
      return fail("its samples are not within its bounds");
    if (m_chunks.int64(6) == 0) return;  // still open: the pyramid is made when the chunk is sealed
    Pyramid pyramid;
    appendPyramid(m_x.data(), m_value.data(), count, pyramid);
    appendEntries(pyramid, raw);
  }

  void checkPyramid(const SeriesRow& series, std::vector<Entry>& stored) {
    const auto fail = [&](const char* why) {
      m_damage_in_series = true;
      damaged("pyramid row " + std::to_string(m_pyramids.int64(0)) + " of " + nameOf(series) + ": " + why);
    };
    const std::string_view blob = m_pyramids.blob(5);
    if (chunkChecksum(static_cast<std::uint64_t>(series.id), m_pyramids.int64(1), m_pyramids.int64(2),
                      static_cast<std::uint64_t>(m_pyramids.int64(3)), blob) != static_cast<std::uint32_t>(m_pyramids.int64(4)))
      return fail("checksum mismatch");
    Pyramid pyramid;
    if (!decodePyramid(blob, pyramid)) return fail("cannot be decoded");
    appendEntries(pyramid, stored);
  }

  // Every block of raw samples must have its entry; entries without samples must be those whose samples retention deleted.
  void comparePyramid(const SeriesRow& series, std::vector<Entry>& raw, std::vector<Entry>& stored) {
    const auto by_key = [](const Entry& a, const Entry& b) { return a.key() < b.key(); };
    std::sort(raw.begin(), raw.end(), by_key);
    std::sort(stored.begin(), stored.end(), by_key);
    std::size_t missing = 0, wrong_sums = 0, j = 0, unmatched_samples = 0;
    for (const Entry& entry : raw) {
      while (j < stored.size() && stored[j].key() < entry.key())
        unmatched_samples += static_cast<std::size_t>(stored[j].count) + stored[j].nan_count, ++j;
      if (j < stored.size() && stored[j].key() == entry.key()) {
        if (!sumsAgree(entry, stored[j])) ++wrong_sums;
        ++j;
      } else {
        ++missing;
      }
    }
    for (; j < stored.size(); ++j) unmatched_samples += static_cast<std::size_t>(stored[j].count) + stored[j].nan_count;
    if (missing > 0)
      damaged("pyramid of " + nameOf(series) + ": " + std::to_string(missing) + " blocks of its samples have no matching entry");
    if (wrong_sums > 0) damaged("pyramid of " + nameOf(series) + ": " + std::to_string(wrong_sums) + " entries have a wrong sum");
    if (static_cast<std::int64_t>(unmatched_samples) > series.expired)
      damaged("pyramid of " + nameOf(series) + ": it counts " + std::to_string(unmatched_samples) +
              " samples that are not there, retention deleted " + std::to_string(series.expired));
  }

  Status checkIncidents() {
    RG_ASSIGN(auto rows, m_db.prepare("SELECT incident_id FROM rg_incident WHERE NOT (json_valid(findings) AND json_valid(evidence)) OR "
                                      "state NOT IN ('open', 'mitigated', 'resolved', 'dismissed')"));
    return eachRow(rows, [&]() -> Status {
      damaged("incident " + std::to_string(rows.int64(0)) + ": its state, findings or evidence is none");
      return {};
    });
  }

  Status checkPast() {
    RG_ASSIGN(auto rows, m_db.prepare("SELECT attempt_id, crc, pids FROM rg_past"));
    return eachRow(rows, [&]() -> Status {
      const std::string_view pids = rows.blob(2);
      const auto fail = [&](const char* why) { damaged("process ids of attempt " + std::to_string(rows.int64(0)) + ": " + why); };
      if (pidsChecksum(rows.int64(0), pids) != static_cast<std::uint32_t>(rows.int64(1)))
        fail("checksum mismatch");
      else if (!unpackPids(pids))
        fail("cannot be decoded");
      return {};
    });
  }

  Status checkCaptures() {
    RG_ASSIGN(auto rows, m_db.prepare("SELECT capture_id, bytes, packed, crc, body FROM rg_capture"));
    return eachRow(rows, [&]() -> Status {
      const bool packed = rows.int64(2) != 0;
      const std::string_view body = rows.blob(4);
      const auto fail = [&](const char* why) { damaged("capture " + std::to_string(rows.int64(0)) + ": " + why); };
      if (captureChecksum(body, packed, rows.int64(1)) != static_cast<std::uint32_t>(rows.int64(3)))
        fail("checksum mismatch");
      else if (!captureText(body, packed, rows.int64(1)))
        fail("cannot be decoded");
      return {};
    });
  }

  Status checkThinned() {
    RG_ASSIGN(auto rows, m_db.prepare("SELECT chunk_id, series_id, x0, x1, n, crc, data FROM rg_thinned"));
    return eachRow(rows, [&]() -> Status {
      const auto fail = [&](const char* why) {
        damaged("thinned chunk " + std::to_string(rows.int64(0)) + " of series " + std::to_string(rows.int64(1)) + ": " + why);
      };
      const std::int64_t n = rows.int64(4);
      if (n < 1 || n > static_cast<std::int64_t>(kChunkPoints)) return fail("its sample count is out of range"), Status();
      const auto count = static_cast<std::size_t>(n);
      const std::string_view blob = rows.blob(6);
      m_x.resize(count), m_time.resize(count), m_value.resize(count);
      if (chunkChecksum(static_cast<std::uint64_t>(rows.int64(1)), rows.int64(2), rows.int64(3), count, blob) !=
          static_cast<std::uint32_t>(rows.int64(5)))
        fail("checksum mismatch");
      else if (!decodeSampleChunk(blob, count, rows.int64(2), m_x.data(), m_time.data(), m_value.data()))
        fail("cannot be decoded");
      return {};
    });
  }

  Status checkSpanChunks() {
    RG_ASSIGN(auto names, m_db.queryInt64("SELECT max(string_id) FROM rg_string"));
    RG_ASSIGN(auto rows, m_db.prepare("SELECT chunk_id, track_id, t0, t1, n, crc, data, summary, first_span_id FROM rg_span_chunk"));
    return eachRow(rows, [&]() -> Status {
      checkSpanChunk(rows, names.value_or(0));
      return {};
    });
  }

  void checkSpanChunk(const sqlite::Statement& row, std::int64_t last_name) {
    const auto fail = [&](const char* why) {
      damaged("span chunk " + std::to_string(row.int64(0)) + " of track " + std::to_string(row.int64(1)) + ": " + why);
    };
    const std::int64_t n = row.int64(4);
    if (n < 1 || n > static_cast<std::int64_t>(kSpanChunkSpans)) return fail("its span count is out of range");
    const std::string_view blob = row.blob(6);
    if (chunkChecksum(static_cast<std::uint64_t>(row.int64(1)), row.int64(2), row.int64(3), static_cast<std::uint64_t>(n), blob) !=
        static_cast<std::uint32_t>(row.int64(5)))
      return fail("checksum mismatch");
    if (row.int64(8) != row.int64(0) * static_cast<std::int64_t>(kSpanChunkSpans)) return fail("its span ids are not those of its number");
    SpanChunk spans;
    if (!decodeSpanChunk(blob, static_cast<std::size_t>(n), spans)) return fail("cannot be decoded");
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans.start[i] < row.int64(2) || spans.start[i] > row.int64(3)) return fail("its spans are not within its bounds");
      if (spans.name[i] < 1 || spans.name[i] > last_name) return fail("a span's name is not in the store");
    }
    if (!row.isNull(7) && row.blob(7) != encodeSpanSummary(summarise(spans))) return fail("its summary is not that of its spans");
  }

  // The index must hold each word of each log line once and nothing else. Both sides are summed, with each (word, line) mapped to its own
  // number, so that order and size do not matter.
  Status checkLogWords() {
    std::uint64_t in_lines = 0, in_index = 0;
    std::int64_t lines_words = 0, index_words = 0;
    const auto mixed = [](std::uint64_t word, std::int64_t line) {
      std::uint64_t x = word ^ (static_cast<std::uint64_t>(line) * 0x9e3779b97f4a7c15ULL);
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
      return x ^ (x >> 31);
    };
    const auto hashOf = [](std::string_view word) {  // FNV-1a
      std::uint64_t hash = 0xcbf29ce484222325ULL;
      for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c)) * 0x100000001b3ULL;
      return hash;
    };
    RG_ASSIGN(auto lines, m_db.prepare("SELECT log_id, text FROM rg_log"));
    std::vector<std::uint64_t> words;
    RG_TRY(eachRow(lines, [&]() -> Status {
      words.clear();
      for (WordCursor word(lines.text(1)); word.next();) words.push_back(hashOf(word.word()));
      std::ranges::sort(words);
      words.erase(std::ranges::unique(words).begin(), words.end());
      for (const std::uint64_t word : words) in_lines += mixed(word, lines.int64(0));
      lines_words += static_cast<std::int64_t>(words.size());
      return {};
    }));
    RG_ASSIGN(auto index, m_db.prepare("SELECT term, doc FROM temp.rg_log_vocabulary"));
    std::string term;
    std::uint64_t hash = 0;
    RG_TRY(eachRow(index, [&]() -> Status {
      if (index_words++ == 0 || index.text(0) != term) {
        term = index.text(0);
        hash = hashOf(term);
      }
      in_index += mixed(hash, index.int64(1));
      return {};
    }));
    if (in_lines != in_index)
      damaged("index of the words of log lines: it holds " + std::to_string(index_words) + " words of lines, the lines have " +
              std::to_string(lines_words) + (lines_words == index_words ? ", and they are not the same" : "") +
              ": a search may miss lines");
    return {};
  }

  sqlite::Connection& m_db;
  std::stop_token m_stop;
  std::vector<std::string> m_lines;
  std::size_t m_more = 0;
  bool m_damage_in_series = false;
  sqlite::Statement m_chunks, m_pyramids;
  std::vector<std::int64_t> m_x, m_time;
  std::vector<double> m_value;
};

}  // namespace

Result<std::vector<std::string>> verifyStore(sqlite::Connection& db, std::stop_token stop) {
  // The index of words can only be listed through a table in this connection's temp schema.
  RG_TRY(
      db.exec("PRAGMA query_only=OFF; CREATE VIRTUAL TABLE IF NOT EXISTS temp.rg_log_vocabulary USING fts5vocab('main', "
              "'rg_log_words', 'instance'); PRAGMA query_only=ON"));
  return Verifier(db, std::move(stop)).run();
}

Result<std::vector<std::string>> StoreReader::verify(std::stop_token stop) { return verifyStore(m_file.db(), std::move(stop)); }

}  // namespace runglass
