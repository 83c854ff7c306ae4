// SPDX-License-Identifier: Apache-2.0
// SenderSession: the series of one remote_write sender, and its session with the hub: samples become batches, whose definitions the hub has
// from the session's begin.
// Invariants:
// 1. A sample is delivered once: its time is after all delivered times of its series, or the store was read and does not have it.
// 2. After a batch was refused the next request begins another session, from the state of the store by then.
//
// Threading:  one thread at a time. `Verdict::delivered` is called as ReceivedBatch::done.
// Ownership:  borrows the port.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     take(): UNAVAILABLE the store cannot be read; INVALID_ARGUMENT, RESOURCE_EXHAUSTED the request is refused as a whole.
// Cost:       a hash look-up per series of a request; some 900 bytes a series. Late samples read the store.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/exposition/exporter_places.h"
#include "collectors/exposition/stored_series.h"
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
  std::int64_t new_series_burst = 200'000, new_series_per_s = 2'000;
  DurNs ahead = 600 * kNsPerSecond;                   // of the hub's clock
  DurNs forgotten_after = 24 * 3'600 * kNsPerSecond;  // a series without samples gives its place back
};

// What became of a request's samples.
struct WriteOutcome {
  std::int64_t stored = 0, repeated = 0, stale = 0, blank = 0, implausible = 0;
  std::int64_t undecided = 0;  // late, of a series that is not committed yet: to be sent again
  // Refused: the reply names them.
  std::int64_t too_many_series = 0, too_fast = 0, ahead = 0, no_time = 0, unnamed = 0;
  std::int64_t refused() const { return too_many_series + ahead + no_time + unnamed; }
};

class SenderSession {
 public:
  SenderSession(std::string name, const ReceiverPort& port, const SenderLimits& limits);

  // Delivers the samples of a request that countWriteRequest() accepted. `done` is called once they and all before are durable, or refused.
  Result<WriteOutcome> take(std::string_view request, const std::string& address, TimeNs now, std::function<void(const Status&)> done);
  std::int64_t series() const { return static_cast<std::int64_t>(m_by_key.size()); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    std::string key;
    const Unit* unit = nullptr;
    const MetricInfo* metric = nullptr;  // null: not in the catalogue
    std::string metric_name;
    bool dcgm = false;
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
  struct Late {
    Entry* entry;
    std::vector<std::pair<TimeNs, double>> points;
  };

  Status begin();
  Entry* find(std::string_view key, const std::string& address, WriteOutcome& outcome);
  std::uint32_t add(std::string_view key, const std::string& address, WriteOutcome& outcome);
  void declarePlaces();
  void beginPayload();
  void write(Entry& entry, std::span<const WriteSample> samples, TimeNs now, WriteOutcome& outcome);
  void put(Entry& entry, std::span<const TimeNs> time, std::span<const double> value, WriteOutcome& outcome);
  void noteSample(const Entry& entry);
  void remember(Entry& entry, std::span<const TimeNs> time);
  void reportFault(const Entry& entry, TimeNs time, double value);
  Status writeLate(WriteOutcome& outcome);
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

  // Of the request.
  TimeNs m_now = 0;
  std::string m_payload, m_first_implausible, m_first_refused;
  std::size_t m_blocks = 0;
  std::vector<TimeNs> m_times, m_block_times;  // of the entry; of the payload's last block
  std::vector<double> m_values;
  std::vector<Late> m_late;
};

}  // namespace runglass
