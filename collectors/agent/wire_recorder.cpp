// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Every piece is a self-contained Payload: it begins with sealed_ns, and "same times as before" never refers to another piece.
// 2. A record is never split across pieces; blocks of more than kMaxBlock rows are split, so that a piece stays near kPiece.
// 3. m_reported holds this Recorder's last update of each id, so that a repeated declaration sends nothing.
#include "collectors/agent/wire_recorder.h"

#include <algorithm>
#include <cstring>

#include "collectors/wire/record_message.h"
#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
constexpr std::size_t kMaxBlock = 4096;
constexpr std::size_t kMaxText = 64U << 10;          // of a log line, message or fact
constexpr std::size_t kMaxCaptureSent = 768U << 10;  // a hub takes batches of up to 960 KiB
constexpr std::size_t kMinRoom = 1U << 10;
constexpr std::size_t kSealedSize = 10;  // two tag bytes and the fixed64

std::size_t packedDeltaSize(std::span<const std::int64_t> values) {
  std::size_t size = 0;
  std::uint64_t last = 0;
  for (const std::int64_t value : values) {
    size += wire::varintSize(wire::zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - last)));
    last = static_cast<std::uint64_t>(value);
  }
  return size;
}

char* putDeltas(char* at, std::span<const std::int64_t> values) {
  std::uint64_t last = 0;
  for (const std::int64_t value : values) {
    at = wire::putVarint(at, wire::zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - last)));
    last = static_cast<std::uint64_t>(value);
  }
  return at;
}

// A block of columns: id (field 1), up to two delta columns, then doubles. Absent columns are empty.
struct BlockColumns {
  std::uint32_t id;
  std::span<const std::int64_t> first, second;  // fields 2 and 3 (or only 2)
  std::uint32_t value_field;
  std::span<const double> values;
};

void appendBlock(std::string& out, std::uint32_t field, const BlockColumns& block) {
  const std::size_t first = packedDeltaSize(block.first), second = packedDeltaSize(block.second);
  const std::size_t values = block.values.size_bytes();
  const auto columnSize = [](std::size_t size) { return size == 0 ? 0 : 1 + wire::varintSize(size) + size; };
  const std::size_t size = 1 + wire::varintSize(block.id) + columnSize(first) + columnSize(second) + columnSize(values);
  wire::appendTag(out, field, 2);
  wire::appendVarint(out, size);
  const std::size_t at_size = out.size();
  out.resize(at_size + size);
  char* at = out.data() + at_size;
  *at++ = 1 << 3;
  at = wire::putVarint(at, block.id);
  const auto header = [&](std::uint32_t number, std::size_t bytes) {
    *at++ = static_cast<char>(number << 3 | 2U);
    at = wire::putVarint(at, bytes);
  };
  if (first != 0) header(2, first), at = putDeltas(at, block.first);
  if (second != 0) header(3, second), at = putDeltas(at, block.second);
  if (values != 0) header(block.value_field, values), std::memcpy(at, block.values.data(), values);
}

}  // namespace

WireRecorder::WireRecorder(SessionDictionary& dictionary, std::function<TimeNs()> now, std::function<void()> seal)
    : m_dictionary(dictionary), m_now(std::move(now)), m_seal(std::move(seal)) {}

void WireRecorder::close(Pending& pending) {
  const TimeNs now = m_now();
  std::memcpy(pending.open.data() + kSealedSize - 8, &now, 8);
  pending.last = pending.open.size();
  pending.full.push_back(std::move(pending.open));
  pending.open = {};
  pending.times.clear();
}

template <class Write>
void WireRecorder::put(StreamClass stream, const Write& write, std::size_t size) {
  bool want_seal = false;
  {
    const MutexLock lock(m_mutex);
    Pending& pending = m_pending[static_cast<std::size_t>(stream)];
    if (pending.bytes > kMaxPending) {
      ++m_dropped;
      m_dropping = true;
      return;
    }
    // A large record gets a piece of its own.
    if (!pending.open.empty() && pending.open.size() + size > 2 * kPiece) close(pending);
    if (pending.open.empty()) {
      // Sized by the node's last piece: a quiet node must not hold a large buffer until the acknowledgement.
      pending.open.reserve(std::clamp(pending.last, kMinRoom, kPiece / 4));
      wire::appendFixed64(pending.open, Wire::kSealedNsFieldNumber, 0);
    }
    const std::size_t before = pending.open.size();
    write(pending);
    pending.bytes += pending.open.size() - before;
    if (pending.open.size() >= kPiece) {
      close(pending);
      want_seal = true;
    }
  }
  if (want_seal) m_seal();
}

template <class Message>
void WireRecorder::putMessage(StreamClass stream, std::uint32_t field, const Message& message) {
  const std::size_t size = message.ByteSizeLong();
  put(
      stream,
      [&](Pending& pending) {
        wire::appendTag(pending.open, field, 2);
        wire::appendVarint(pending.open, size);
        message.AppendToString(&pending.open);
      },
      size);
}

template <class Message>
void WireRecorder::putUpdate(std::uint32_t field, const Message& message) {
  std::string bytes = message.SerializeAsString();
  std::string& reported = m_reported[static_cast<std::uint64_t>(field) << 32 | message.id()];
  if (reported == bytes) return;
  putMessage(StreamClass::kEvents, field, message);
  reported = std::move(bytes);
}

NodeId WireRecorder::node(const Node& node) {
  const NodeId id = m_dictionary.node(node);
  putUpdate(Wire::kNodeFieldNumber, messageOf(id, node));
  return id;
}

DeviceId WireRecorder::device(const Device& device) {
  const DeviceId id = m_dictionary.device(device);
  putUpdate(Wire::kDeviceFieldNumber, messageOf(id, device));
  return id;
}

RunId WireRecorder::run(const Run& run) {
  const RunId id = m_dictionary.run(run);
  putUpdate(Wire::kRunFieldNumber, messageOf(id, run));
  return id;
}

AttemptId WireRecorder::attempt(const Attempt& attempt) {
  const AttemptId id = m_dictionary.attempt(attempt);
  putUpdate(Wire::kAttemptFieldNumber, messageOf(id, attempt));
  return id;
}

void WireRecorder::rank(const Rank& rank) { putMessage(StreamClass::kEvents, Wire::kRankFieldNumber, messageOf(rank)); }

void WireRecorder::fact(const Fact& fact) {
  v1::Fact record = messageOf(fact);
  record.set_value(cut(fact.value));
  putMessage(StreamClass::kEvents, Wire::kFactFieldNumber, record);
}

void WireRecorder::checkpoint(const Checkpoint& checkpoint) {
  putMessage(StreamClass::kEvents, Wire::kCheckpointFieldNumber, messageOf(checkpoint));
}

void WireRecorder::group(const CommGroup& group) { putMessage(StreamClass::kEvents, Wire::kGroupFieldNumber, messageOf(group)); }

void WireRecorder::samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) {
  for (std::size_t from = 0; from < time.size(); from += kMaxBlock) {
    const std::size_t count = std::min(kMaxBlock, time.size() - from);
    const auto times = time.subspan(from, count);
    put(StreamClass::kMetrics, [&](Pending& pending) {
      const bool same = std::ranges::equal(times, pending.times);
      if (!same) pending.times.assign(times.begin(), times.end());
      appendBlock(pending.open, Wire::kSamplesFieldNumber,
                  {.id = wireId(series.value),
                   .first = same ? std::span<const TimeNs>() : times,
                   .value_field = 3,
                   .values = value.subspan(from, count)});
    });
  }
}

void WireRecorder::scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time,
                           std::span<const double> value) {
  for (std::size_t from = 0; from < step.size(); from += kMaxBlock) {
    const std::size_t count = std::min(kMaxBlock, step.size() - from);
    put(StreamClass::kLoss, [&](Pending& pending) {
      appendBlock(pending.open, Wire::kScalarsFieldNumber,
                  {.id = wireId(series.value),
                   .first = step.subspan(from, count),
                   .second = time.empty() ? time : time.subspan(from, count),
                   .value_field = 4,
                   .values = value.subspan(from, count)});
    });
  }
}

void WireRecorder::spans(TrackId track, const SpanColumns& spans) {
  const auto isLong = [](const std::string& text) { return text.size() > kMaxText; };
  if (std::ranges::any_of(spans.names, isLong) || std::ranges::any_of(spans.args, isLong)) {
    SpanColumns bounded = spans;
    for (std::string& name : bounded.names) name = cut(name);
    // A part of a JSON text is none.
    for (std::string& args : bounded.args)
      if (isLong(args)) static_cast<void>(cut(args)), args.clear();
    return this->spans(track, bounded);
  }
  // A block is limited by rows and by bytes; it has each of its names once.
  std::vector<std::size_t> named(spans.names.size(), spans.size());  // the row that begins the block
  for (std::size_t from = 0; from < spans.size();) {
    std::size_t to = from, bytes = 0;
    while (to < spans.size() && to - from < kMaxBlock && bytes < kPiece) {
      bytes += 32 + (spans.args.empty() ? 0 : spans.args[to].size());
      if (std::exchange(named[spans.name[to]], from) != from) bytes += spans.names[spans.name[to]].size();
      ++to;
    }
    putMessage(StreamClass::kKernels, Wire::kSpansFieldNumber, spanBlock(track, spans, from, to));
    from = to;
  }
}

void WireRecorder::event(const Event& event) {
  v1::Event record = messageOf(event);
  record.set_message(cut(event.message));
  putMessage(StreamClass::kEvents, Wire::kEventFieldNumber, record);
}

void WireRecorder::log(const LogLine& line) {
  const TimeNs now = m_now();
  const bool kept = m_log_budget.take(line.severity, now);
  if (!kept) m_log_stream = line.stream;
  if (const std::int64_t refused = m_log_budget.refusedToTell(now); refused > 0) tellRefused(refused);
  if (!kept) return;
  v1::LogLine record = messageOf(line);
  record.set_text(cut(line.text));
  putMessage(StreamClass::kLogs, Wire::kLogFieldNumber, record);
}

void WireRecorder::progress(const Progress& progress) {
  putMessage(StreamClass::kProgress, Wire::kProgressFieldNumber, messageOf(progress));
}

void WireRecorder::issue(const Issue& issue) {
  v1::Issue record = messageOf(issue);
  record.set_detail(issue.detail.substr(0, kMaxText));
  putMessage(StreamClass::kEvents, Wire::kIssueFieldNumber, record);
}

void WireRecorder::label(const Label& label) { putMessage(StreamClass::kEvents, Wire::kLabelFieldNumber, messageOf(label)); }

void WireRecorder::clock(const ClockReading& reading) { putMessage(StreamClass::kEvents, Wire::kClockFieldNumber, messageOf(reading)); }

void WireRecorder::capture(const Capture& capture) {
  Capture bounded = capture;
  boundCapture(bounded, kMaxCaptureSent);
  putMessage(StreamClass::kLogs, Wire::kCaptureFieldNumber, messageOf(bounded));
}

void WireRecorder::tellRefused(std::int64_t lines) {
  issue({.code = "agent.log_limit",
         .source = m_log_stream.substr(0, 200),
         .count = lines,
         .first = m_now(),
         .last = m_now(),
         .detail = "more than " + std::to_string(LogBudget::kLinesPerSecond) + " log lines a second from one source"});
}

std::string WireRecorder::cut(const std::string& text) {
  if (text.size() <= kMaxText) return text;
  issue({.code = "agent.text_cut", .source = "agent", .first = m_now(), .last = m_now(), .detail = text.substr(0, 80) + "..."});
  return text.substr(0, kMaxText);
}

Status WireRecorder::flush() {
  if (const std::int64_t refused = m_log_budget.takeRefused(); refused > 0) tellRefused(refused);
  m_seal();
  const MutexLock lock(m_mutex);
  if (!m_dropping) return {};
  m_dropping = false;
  return Status(Code::kResourceExhausted, "record: wire buffer: full because nothing takes from it; newer records were dropped");
}

std::string WireRecorder::take(StreamClass stream) {
  const MutexLock lock(m_mutex);
  Pending& pending = m_pending[static_cast<std::size_t>(stream)];
  std::string piece;
  if (!pending.full.empty()) {
    piece = std::move(pending.full.front());
    pending.full.pop_front();
  } else if (!pending.open.empty()) {
    const TimeNs now = m_now();
    std::memcpy(pending.open.data() + kSealedSize - 8, &now, 8);
    pending.last = pending.open.size();
    piece = std::move(pending.open);
    pending.open = {};
    pending.times.clear();
  }
  if (!piece.empty()) pending.bytes -= piece.size() - kSealedSize;
  return piece;
}

std::size_t WireRecorder::pendingBytes() const {
  const MutexLock lock(m_mutex);
  std::size_t bytes = 0;
  for (const Pending& pending : m_pending) bytes += pending.bytes;
  return bytes;
}

std::int64_t WireRecorder::takeDropped() {
  const MutexLock lock(m_mutex);
  return std::exchange(m_dropped, 0);
}

}  // namespace runglass
