// SPDX-License-Identifier: Apache-2.0
// SenderSession: requests of OTLP, and their metrics as series.
//
// The key of a series: 0, the number of its origin, how its values are read, which part of a data point it is, then name, unit, bounds and
// attributes as fields of protobuf. Equal keys are the same series.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "collectors/exposition/semantic_metric.h"
#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/hub/receivers/sender_session.h"
#include "collectors/text/display_name.h"
#include "collectors/wire/record_message.h"
#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Kind = OtlpMetric::Kind;
using Wire = v1::Payload;

constexpr std::size_t kKeyHead = 7;  // of a key, before its fields
constexpr std::uint32_t kName = 1, kUnit = 2, kBounds = 3, kAttribute = 4;
// Parts of a data point, as the suffix of the metric's name. kWhole: the value of a gauge or sum, or a quantile.
constexpr char kWhole = 'v', kCount = 'c', kSum = 's', kMin = 'm', kMax = 'M', kBucket = 'b';
constexpr int kMaxScale = 3;  // of exponential buckets: eight from one power of two to the next

std::string_view suffixOf(char part) {
  switch (part) {
    case kCount:
      return "_count";
    case kSum:
      return "_sum";
    case kMin:
      return "_min";
    case kMax:
      return "_max";
    case kBucket:
      return "_bucket";
    default:
      return "";
  }
}

std::string numberText(double value) {
  std::array<char, 32> text{};
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// "le=0.5", as a label.
std::string boundsText(std::string_view label, double bound) { return std::string(label) + "=" + numberText(bound); }

}  // namespace

std::string_view otlpNameOf(std::string_view key) { return bytesOf(key.substr(kKeyHead), kName); }

Status SenderSession::takeOtlp(const SenderRequest& request, WriteOutcome& outcome) {
  const OtlpSignal signal = *request.otlp;
  const std::uint64_t hash = signal == OtlpSignal::kMetrics ? 0 : SentBefore::hashOf(request.bytes);
  m_new_spans.clear();
  m_new_logs.clear();
  m_new_span_count = 0;
  std::uint32_t origin = kNone;
  OtlpPoint point;
  Status status;
  std::int64_t items = 0;
  const bool repeated = hash != 0 && m_sent->isDelivered(hash);
  forEachItem(
      request.bytes,
      [&](const OtlpScope& scope) {
        if (!repeated && status.ok()) origin = originOf(signal, scope, request.address);
      },
      [&](std::string_view item) {
        ++items;
        if (repeated || !status.ok()) return;
        const std::int64_t refused = outcome.refused();
        if (signal == OtlpSignal::kMetrics) {
          forEachPoint(item, point, [&](const OtlpMetric& metric, const OtlpPoint& one) {
            const std::int64_t before = outcome.refused();
            if (origin == kNone)
              ++outcome.too_many_tracks;
            else
              takePoint(origin, metric, one, outcome);
            outcome.rejected_items += outcome.refused() > before ? 1 : 0;
            m_item_refused.push_back(outcome.refused() > before);
            return true;
          });
          return;
        }
        if (origin == kNone)
          ++outcome.too_many_tracks;
        else if (signal == OtlpSignal::kTraces)
          takeSpan(origin, item, outcome);
        else
          takeLog(origin, item, outcome);
        outcome.rejected_items += outcome.refused() > refused ? 1 : 0;
        if (m_new_span_count >= kMaxHeldItems) status = putSpans(outcome);
        if (m_new_logs.size() >= kMaxHeldItems) status = putLogs(outcome);
      });
  if (status.ok()) status = putSpans(outcome);
  if (status.ok()) status = putLogs(outcome);
  if (!status.ok()) {
    *m_refused = true;  // the next session drops the undelivered part of this request and finds the rest in the store
    return status;
  }
  if (repeated) outcome.repeated += items;
  if (hash != 0) m_sent->remember(hash);
  return {};
}

std::uint32_t SenderSession::originOf(OtlpSignal signal, const OtlpScope& scope, const std::string& address) {
  m_key.assign(1, signal == OtlpSignal::kTraces ? 't' : 'o');
  wire::appendBytes(m_key, 1, scope.resource);
  wire::appendBytes(m_key, 2, bytesOf(scope.scope, 1));
  if (const auto known = m_origin_of.find(m_key); known != m_origin_of.end()) {
    m_origins[known->second].seen = m_now;
    return known->second;
  }
  Origin origin{.key = m_key, .what = resourceOf(scope), .seen = m_now};
  OtlpResource& what = origin.what;
  // A span belongs to a run; without one, to that of its service.
  if (what.run.empty() && signal == OtlpSignal::kTraces) what.run = what.service.empty() ? "traces" : what.service;
  if (!what.run.empty()) origin.owner = "run " + what.run + '\0' + what.attempt;
  const bool new_run = !what.run.empty() && !m_runs.contains(origin.owner);
  const std::optional<std::uint32_t> node = nodeOf(what.node, address);
  if (!node || m_origin_of.size() >= m_limits.resources || (new_run && m_runs.size() >= m_limits.runs)) {
    if (m_first_refused.empty()) m_first_refused = what.run.empty() ? what.service : what.run;
    return kNone;
  }
  origin.node = *node;
  declarePlaces();
  origin.source = what.service;
  // Two processes of one service write series of their own, unless their rank distinguishes them.
  if (!what.rank && !what.instance.empty()) origin.source += (origin.source.empty() ? "" : " ") + what.instance;
  if (!what.run.empty()) {
    m_runs.insert(origin.owner);
    origin.run = m_dictionary->run({.name = what.run, .time_domain = TimeDomain::kUtc});
    origin.attempt = m_dictionary->attempt({.run = origin.run, .key = what.attempt});
    declareRank(origin);
  }
  const std::uint32_t index = m_free_origins.empty() ? static_cast<std::uint32_t>(m_origins.size()) : m_free_origins.back();
  if (m_free_origins.empty())
    m_origins.emplace_back();
  else
    m_free_origins.pop_back();
  m_origins[index] = std::move(origin);
  m_origin_of.emplace(m_origins[index].key, index);
  return index;
}

void SenderSession::declareRank(const Origin& origin) {
  const OtlpResource& what = origin.what;
  if (!what.rank) return;
  beginPayload();
  const Rank rank{
      .attempt = origin.attempt, .rank = *what.rank, .node = m_node_ids[origin.node], .local_rank = what.local_rank, .pid = what.pid};
  wire::appendBytes(m_payload, Wire::kRankFieldNumber, messageOf(rank).SerializeAsString());
  if (what.world <= 0) return;
  const Attempt attempt{.run = origin.run, .key = what.attempt, .layout = {.world = what.world}};
  wire::appendBytes(m_payload, Wire::kAttemptFieldNumber, messageOf(origin.attempt, attempt).SerializeAsString());
}

std::optional<SenderSession::Meaning> SenderSession::meaningOfOtlp(std::string_view key) {
  std::uint32_t index = 0;
  std::copy_n(key.data() + 1, sizeof index, reinterpret_cast<char*>(&index));
  const Origin& origin = m_origins[index];
  const auto kind = static_cast<Kind>(key[5] & 0x0F);
  const bool delta = (key[5] & 0x10) != 0, monotonic = (key[5] & 0x20) != 0;
  const char part = key[6];
  const std::string_view fields = key.substr(kKeyHead);
  if (bytesOf(fields, kName).empty()) return std::nullopt;
  const std::string name = std::string(bytesOf(fields, kName)) + std::string(suffixOf(part));
  ExpositionParser::Sample exposed{.name = name};
  std::vector<std::string> texts;  // reserved before views of it are taken
  texts.reserve(2 * static_cast<std::size_t>(OtlpCounts::kMaxAttributes) + 8);
  eachMessage(fields, kAttribute, [&](std::string_view bytes) {
    const auto [name_of, value] = attributeOf(bytes);
    exposed.labels.emplace_back(name_of, texts.emplace_back(textOf(value)));
    return true;
  });
  // "gt=1 le=2"
  for (std::string_view bounds = bytesOf(fields, kBounds); !bounds.empty();) {
    const std::string_view bound = bounds.substr(0, bounds.find(' '));
    bounds.remove_prefix(std::min(bounds.size(), bound.size() + 1));
    exposed.labels.emplace_back(bound.substr(0, bound.find('=')), bound.substr(bound.find('=') + 1));
  }
  const bool counts = part == kCount || part == kBucket;
  const bool counter = counts || part == kSum || (part == kWhole && kind == Kind::kSum && monotonic);
  const std::string_view unit = counts ? std::string_view() : bytesOf(fields, kUnit);
  SemanticMetric semantic = semanticMetric(exposed, unit, counter);
  // Libraries may use one name for different things; those of the catalogue mean the same everywhere.
  if (!origin.what.scope.empty() && findMetric(semantic.sample.metric) == nullptr) {
    exposed.labels.emplace_back("otel_scope_name", origin.what.scope);
    semantic = semanticMetric(exposed, unit, counter);
  }
  Meaning meaning{.what = std::move(semantic.sample), .unit = std::move(semantic.unit), .source = origin.source, .delta = delta};
  meaning.node = !meaning.what.node.empty() ? nodeOf(meaning.what.node, "") : std::optional(origin.node);
  meaning.attempt = origin.attempt;
  meaning.rank = origin.what.rank;
  meaning.owner = origin.owner;
  if (!meaning.what.device_kind.empty()) meaning.source = origin.what.service;
  return meaning;
}

void SenderSession::takePoint(std::uint32_t origin, const OtlpMetric& metric, const OtlpPoint& point, WriteOutcome& outcome) {
  if (!point.recorded) {
    ++outcome.stale;
    return;
  }
  m_key.assign(1, '\0');
  m_key.append(reinterpret_cast<const char*>(&origin), sizeof origin);
  m_key_head = m_key.size();
  if (metric.kind == Kind::kGauge || metric.kind == Kind::kSum) return takePart(metric, point, kWhole, "", point.value, outcome);
  takePart(metric, point, kCount, "", static_cast<double>(point.count), outcome);
  if (point.sum) takePart(metric, point, kSum, "", *point.sum, outcome);
  if (point.min) takePart(metric, point, kMin, "", *point.min, outcome);
  if (point.max) takePart(metric, point, kMax, "", *point.max, outcome);
  for (const auto& [quantile, value] : point.quantiles) takePart(metric, point, kWhole, boundsText("quantile", quantile), value, outcome);
  takeBuckets(metric, point, outcome);
}

// Explicit buckets count all values up to their bound, as Prometheus' do. Exponential ones, whose bounds change with the scale, count their
// own values, and are left out while they are empty.
void SenderSession::takeBuckets(const OtlpMetric& metric, const OtlpPoint& point, WriteOutcome& outcome) {
  if (metric.kind == Kind::kHistogram) {
    std::uint64_t up_to = 0;
    for (std::size_t i = 0; i < point.positive.counts.size(); ++i) {
      up_to += point.positive.counts[i];
      const double bound = i < point.bounds.size() ? point.bounds[i] : HUGE_VAL;
      takePart(metric, point, kBucket, boundsText("le", bound), static_cast<double>(up_to), outcome);
    }
    return;
  }
  // Two buckets of a scale are one of the scale below: fewer, and the same from one data point to the next.
  const int shift = std::clamp(point.scale - kMaxScale, 0, 62);
  const double width = std::exp2(shift - point.scale);
  const auto bounds = [](double low, double high) { return boundsText("gt", low) + " " + boundsText("le", high); };
  const auto each = [&](const OtlpPoint::Buckets& buckets, double sign) {
    std::uint64_t held = 0;
    for (std::size_t i = 0; i < buckets.counts.size(); ++i) {
      const std::int64_t at = buckets.offset + static_cast<std::int64_t>(i), index = at >> shift;
      held += buckets.counts[i];
      if (held == 0 || (i + 1 < buckets.counts.size() && (at + 1) >> shift == index)) continue;
      const double low = std::exp2(static_cast<double>(index) * width), high = std::exp2(static_cast<double>(index + 1) * width);
      takePart(metric, point, kBucket, sign > 0 ? bounds(low, high) : bounds(-high, -low), static_cast<double>(std::exchange(held, 0)),
               outcome);
    }
  };
  each(point.positive, 1);
  each(point.negative, -1);
  if (point.zero_count > 0)
    takePart(metric, point, kBucket, bounds(-point.zero_threshold, point.zero_threshold), static_cast<double>(point.zero_count), outcome);
}

void SenderSession::takePart(const OtlpMetric& metric, const OtlpPoint& point, char part, std::string_view bounds, double value,
                             WriteOutcome& outcome) {
  m_key.resize(m_key_head);
  // Extremes and quantiles are no increments.
  const bool sums = part == kCount || part == kSum || part == kBucket || (part == kWhole && metric.kind == Kind::kSum);
  m_key += static_cast<char>(static_cast<int>(metric.kind) | (metric.delta && sums ? 0x10 : 0) | (metric.monotonic ? 0x20 : 0));
  m_key += part;
  wire::appendBytes(m_key, kName, metric.name);
  if (!metric.unit.empty()) wire::appendBytes(m_key, kUnit, metric.unit);
  if (!bounds.empty()) wire::appendBytes(m_key, kBounds, bounds);
  for (const std::string_view attribute : point.attributes) wire::appendBytes(m_key, kAttribute, attribute);
  Entry* const entry = find(m_key, "", outcome);
  if (entry == nullptr) return;
  entry->seen = m_now;
  admit(*entry, point.time, value, outcome);
  flushAdmitted(*entry, outcome);
}

}  // namespace runglass
