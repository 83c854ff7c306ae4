// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/store_workload.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "storage/open_store.h"
#include "storage/reader.h"

namespace runglass::test {
namespace {

constexpr TimeNs kBegin = 1'760'000'000'000'000'000;
constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
constexpr DurNs kTick = 50 * kNsPerMs;

std::string nameOf(const StreamKey& stream) { return stream.agent + "/" + std::to_string(stream.stream); }
std::string payloadOf(const StreamKey& stream, std::uint64_t seq) {
  return std::string(50 + (seq * 7919 + stream.stream * 31) % 3'000, static_cast<char>('a' + seq % 26));
}
std::vector<StreamKey> streams() {
  std::vector<StreamKey> all;
  for (const char* agent : {"a", "b", "c"})
    for (std::uint32_t stream = 0; stream < 2; ++stream) all.push_back({agent, "session", stream});
  return all;
}

void recordBatch(Writer& writer, const StreamKey& stream, std::uint64_t seq) {
  const SeriesId series = writer.series({.node = writer.node({.uuid = stream.agent, .name = stream.agent}), .metric = nameOf(stream)});
  writer.sample(series, kBegin + static_cast<TimeNs>(seq) * kNsPerMs, static_cast<double>(seq));
  writer.event({.time = kBegin + static_cast<TimeNs>(seq), .kind = "batch", .code = nameOf(stream), .message = payloadOf(stream, seq)});
}

}  // namespace

WriterOptions StoreWorkload::options(bool power_safe) {
  WriterOptions options;
  options.replay = [](const StreamKey& stream, std::uint64_t seq, std::string_view payload, Writer& writer) -> Status {
    if (payload != payloadOf(stream, seq)) return {Code::kDataLoss, "batch " + std::to_string(seq) + " is not what was journaled"};
    recordBatch(writer, stream, seq);
    return {};
  };
  options.power_safe = power_safe;
  options.filesystem = [](const std::string&) { return std::string(); };
  return options;
}

bool StoreWorkload::open() {
  WriterOptions all = options(m_power_safe);
  all.disk_space = [this](const std::string&) { return DiskSpace{m_room, kPlenty}; };
  for (int attempt = 0; attempt < 3 && m_writer == nullptr; ++attempt) {
    auto opened = openStore(m_path).writer(all);
    noted(opened.status());
    if (opened.ok()) m_writer = std::move(*opened);
  }
  return m_writer != nullptr;
}

void StoreWorkload::journal() {
  static const std::vector<StreamKey> kStreams = streams();
  std::vector<std::string> payloads;
  std::vector<std::pair<const StreamKey*, std::uint64_t>> batches;
  std::map<const StreamKey*, std::uint64_t> next;
  const std::size_t count = 1 + below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const StreamKey* stream = &kStreams[below(kStreams.size())];
    const std::uint64_t seq = next.try_emplace(stream, m_writer->resumeFrom(*stream)).first->second++;
    batches.emplace_back(stream, seq);
    payloads.push_back(payloadOf(*stream, seq));
  }
  std::vector<Writer::JournalEntry> entries;
  for (std::size_t i = 0; i < count; ++i) entries.push_back({batches[i].first, batches[i].second, payloads[i]});
  const auto arrivals = m_writer->journal(entries);
  noted(arrivals.status());
  if (!arrivals.ok()) return;
  for (const auto& [stream, seq] : batches) {
    m_unrecorded.push_back({*stream, seq});
    m_journaled[*stream] = seq + 1;
  }
  if (!m_power_safe || below(3) == 0) acknowledge();
}

void StoreWorkload::acknowledge() {
  if (m_journaled.empty()) return;
  if (const Status synced = m_writer->syncJournal(); !synced.ok()) {
    // As a hub does: the senders still hold it and send it again.
    noted(synced);
    m_journaled.clear();
    return;
  }
  for (const auto& [stream, next] : m_journaled) m_acknowledged.push_back({m_disk.operations(), stream, next, monotonicNow()});
  m_journaled.clear();
}

void StoreWorkload::record() {
  for (const auto& [stream, seq] : m_unrecorded) recordBatch(*m_writer, stream, seq);
  m_unrecorded.clear();
}

void StoreWorkload::run(int steps) {
  for (int step = 0; step < steps; ++step) {
    m_room = kPlenty;
    if (m_writer == nullptr && !open()) return;
    const std::size_t dice = below(100);
    if (dice < 60) {
      journal();
      record();
    } else if (dice < 92) {
      m_room = below(3) == 0 ? 0 : kPlenty;  // little free space: then it checkpoints
      if (const Status begun = m_writer->beginFlush(); !begun.ok()) {
        noted(begun);
        continue;
      }
      m_room = kPlenty;
      for (std::size_t i = below(3); i > 0; --i) journal();
      if (below(2) == 0) m_room = 0;
      m_writer->runBegun();
      m_room = kPlenty;
      for (std::size_t i = below(2); i > 0; --i) journal();
      noted(m_writer->endBegun().status());
      record();
    } else if (dice < 97) {
      acknowledge();
    } else {
      acknowledge();
      noted(m_writer->close());
      m_writer.reset();
    }
  }
}

// As IngestThread::tick(), which syncs the journal in any case.
void StoreWorkload::tick(FaultClock& clock) {
  acknowledge();
  noted(m_writer->syncJournal());
  clock.advance(kTick);
  m_ticks.emplace_back(m_disk.operations(), monotonicNow());
}

void StoreWorkload::runInTime(FaultClock& clock, int ticks) {
  m_room = kPlenty;
  std::size_t quiet = 0;
  const auto batches = [&] {
    if (quiet > 0) --quiet;
    if (quiet == 0 && below(60) == 0) quiet = 20 + below(200);
    if (quiet == 0 && below(2) == 0) journal();
  };
  for (int i = 0; i < ticks; ++i) {
    if (m_writer == nullptr && !open()) return;
    tick(clock);
    batches();
    record();
    const auto begun = m_writer->beginFlushIfDue();
    noted(begun.status());
    if (!begun.ok() || !*begun) continue;
    const std::size_t longest = below(8) == 0 ? 240 : 4;
    for (std::size_t left = below(longest); left > 0; --left) tick(clock), batches();
    m_writer->runBegun();
    for (std::size_t left = below(3); left > 0; --left) tick(clock), batches();
    noted(m_writer->endBegun().status());
    record();
  }
  tick(clock);
}

Status StoreWorkload::finish() {
  m_room = kPlenty;
  if (m_writer == nullptr && !open()) return {Code::kUnavailable, "it cannot be opened"};
  acknowledge();
  RG_TRY(m_writer->flush());
  const Status closed = m_writer->close();
  m_writer.reset();
  return closed;
}

std::map<StreamKey, std::uint64_t> StoreWorkload::acknowledgedAt(std::size_t operation) const {
  std::map<StreamKey, std::uint64_t> next;
  for (const Acknowledged& one : m_acknowledged)
    if (one.operations <= operation) next[one.stream] = std::max(next[one.stream], one.next);
  return next;
}

std::map<StreamKey, std::uint64_t> StoreWorkload::acknowledgedBefore(std::size_t operation, DurNs before) const {
  // The operation is part of the last tick that began before it.
  const auto after = std::ranges::upper_bound(m_ticks, operation, {}, &std::pair<std::size_t, TimeNs>::first);
  std::map<StreamKey, std::uint64_t> next;
  if (after == m_ticks.begin()) return next;
  for (const Acknowledged& one : m_acknowledged)
    if (one.operations <= operation && one.time <= std::prev(after)->second - before)
      next[one.stream] = std::max(next[one.stream], one.next);
  return next;
}

std::string StoreWorkload::checkDurable(const std::string& path, bool power_safe, const std::map<StreamKey, std::uint64_t>& durable) {
  auto opened = openStore(path).writer(options(power_safe));
  if (!opened.ok()) return "the store cannot be opened: " + opened.status().message();
  std::string wrong;
  for (const auto& [stream, next] : durable)
    if (const std::uint64_t marked = (*opened)->resumeFrom(stream); marked < next)
      wrong += "stream " + nameOf(stream) + ": stored up to " + std::to_string(marked) + ", acknowledged long before up to " +
               std::to_string(next) + "\n";
  return wrong;
}

std::string StoreWorkload::check(const std::string& path, bool power_safe, const std::map<StreamKey, std::uint64_t>& acknowledged,
                                 bool may_lose) {
  auto opened = openStore(path).writer(options(power_safe));
  if (!opened.ok()) return "the store cannot be opened: " + opened.status().message();
  Writer& writer = **opened;
  std::string wrong;
  std::size_t batches = 0;
  for (const StreamKey& stream : streams()) {
    const std::uint64_t marked = writer.resumeFrom(stream);
    batches += marked;
    const auto found = acknowledged.find(stream);
    const std::uint64_t wanted = found == acknowledged.end() ? 0 : found->second;
    const std::string name = "stream " + nameOf(stream);
    if (marked < wanted && !may_lose)
      wrong += name + ": acknowledged up to " + std::to_string(wanted) + ", stored up to " + std::to_string(marked) + "\n";
    auto reader = openStore(path).reader({.live = writer.liveTail()});
    if (!reader.ok()) return "the store cannot be read: " + reader.status().message();
    const auto series = (*reader)->series({.metric = nameOf(stream)});
    SampleColumns samples;
    if (series.ok() && !series->empty()) {
      auto read = (*reader)->samples(series->front().id, {});
      if (read.ok()) samples = std::move(*read);
    }
    std::multiset<std::uint64_t> there;
    for (const double value : samples.value) there.insert(static_cast<std::uint64_t>(value));
    for (std::uint64_t seq = 0; seq < std::max(marked, wanted); ++seq) {
      const std::size_t times = there.count(seq);
      if (times > 1 || (times == 0 && seq < marked)) {
        wrong += name + ": batch " + std::to_string(seq) + " is there " + std::to_string(times) + " times, the mark is " +
                 std::to_string(marked) + "\n";
        break;
      }
    }
    if (there.size() > marked)
      wrong += name + ": " + std::to_string(there.size()) + " batches, the mark is " + std::to_string(marked) + "\n";
    // The agent continues after the acknowledged batches, which reveals a loss.
    if (marked < wanted) {
      const auto arrival = writer.journal(stream, wanted, payloadOf(stream, wanted));
      if (!arrival.ok() || *arrival != Arrival::kAfterGap) wrong += name + ": a lost suffix is not seen\n";
      if (arrival.ok()) recordBatch(writer, stream, wanted), ++batches;
    }
  }
  if (const Status closed = writer.close(); !closed.ok()) wrong += "the store cannot be closed: " + closed.message() + "\n";
  auto reader = openStore(path).reader();
  if (!reader.ok()) return wrong + "the closed store cannot be read: " + reader.status().message();
  if (const auto events = (*reader)->events({.limit = 1'000'000}); !events.ok() || events->size() != batches)
    wrong += "events of " + std::to_string(events.ok() ? events->size() : 0) + " batches, the marks say " + std::to_string(batches) + "\n";
  if (const auto damaged = (*reader)->verify(); !damaged.ok() || !damaged->empty())
    wrong += "verify: " + (damaged.ok() ? damaged->front() : damaged.status().message()) + "\n";
  return wrong;
}

}  // namespace runglass::test
