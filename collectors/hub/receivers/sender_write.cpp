// SPDX-License-Identifier: Apache-2.0
// SenderSession: the samples of its series as batches.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/hub/receivers/sender_session.h"
#include "collectors/wire/record_message.h"
#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
constexpr std::size_t kPiece = 1U << 20, kMaxBlocks = 100'000;  // of a batch
constexpr DurNs kContactEvery = 10 * kNsPerSecond;
constexpr DurNs kFresh = 60 * kNsPerSecond;  // a commit is due after 10 s
constexpr std::size_t kMaxFreshTimes = 4'000'000;
constexpr TimeNs kFarthest = 4'000'000'000 * kNsPerSecond;  // year 2096

template <class Message>
void append(std::string& payload, std::uint32_t field, const Message& message) {
  wire::appendBytes(payload, field, message.SerializeAsString());
}

// One SampleBlock; without times where they are those of the block before.
void appendBlock(std::string& out, SeriesId series, std::span<const TimeNs> time, std::span<const double> value, bool same_times) {
  std::size_t deltas = 0;
  TimeNs before = 0;
  if (!same_times)
    for (const TimeNs at : time) deltas += wire::varintSize(wire::zigzag(at - std::exchange(before, at)));
  const std::size_t values = value.size() * sizeof(double);
  const std::size_t body =
      1 + wire::varintSize(series.value) + (same_times ? 0 : 1 + wire::varintSize(deltas) + deltas) + 1 + wire::varintSize(values) + values;
  wire::appendTag(out, Wire::kSamplesFieldNumber, 2);
  wire::appendVarint(out, body);
  wire::appendTag(out, v1::SampleBlock::kSeriesFieldNumber, 0);
  wire::appendVarint(out, series.value);
  if (!same_times) {
    wire::appendTag(out, v1::SampleBlock::kTimeDeltaNsFieldNumber, 2);
    wire::appendVarint(out, deltas);
    before = 0;
    for (const TimeNs at : time) wire::appendVarint(out, wire::zigzag(at - std::exchange(before, at)));
  }
  wire::appendTag(out, v1::SampleBlock::kValueFieldNumber, 2);
  wire::appendVarint(out, values);
  out.append(reinterpret_cast<const char*>(value.data()), values);
}

}  // namespace

void SenderSession::beginPayload() {
  if (m_payload.empty()) wire::appendFixed64(m_payload, Wire::kSealedNsFieldNumber, m_now);
}

// A definition has the identity only: what else is known of a device is an update of it.
void SenderSession::declarePlaces() {
  ExporterPart part;
  m_places.declare(part, m_port.node_uuid);
  for (const auto& [index, node] : part.nodes) m_node_ids.push_back(m_dictionary->node(node));
  m_contacts.resize(m_node_ids.size());
  m_device_ids.resize(m_places.devices());
  for (auto& [index, node, device] : part.devices) {
    device.node = m_node_ids[node];
    m_device_ids[index] = m_dictionary->device(device);
    if (device.model.empty() && !device.index) continue;
    beginPayload();
    append(m_payload, Wire::kDeviceFieldNumber, messageOf(m_device_ids[index], device));
  }
}

void SenderSession::write(Entry& entry, std::span<const WriteSample> samples, WriteOutcome& outcome) {
  entry.seen = m_now;
  for (const WriteSample& sample : samples) {
    if (isStaleMarker(sample.value))
      ++outcome.stale;  // the series ends: what has no points is a gap
    else
      admit(entry, sample.time_ms > 0 && sample.time_ms <= kFarthest / kNsPerMs ? sample.time_ms * kNsPerMs : 0, sample.value, outcome);
  }
  flushAdmitted(entry, outcome);
}

bool SenderSession::isTime(std::uint64_t time, WriteOutcome& outcome) const {
  if (time == 0 || time > static_cast<std::uint64_t>(kFarthest)) return ++outcome.no_time, false;
  if (static_cast<TimeNs>(time) > m_now + m_limits.ahead) return ++outcome.ahead, false;
  return true;
}

void SenderSession::admit(const Entry& entry, std::uint64_t time, double exposed, WriteOutcome& outcome) {
  if (!isTime(time, outcome)) return;
  if (entry.dcgm && isBlankOfDcgm(exposed)) {
    ++outcome.blank;
    return;
  }
  const double value = entry.unit != nullptr ? entry.unit->apply(exposed) : exposed;
  if (entry.metric != nullptr && !isPlausible(*entry.metric, value)) {
    if (outcome.implausible++ == 0) m_first_implausible = entry.metric_name + " " + std::to_string(value);
    return;
  }
  // A total stays what it is; NaN and infinity would be all that ever follows.
  if (entry.delta && !std::isfinite(entry.total + value)) {
    if (outcome.implausible++ == 0) m_first_implausible = entry.metric_name + " " + std::to_string(value);
    return;
  }
  m_times.push_back(static_cast<TimeNs>(time));
  m_values.push_back(value);
}

// The samples since the last call, all of one series.
void SenderSession::flushAdmitted(Entry& entry, WriteOutcome& outcome) {
  putAdmitted(entry, outcome);
  m_times.clear();
  m_values.clear();
}

void SenderSession::putAdmitted(Entry& entry, WriteOutcome& outcome) {
  if (m_times.empty()) return;
  const bool ascending = std::ranges::adjacent_find(m_times, std::greater_equal()) == m_times.end();
  if (ascending && m_times.front() > entry.newest) return put(entry, m_times, m_values, outcome);
  // The part that is surely new is delivered at once; the rest waits for an answer of the store.
  std::vector<TimeNs> fresh_times;
  std::vector<double> fresh_values;
  TimeNs newest = entry.newest;
  for (std::size_t i = 0; i < m_times.size(); ++i) {
    if (m_times[i] == newest) {
      ++outcome.repeated;
    } else if (m_times[i] > newest) {
      newest = m_times[i];
      fresh_times.push_back(m_times[i]);
      fresh_values.push_back(m_values[i]);
    } else {
      m_late.push_back({.entry = &entry, .time = m_times[i], .value = m_values[i], .item = m_item_refused.size()});
    }
  }
  if (!fresh_times.empty()) put(entry, fresh_times, fresh_values, outcome);
}

void SenderSession::put(Entry& entry, std::span<const TimeNs> time, std::span<double> value, WriteOutcome& outcome) {
  if (entry.delta)
    for (double& one : value) one = entry.total += one;
  if (m_payload.size() >= kPiece || m_blocks >= kMaxBlocks) deliver({});
  beginPayload();
  const bool same_times = std::ranges::equal(time, m_block_times);
  appendBlock(m_payload, entry.id, time, value, same_times);
  if (!same_times) m_block_times.assign(time.begin(), time.end());
  ++m_blocks;
  const TimeNs newest_before = entry.newest;
  entry.newest = std::max(entry.newest, time.back());
  noteSample(entry);
  if (entry.fresh) remember(entry, time);
  outcome.stored += static_cast<std::int64_t>(time.size());
  if (entry.code == CodeGauge::kNone) return;
  // A late code is not the change that it looks like.
  for (std::size_t i = 0; i < time.size(); ++i)
    if (time[i] > newest_before) reportFault(entry, time[i], value[i]);
}

// A node without an agent was last seen in its metrics.
void SenderSession::noteSample(const Entry& entry) {
  TimeNs& newest = m_contacts[entry.node].newest;
  newest = std::max(newest, std::min(entry.newest, m_now));
}

void SenderSession::remember(Entry& entry, std::span<const TimeNs> time) {
  if (m_now - entry.created < kFresh && m_fresh_times + time.size() <= kMaxFreshTimes) {
    entry.fresh->insert(entry.fresh->end(), time.begin(), time.end());
    m_fresh_times += time.size();
    return;
  }
  m_fresh_times -= entry.fresh->size();
  entry.fresh.reset();
}

void SenderSession::reportFault(const Entry& entry, TimeNs time, double value) {
  std::optional<Event> event = m_codes.read(entry.code, entry.node, entry.device.value, value, time);
  if (!event) return;
  event->node = m_node_ids[entry.node];
  event->device = entry.device;
  append(m_payload, Wire::kEventFieldNumber, messageOf(*event));
}

// A sample before the newest one of its series is late, or was sent before: the store knows.
Status SenderSession::writeLate(WriteOutcome& outcome) {
  deliver({});
  m_port.settle();
  m_store->lookAgain();
  // One read of a series, however many parts of the request have points of it.
  std::ranges::stable_sort(
      m_late, [](const Late& a, const Late& b) { return a.entry != b.entry ? std::less<>()(a.entry, b.entry) : a.time < b.time; });
  for (auto from = m_late.begin(), to = from; from != m_late.end(); from = to) {
    to = std::find_if(from, m_late.end(), [&](const Late& one) { return one.entry != from->entry; });
    Entry& entry = *from->entry;
    RG_ASSIGN(auto found, m_store->samples(entry.identity, entry.metric_name, {from->time, std::prev(to)->time + 1}));
    std::optional<std::vector<TimeNs>> stored;
    if (found) stored = std::move(found->time);
    if (!stored && entry.fresh) {
      stored = *entry.fresh;
      std::ranges::sort(*stored);
    }
    if (!stored) {
      outcome.undecided += to - from;
      continue;
    }
    m_times.clear();
    m_values.clear();
    for (const Late& one : std::span(from, to)) {
      if (std::ranges::binary_search(*stored, one.time) || (!m_times.empty() && m_times.back() == one.time)) {
        ++outcome.repeated;
        continue;
      }
      m_times.push_back(one.time);
      m_values.push_back(one.value);
      if (entry.delta) refuseLateDelta(one, outcome);
    }
    if (!entry.delta && !m_times.empty()) put(entry, m_times, m_values, outcome);
  }
  m_late.clear();
  m_times.clear();
  m_values.clear();
  return {};
}

// A data point of which several parts are refused is one item.
void SenderSession::refuseLateDelta(const Late& late, WriteOutcome& outcome) {
  ++outcome.late_deltas;
  if (late.item >= m_item_refused.size() || m_item_refused[late.item]) return;
  m_item_refused[late.item] = true;
  ++outcome.rejected_items;
}

void SenderSession::reportNodes(TimeNs now) {
  if (m_payload.empty()) return;
  for (std::uint32_t index = 0; index < m_contacts.size(); ++index) {
    Contact& contact = m_contacts[index];
    const std::string& uuid = m_places.nodeUuid(index);
    if (!uuid.starts_with("name:") || contact.newest <= contact.last_heard || now - contact.reported < kContactEvery) continue;
    contact.reported = now;
    contact.last_heard = contact.newest;
    const Node node{.uuid = uuid, .name = m_places.nodeName(index), .last_heard = contact.newest};
    append(m_payload, Wire::kNodeFieldNumber, messageOf(m_node_ids[index], node));
  }
}

void SenderSession::issue(const char* code, std::int64_t count, TimeNs now, const std::string& detail) {
  if (count == 0) return;
  beginPayload();
  append(m_payload, Wire::kIssueFieldNumber,
         messageOf(Issue{.code = code, .source = m_name, .count = count, .first = now, .last = now, .detail = detail}));
}

void SenderSession::reportIssues(const WriteOutcome& outcome, TimeNs now) {
  issue("receive.too_many_series", outcome.too_many_series, now,
        "at most " + std::to_string(m_limits.series) + " series of a sender, with " + std::to_string(m_limits.label_bytes >> 20) +
            " MiB of labels; the first one refused: " + m_first_refused);
  issue("receive.new_series_too_fast", outcome.too_fast, now, "the first one refused: " + m_first_refused);
  issue("receive.absurd_time", outcome.ahead + outcome.no_time, now, "");
  issue("receive.implausible_value", outcome.implausible, now, m_first_implausible);
  issue("receive.blank_value", outcome.blank, now, "");
  issue("receive.unnamed_series", outcome.unnamed, now, "");
  issue("receive.late_delta", outcome.late_deltas, now, "");
  issue("receive.too_old", outcome.too_old, now, "");
  issue("receive.too_many_tracks", outcome.too_many_tracks, now,
        "at most " + std::to_string(m_limits.resources) + " resources, " + std::to_string(m_limits.tracks) + " tracks and " +
            std::to_string(m_limits.runs) + " runs of a sender; the first one refused: " + m_first_refused);
}

void SenderSession::deliver(std::function<void(const Status&)> done) {
  ReceivedBatch batch{.sender = m_name, .session = m_session, .begins = !m_delivered, .definitions = {}, .payload = {}, .done = {}};
  batch.definitions = m_dictionary->recordsFrom(m_defined);
  batch.payload = std::exchange(m_payload, {});
  m_defined += batch.definitions.size();
  m_delivered = true;
  m_blocks = 0;
  m_block_times.clear();
  batch.done = [refused = m_refused, done = std::move(done)](const Status& status) {
    if (!status.ok()) *refused = true;
    if (done) done(status);
  };
  m_port.deliver(std::move(batch));
}

}  // namespace runglass
