// SPDX-License-Identifier: Apache-2.0
// SenderSession: spans and log records of OTLP.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/hub/receivers/sender_session.h"
#include "collectors/text/display_name.h"
#include "collectors/text/quantity.h"
#include "collectors/wire/record_message.h"
#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
constexpr std::size_t kPiece = 1U << 20, kMaxRecords = 100'000, kSpansOfBlock = 4'096;
static_assert(SentBefore::kSkew >= SenderLimits().ahead, "an earlier session may have delivered what was so far ahead");
constexpr int kMaxNesting = 64;
constexpr std::array kSpanKinds = {"", "internal", "server", "client", "producer", "consumer"};

// The eight bytes of a span's id; 0: none.
std::uint64_t spanNumber(std::string_view id) {
  std::uint64_t number = 0;
  if (id.size() == sizeof number) std::memcpy(&number, id.data(), sizeof number);
  return number;
}

SpanCategory categoryOf(std::string_view role) {
  if (role == "train") return SpanCategory::kCompute;
  if (role == "weight_sync") return SpanCategory::kComm;
  return SpanCategory::kAnnotation;
}

Severity severityOf(const OtlpLog& log) {
  if (log.severity >= 21) return Severity::kCritical;
  if (log.severity >= 17) return Severity::kError;
  if (log.severity >= 13) return Severity::kWarning;
  if (log.severity >= 9) return Severity::kInfo;
  if (log.severity >= 1) return Severity::kDebug;
  const std::string text = lowered(log.severity_text);
  if (text == "warn") return Severity::kWarning;
  if (text == "fatal") return Severity::kCritical;
  return severityFromName(text).value_or(Severity::kInfo);
}

void member(std::string& out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  out += out.empty() ? '{' : ',';
  appendJsonText(out, name);
  out += ':';
  appendJsonText(out, text);
}

std::string jsonOf(const OtlpSpan& span, std::string_view record) {
  std::string out;
  member(out, "trace_id", hexOf(span.trace_id));
  member(out, "span_id", hexOf(span.span_id));
  member(out, "parent_span_id", hexOf(span.parent_id));
  if (span.kind < kSpanKinds.size()) member(out, "kind", kSpanKinds[span.kind]);
  WireReader status(span.status);
  while (status.next()) {
    if (status.wireType() == 0 && status.field() == 3)
      member(out, "status", status.varint() == 2 ? "error" : "");
    else if (status.wireType() == 2 && status.field() == 2)
      member(out, "status_message", status.bytes());
    else
      status.skip();
  }
  std::string attributes;
  eachMessage(record, kSpanAttributes, [&](std::string_view bytes) {
    const auto [key, value] = attributeOf(bytes);
    attributes += attributes.empty() ? '{' : ',';
    appendJsonText(attributes, key);
    attributes += ':';
    appendJson(attributes, value);
    return true;
  });
  const auto list = [&](const char* name, std::uint32_t field, const auto& text) {
    std::string all;
    eachMessage(record, field, [&](std::string_view one) {
      all += all.empty() ? '[' : ',';
      appendJsonText(all, text(one));
      return true;
    });
    if (!all.empty()) out += (out.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + all + "]";
  };
  list("events", kSpanEvents, [](std::string_view event) { return std::string(bytesOf(event, 2)); });
  list("links", kSpanLinks, [](std::string_view link) { return hexOf(bytesOf(link, 1)) + ":" + hexOf(bytesOf(link, 2)); });
  if (!attributes.empty()) out += (out.empty() ? "{\"attributes\":" : ",\"attributes\":") + attributes + "}";
  return out.empty() ? out : out + "}";
}

std::optional<std::int64_t> stepOf(std::string_view record, std::uint32_t attributes) {
  std::optional<std::int64_t> step;
  eachMessage(record, attributes, [&](std::string_view bytes) {
    const auto [key, value] = attributeOf(bytes);
    if (key == "step" || key == "global_step" || key == "training.step" || key == "rl.step" || key == "runglass.step")
      step = wholeOf(value);
    return true;
  });
  return step;
}

}  // namespace

void SenderSession::takeSpan(std::uint32_t index, std::string_view record, WriteOutcome& outcome) {
  const OtlpSpan span = spanOf(record);
  if (!isTime(span.start, outcome) || !isTime(span.end, outcome)) return;
  if (span.end < span.start) return void(++outcome.no_time);
  if (m_sent->isTooOld(static_cast<TimeNs>(span.end))) return void(++outcome.too_old);
  const Origin& origin = m_origins[index];
  std::string role = roleOf(span, record);
  if (role.empty()) role = origin.what.role;
  // A role has a track of its own; other spans are those of their service's scope.
  const bool has_role = !role.empty();
  TrackKey key{.attempt = origin.attempt,
               .rank = origin.what.rank,
               .kind = has_role ? "role" : "spans",
               .name = has_role                    ? role
                       : origin.what.scope.empty() ? origin.what.service
                                                   : origin.what.scope};
  if (!origin.what.rank && !origin.what.instance.empty()) key.name += " " + origin.what.instance;
  const std::string track = std::to_string(index) + key.kind + '\0' + key.name;
  if (!m_tracks.contains(track)) {
    if (m_tracks.size() >= m_limits.tracks) {
      if (m_first_refused.empty()) m_first_refused = key.name;
      return void(++outcome.too_many_tracks);
    }
    m_tracks.insert(track);
  }
  NewSpans& fresh = m_new_spans[track];
  if (fresh.columns.start.empty()) fresh.origin = index, fresh.key = std::move(key);
  SpanColumns& columns = fresh.columns;
  const auto [name, is_new] = fresh.names.try_emplace(span.name, static_cast<std::uint32_t>(columns.names.size()));
  if (is_new) columns.names.push_back(displayName(span.name));
  columns.start.push_back(static_cast<TimeNs>(span.start));
  columns.dur.push_back(static_cast<DurNs>(span.end - span.start));
  columns.name.push_back(name->second);
  columns.category.push_back(categoryOf(role));
  columns.step.push_back(stepOf(record, kSpanAttributes).value_or(kAbsent));
  columns.external_id.push_back(static_cast<std::int64_t>(spanNumber(span.span_id)));
  columns.args.push_back(jsonOf(span, record));
  fresh.parents.push_back(spanNumber(span.parent_id));
  ++m_new_span_count;
}

Status SenderSession::putSpans(WriteOutcome& outcome) {
  for (auto& [track, fresh] : m_new_spans) {
    SpanColumns& all = fresh.columns;
    const Origin& origin = m_origins[fresh.origin];
    // Nesting among the spans of the request: a parent is often sent later than its children.
    std::unordered_map<std::uint64_t, std::size_t> at;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all.external_id[i] != 0) at.emplace(static_cast<std::uint64_t>(all.external_id[i]), i);
    all.depth.assign(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (auto parent = at.find(fresh.parents[i]); parent != at.end() && all.depth[i] < kMaxNesting;
           parent = at.find(fresh.parents[parent->second]))
        ++all.depth[i];
    const auto end = [&](std::size_t i) { return all.start[i] + all.dur[i]; };
    std::optional<TimeNs> oldest;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (m_sent->mayBeStored(end(i))) oldest = std::min(oldest.value_or(all.start[i]), all.start[i]);
    const SentBefore::Ids* stored = nullptr;
    if (oldest) {
      const SentBefore::Owner owner{.run = origin.what.run, .attempt = origin.what.attempt, .node_uuid = {}, .rank = origin.what.rank};
      RG_ASSIGN(stored, m_sent->spans(owner, fresh.key, *oldest));
    }
    SpanColumns columns;
    columns.names = std::move(all.names);
    std::optional<TimeNs> start;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.external_id[i] != 0 && m_sent->mayBeStored(end(i))) {
        if (stored == nullptr) {
          ++outcome.too_old, ++outcome.rejected_items;
          continue;
        }
        if (stored->contains(static_cast<std::uint64_t>(all.external_id[i]))) {
          ++outcome.repeated;
          continue;
        }
      }
      if (!m_sent->isTooOld(all.start[i])) start = std::min(start.value_or(all.start[i]), all.start[i]);
      columns.start.push_back(all.start[i]), columns.dur.push_back(all.dur[i]), columns.name.push_back(all.name[i]);
      columns.category.push_back(all.category[i]), columns.depth.push_back(all.depth[i]), columns.step.push_back(all.step[i]);
      columns.external_id.push_back(all.external_id[i]), columns.args.push_back(std::move(all.args[i]));
    }
    if (columns.start.empty()) continue;
    const TrackId id = m_dictionary->track(fresh.key);
    for (std::size_t from = 0; from < columns.size(); from += kSpansOfBlock) {
      if (m_payload.size() >= kPiece) deliver({});
      beginPayload();
      const std::size_t to = std::min(columns.size(), from + kSpansOfBlock);
      wire::appendBytes(m_payload, Wire::kSpansFieldNumber, spanBlock(id, columns, from, to).SerializeAsString());
    }
    if (start) noteStart(origin, *start);
    outcome.stored += static_cast<std::int64_t>(columns.size());
  }
  m_new_spans.clear();
  m_new_span_count = 0;
  return {};
}

// An attempt began at the latest with its first span or line. One of long ago is ignored: a wrong clock would move the begin for good.
void SenderSession::noteStart(const Origin& origin, TimeNs time) {
  const auto [known, is_new] = m_starts.try_emplace(origin.attempt.value, time);
  if (!is_new && known->second <= time) return;
  known->second = time;
  beginPayload();
  const Attempt attempt{.run = origin.run, .key = origin.what.attempt, .start = time};
  wire::appendBytes(m_payload, Wire::kAttemptFieldNumber, messageOf(origin.attempt, attempt).SerializeAsString());
}

void SenderSession::takeLog(std::uint32_t index, std::string_view record, WriteOutcome& outcome) {
  const OtlpLog log = logOf(record);
  if (!isTime(log.time, outcome)) return;
  if (m_sent->isTooOld(static_cast<TimeNs>(log.time))) return void(++outcome.too_old);
  const Origin& origin = m_origins[index];
  std::string text = textOf(log.body), stream;
  if (!log.event_name.empty()) text = std::string(log.event_name) + (text.empty() ? "" : ": ") + text;
  eachMessage(record, kLogAttributes, [&](std::string_view bytes) {
    const auto [key, value] = attributeOf(bytes);
    if (key == "log.file.name" || key == "log.iostream") {
      stream = displayName(textOf(value));
      return true;
    }
    if (!text.empty()) text += ' ';
    text.append(key).append(1, '=');
    appendJson(text, value);
    return true;
  });
  for (const auto& [name, id] : {std::pair{"trace_id", log.trace_id}, {"span_id", log.span_id}})
    if (!id.empty()) text += std::string(text.empty() ? "" : " ") + name + "=" + hexOf(id);
  if (stream.empty()) stream = origin.what.service.empty() ? "otlp" : origin.what.service;
  LogLine line{.time = static_cast<TimeNs>(log.time),
               .attempt = origin.attempt,
               .rank = origin.what.rank,
               .stream = std::move(stream),
               .severity = severityOf(log),
               .text = printable(text)};
  line.node = m_node_ids[origin.node];
  m_new_logs.emplace_back(index, std::move(line));
}

Status SenderSession::putLogs(WriteOutcome& outcome) {
  std::map<std::uint32_t, TimeNs> oldest;  // by origin
  for (const auto& [index, line] : m_new_logs) {
    if (!m_sent->mayBeStored(*line.time)) continue;
    TimeNs& time = oldest.try_emplace(index, *line.time).first->second;
    time = std::min(time, *line.time);
  }
  std::map<std::uint32_t, const SentBefore::Ids*> stored;
  // Twice: several may be of one owner, and what a later one finds to be too many is so for the earlier ones.
  for (int pass = 0; pass < 2; ++pass)
    for (const auto& [index, time] : oldest) {
      const Origin& origin = m_origins[index];
      const SentBefore::Owner owner{
          .run = origin.what.run, .attempt = origin.what.attempt, .node_uuid = m_places.nodeUuid(origin.node), .rank = {}};
      RG_ASSIGN(const SentBefore::Ids* ids, m_sent->logs(owner, time));
      stored[index] = ids;
    }
  std::size_t records = 0;
  std::map<std::uint32_t, TimeNs> starts;  // by origin
  for (const auto& [index, line] : m_new_logs) {
    const auto known = stored.find(index);
    if (known != stored.end() && m_sent->mayBeStored(*line.time)) {
      if (known->second == nullptr) {
        ++outcome.too_old, ++outcome.rejected_items;
        continue;
      }
      if (known->second->contains(SentBefore::idOf(line))) {
        ++outcome.repeated;
        continue;
      }
    }
    TimeNs& start = starts.try_emplace(index, *line.time).first->second;
    start = std::min(start, *line.time);
    if (m_payload.size() >= kPiece || ++records >= kMaxRecords) deliver({}), records = 0;
    beginPayload();
    wire::appendBytes(m_payload, Wire::kLogFieldNumber, messageOf(line).SerializeAsString());
    ++outcome.stored;
  }
  for (const auto& [index, start] : starts)
    if (m_origins[index].attempt) noteStart(m_origins[index], start);
  m_new_logs.clear();
  return {};
}

}  // namespace runglass
