// SPDX-License-Identifier: Apache-2.0
// SenderSession: the series, tracks and log lines of one sender of remote_write or OTLP, and its session with the hub: what it sends
// becomes batches, whose definitions the hub has from the session's begin. Invariants:
// 1. A sample is delivered once: its time is after all delivered times of its series, or the store was read and does not have it.
// 2. After a batch was refused the next request begins another session, from the state of the store by then.
// 3. A span or log line is delivered once: its request was not delivered in this session, and the store was read for those that an earlier
//    session may have delivered.
//
// Threading:  one thread at a time. take()'s `done` is called as ReceivedBatch::done.
// Ownership:  borrows the port.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     take(): UNAVAILABLE the store cannot be read; INVALID_ARGUMENT, RESOURCE_EXHAUSTED the request is refused as a whole.
// Cost:       a hash look-up per series of a request; some 900 bytes a series. Late samples read the store.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/exposition/exporter_places.h"
#include "collectors/exposition/stored_series.h"
#include "collectors/hub/receivers/otlp/otlp_resource.h"
#include "collectors/hub/receivers/otlp/sent_before.h"
#include "collectors/hub/receivers/receiver_port.h"
#include "collectors/hub/receivers/write_request.h"
#include "collectors/wire/session_dictionary.h"
#include "model/metric_catalog.h"

namespace runglass {

struct SenderLimits {
  std::int64_t series = 200'000;         // of a sender, at a time
  std::size_t label_bytes = 128U << 20;  // of these series
  // Of a session, which keeps everything that it has defined; below the hub's PayloadLimits even after a request of `series` new ones.
  std::int64_t defined_series = 400'000;
  std::size_t nodes = 16'000, devices = 200'000;
  std::size_t resources = 20'000, tracks = 100'000, runs = 4'000;  // of OTLP; runs: their attempts
  std::size_t compared = 4'000'000;                                // spans and lines of the store with which those of OTLP are, at a time
  std::int64_t new_series_burst = 200'000, new_series_per_s = 2'000;
  DurNs ahead = 600 * kNsPerSecond;                   // of the hub's clock
  DurNs forgotten_after = 24 * 3'600 * kNsPerSecond;  // a series without samples gives its place back
};

struct SenderRequest {
  std::string_view bytes;               // countWriteRequest() or countOtlp() accepted them
  std::string address;                  // of the client, without port
  std::optional<OtlpSignal> otlp = {};  // absent: remote_write
};

// What became of a request's samples, spans or log lines.
struct WriteOutcome {
  std::int64_t stored = 0, repeated = 0, stale = 0, blank = 0, implausible = 0;
  std::int64_t undecided = 0;  // late, of a series that is not committed yet: to be sent again
  // Refused: the reply names them.
  std::int64_t too_many_series = 0, too_fast = 0, ahead = 0, no_time = 0, unnamed = 0;
  std::int64_t late_deltas = 0;      // of a time before the newest one: its total is stored already
  std::int64_t too_many_tracks = 0;  // or resources
  std::int64_t too_old = 0;          // spans and lines that cannot be compared with those of the store
  std::int64_t rejected_items = 0;   // data points, spans or log records of which a part was refused
  std::int64_t refused() const { return too_many_series + ahead + no_time + unnamed + late_deltas + too_many_tracks + too_old; }
};

// Name of the metric of a series' key that SenderSession made of OTLP.
std::string_view otlpNameOf(std::string_view key);

class SenderSession {
 public:
  SenderSession(std::string name, const ReceiverPort& port, const SenderLimits& limits);

  // Delivers what a request has. `done` is called once this and all before are durable, or refused.
  Result<WriteOutcome> take(const SenderRequest& request, TimeNs now, std::function<void(const Status&)> done);
  std::int64_t series() const { return static_cast<std::int64_t>(m_by_key.size()); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kMaxHeldItems = 50'000;  // spans or lines, before they become batches
  struct Entry {
    std::string key;
    const Unit* unit = nullptr;
    const MetricInfo* metric = nullptr;  // null: not in the catalogue
    std::string metric_name;
    bool dcgm = false;
    bool delta = false;  // values are increments of `total`
    double total = 0;
    CodeGauge code = CodeGauge::kNone;
    SeriesId id;
    std::uint32_t node = 0;  // index of m_places
    DeviceId device;
    std::uint64_t identity = 0;  // StoredSeries::identity()
    TimeNs newest = 0, seen = 0;
    // All delivered times of a new series, until it is surely committed: a Reader does not see it before.
    std::unique_ptr<std::vector<TimeNs>> fresh;
    TimeNs created = 0;
    std::uint32_t next = kNone;  // the entry that followed this one when it was last looked up
  };
  struct Contact {
    TimeNs newest = 0;                    // of a node's samples, at most the hub's clock
    TimeNs last_heard = 0, reported = 0;  // the last contact that was recorded, and when it was
  };
  // What the key of a series means.
  struct Meaning {
    ExporterSample what;
    std::string unit, source;
    std::optional<std::uint32_t> node;  // absent: too many
    AttemptId attempt;                  // set: the series is of its rank, unless it is of a device
    std::optional<std::int32_t> rank;
    std::string owner;  // the attempt's, for StoredSeries::identity()
    bool delta = false;
  };
  // A resource and scope of OTLP.
  struct Origin {
    std::string key;
    OtlpResource what;
    std::string source, owner;
    std::uint32_t node = 0;
    RunId run;
    AttemptId attempt;
    TimeNs seen = 0;
  };
  struct NewSpans {
    std::uint32_t origin = 0;
    TrackKey key;
    SpanColumns columns;
    std::vector<std::uint64_t> parents;  // ids, 0: none
    std::unordered_map<std::string_view, std::uint32_t> names;
  };
  struct Late {
    Entry* entry;
    TimeNs time;
    double value;
    std::size_t item;  // index in m_item_refused
  };

  Status begin();
  Entry* find(std::string_view key, const std::string& address, WriteOutcome& outcome);
  std::uint32_t add(std::string_view key, const std::string& address, WriteOutcome& outcome);
  std::optional<Meaning> meaningOf(std::string_view key, const std::string& address);
  std::optional<Meaning> meaningOfOtlp(std::string_view key);
  std::optional<std::uint32_t> nodeOf(std::string name, const std::string& address);
  void resume(Entry& entry, TimeNs newest);
  void declarePlaces();
  void beginPayload();
  void write(Entry& entry, std::span<const WriteSample> samples, WriteOutcome& outcome);
  void admit(const Entry& entry, std::uint64_t time, double exposed, WriteOutcome& outcome);
  void putAdmitted(Entry& entry, WriteOutcome& outcome);
  void flushAdmitted(Entry& entry, WriteOutcome& outcome);
  void put(Entry& entry, std::span<const TimeNs> time, std::span<double> value, WriteOutcome& outcome);
  void noteSample(const Entry& entry);
  void remember(Entry& entry, std::span<const TimeNs> time);
  void reportFault(const Entry& entry, TimeNs time, double value);
  Status writeLate(WriteOutcome& outcome);
  void refuseLateDelta(const Late& late, WriteOutcome& outcome);
  // OTLP.
  Status takeOtlp(const SenderRequest& request, WriteOutcome& outcome);
  std::uint32_t originOf(OtlpSignal signal, const OtlpScope& scope, const std::string& address);
  void declareRank(const Origin& origin);
  void takePoint(std::uint32_t origin, const OtlpMetric& metric, const OtlpPoint& point, WriteOutcome& outcome);
  void takePart(const OtlpMetric& metric, const OtlpPoint& point, char part, std::string_view bounds, double value, WriteOutcome& outcome);
  void takeBuckets(const OtlpMetric& metric, const OtlpPoint& point, WriteOutcome& outcome);
  void takeSpan(std::uint32_t origin, std::string_view record, WriteOutcome& outcome);
  Status putSpans(WriteOutcome& outcome);
  void noteStart(const Origin& origin, TimeNs time);
  void takeLog(std::uint32_t origin, std::string_view record, WriteOutcome& outcome);
  Status putLogs(WriteOutcome& outcome);
  bool isTime(std::uint64_t time, WriteOutcome& outcome) const;

  void reportNodes(TimeNs now);
  void reportIssues(const WriteOutcome& outcome, TimeNs now);
  void issue(const char* code, std::int64_t count, TimeNs now, const std::string& detail);
  void deliver(std::function<void(const Status&)> done);
  void forget(TimeNs now);
  bool definesTooMuch() const;

  const std::string m_name;
  const ReceiverPort& m_port;
  const SenderLimits m_limits;

  // Of the session.
  std::string m_session;
  std::shared_ptr<std::atomic<bool>> m_refused;  // set by the hub's thread; null: no session yet
  bool m_delivered = false;                      // its first batch
  std::unique_ptr<SessionDictionary> m_dictionary;
  std::size_t m_defined = 0;  // bytes of the dictionary that the hub has
  std::int64_t m_defined_series = 0;
  bool m_forgot = false;          // series since the session's begin: another session defines less
  std::size_t m_label_bytes = 0;  // of the series that have an entry
  std::deque<Entry> m_entries;
  std::vector<std::uint32_t> m_free;
  std::uint32_t m_previous = kNone;  // the entry of the last look-up
  std::unordered_map<std::string_view, std::uint32_t> m_by_key;
  ExporterPlaces m_places;
  std::vector<NodeId> m_node_ids;      // of m_places
  std::vector<DeviceId> m_device_ids;  // of m_places
  std::vector<Contact> m_contacts;     // of nodes
  FaultCodes m_codes;
  std::unordered_map<std::uint64_t, TimeNs> m_stored;  // newest times of series that have no entry, by identity
  std::unique_ptr<Reader> m_reader;
  std::optional<StoredSeries> m_store;
  double m_new_series = 0;  // tokens
  TimeNs m_refilled = 0, m_swept = 0;
  std::size_t m_fresh_times = 0;  // of all entries
  std::deque<Origin> m_origins;
  std::vector<std::uint32_t> m_free_origins;
  std::unordered_map<std::string_view, std::uint32_t> m_origin_of;
  std::set<std::string> m_runs;                        // Origin::owner of attempts
  std::set<std::string> m_tracks;                      // as TrackKey's identity
  std::unordered_map<std::uint64_t, TimeNs> m_starts;  // of attempts
  std::optional<SentBefore> m_sent;

  // Of the request.
  TimeNs m_now = 0;
  std::string m_payload, m_first_implausible, m_first_refused;
  std::size_t m_blocks = 0;
  std::vector<TimeNs> m_times, m_block_times;  // of the entry; of the payload's last block
  std::vector<double> m_values;
  std::vector<Late> m_late;
  std::vector<bool> m_item_refused;  // by data point of OTLP
  std::string m_key;
  std::size_t m_key_head = 0;                   // of m_key: the origin
  std::map<std::string, NewSpans> m_new_spans;  // by track
  std::size_t m_new_span_count = 0;
  std::vector<std::pair<std::uint32_t, LogLine>> m_new_logs;  // with their origin
};

}  // namespace runglass
