// SPDX-License-Identifier: Apache-2.0
// TfeventsParser: parses TensorBoard event files (TFRecords of tensorflow.Event) from pieces of any size, so that a file can be imported as
// a whole or tailed while it grows.
//
// Threading:  one thread.
// Ownership:  keeps an incomplete record (at most 16 MiB) and at most 2 M points between calls; passes scalars to the sink in batches per
//             tag.
// Units:      wall_time (double seconds) becomes ns from exact whole seconds + the fraction rounded to the nearest ns.
// Errors:     a bad length checksum ends the file (no resynchronisation is possible); a bad data checksum skips that record. Both are
//             counted.
// Cost:       over 10 M scalar events/s; hardware CRC32C.
//
// Format: reference/wire-formats.md section 3 (tensorflow/core/lib/io/record_writer.h, event.proto, summary.proto, tensor.proto).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/time.h"

namespace runglass {

class TfeventsParser {
 public:
  static constexpr std::size_t kMaxTags = 1'000'000;
  static constexpr std::size_t kMaxTagBytes = 1024;  // a longer name is cut, and a checksum keeps it unique

  struct Scalars {
    std::vector<std::int64_t> step;
    std::vector<TimeNs> time;
    std::vector<double> value;  // float32 widened exactly
  };
  // Called with at most 8,192 points of one tag at a time, in file order per tag.
  using Sink = std::function<void(const std::string& tag, const Scalars& points)>;
  struct Counts {
    std::int64_t records = 0, scalars = 0;
    std::int64_t bad_data_crc = 0, too_large = 0, malformed = 0, not_scalar = 0;
    std::int64_t too_many_tags = 0;               // scalars of tags beyond kMaxTags
    std::optional<std::uint64_t> bad_length_at;   // offset of the record whose length checksum is wrong
    std::optional<TimeNs> first_time, last_time;  // oldest and newest
  };

  // Called when the writer reports a start at a step, after all points before it were passed on; `again`: the file has later steps already.
  // (An Estimator reports a start after each evaluation and continues where it was: not again.)
  using StartSink = std::function<void(std::int64_t step, bool again)>;

  // Records that begin before `skip_to` (a former committedOffset()) only report starts.
  explicit TfeventsParser(Sink sink, std::uint64_t skip_to = 0, StartSink start = {});
  // Parses the next bytes. False once the file cannot be read further (bad_length_at is set).
  bool feed(std::string_view bytes);
  // Passes on all batched points.
  void flush();
  std::uint64_t committedOffset() const { return m_record_begin; }  // after the last complete record
  std::size_t tailBytes() const { return m_fed - m_record_begin; }  // of an incomplete record
  bool insideRecord() const { return tailBytes() > 0 || m_skip_bytes > 0; }
  const Counts& counts() const { return m_counts; }

 private:
  struct TagPoints {
    std::string tag;
    Scalars points;
  };
  bool parseRecords(std::string_view bytes, std::size_t* used);
  void event(std::string_view data, bool skipped);
  bool summaryValue(std::string_view data, double seconds, std::int64_t step);
  void add(std::string_view tag, double seconds, std::int64_t step, double value);
  void hand(TagPoints& tag);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  Sink m_sink;
  StartSink m_start;
  std::uint64_t m_skip_to;
  std::uint64_t m_fed = 0, m_record_begin = 0;
  std::uint64_t m_skip_bytes = 0;  // remaining bytes of a record that is too large to keep
  std::string m_pending;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> m_tag_index;
  std::vector<TagPoints> m_tags;
  std::size_t m_batched = 0;
  std::optional<std::int64_t> m_newest_step;  // since the last reported start
  Counts m_counts;
};

// "brain.Event:" in the first record.
bool looksLikeTfevents(std::string_view head);
TimeNs wallTimeToNs(double seconds);

}  // namespace runglass
