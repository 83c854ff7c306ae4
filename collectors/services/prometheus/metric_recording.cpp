// SPDX-License-Identifier: Apache-2.0
// Invariant: posted actions hold no reference to the MetricRecording.
#include "collectors/services/prometheus/metric_recording.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "collectors/services/prometheus/metric_source.h"
#include "model/mutex.h"

namespace runglass {
namespace {

constexpr DurNs kRoundOfGap = 600 * kNsPerSecond;  // a longer time is filled in parts, oldest first
constexpr QueryClient::Patience kPatience = {.timeout = 30 * kNsPerSecond, .first_pause = 100 * kNsPerMs};

std::string markOf(const MetricRecordingOptions& options) {
  std::string key = "prometheus:" + options.access.url + " " + options.match;
  for (const std::string& node : options.places.nodes) key += " " + node;
  return key;
}

}  // namespace

struct MetricRecording::Parts {
  Parts(MetricRecordingOptions wanted, Post to) : options(std::move(wanted)), post(std::move(to)), mark(markOf(options)) {
    thread = std::jthread([this](const std::stop_token& token) { run(token); });
  }

  void run(const std::stop_token& token);
  Status begin(const std::stop_token& token);
  Status round(const std::stop_token& token);
  void take(ExporterPart part, const std::stop_token& token);
  void saveMark();
  void note(const Status& round);

  const MetricRecordingOptions options;
  const Post post;
  const std::string mark;
  std::unique_ptr<Reader> reader;
  std::optional<StoredSeries> stored;
  std::optional<QueryClient> client;
  std::optional<QueriedSeries> series;
  std::optional<MetricSource> source;
  TimeNs complete = 0;  // every sample before it is posted
  std::string problem;
  bool described = false;
  const std::shared_ptr<std::atomic<std::int64_t>> waiting = std::make_shared<std::atomic<std::int64_t>>(0);
  std::jthread thread;
};

void MetricRecording::Parts::run(const std::stop_token& token) {
  while (!token.stop_requested()) {
    const TimeNs begun = monotonicNow();
    Status status = source ? Status() : begin(token);
    if (status.ok()) status = round(token);
    if (token.stop_requested()) return;
    note(status);
    // On a grid of its own: a slow round does not shift the later ones.
    sleepUnlessStopped(token, options.interval - (monotonicNow() - begun) % options.interval);
  }
}

Status MetricRecording::Parts::begin(const std::stop_token& token) {
  RG_ASSIGN(reader, options.reader());
  stored.emplace(*reader);
  RG_TRY(stored->load());
  const auto saved = std::make_shared<std::promise<std::optional<TimeNs>>>();
  std::future<std::optional<TimeNs>> answer = saved->get_future();
  post([saved, mark = mark](Writer& writer) {
    const auto known = writer.importMark(mark);
    saved->set_value(known ? std::optional(known->offset) : std::nullopt);
  });
  while (answer.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
    if (token.stop_requested()) return {Code::kCancelled, "prometheus: stopped"};
  const TimeNs now = wallNow();
  complete = std::max(answer.get().value_or(now), now - kMaxGap);
  client.emplace(options.access, kPatience, token);
  series.emplace(options.access.url, options.places, &*stored, kOverlap, options.node_uuid);
  source.emplace(*client, *series, options.match);
  return {};
}

Status MetricRecording::Parts::round(const std::stop_token& token) {
  const TimeNs now = wallNow() / kNsPerMs * kNsPerMs;
  complete = std::min(complete, now);  // the clock was set back
  do {
    const TimeRange range{complete - kOverlap, std::min(now, complete + kRoundOfGap)};
    RG_TRY(source->find(range));
    RG_TRY(source->read(range, [this, &token](ExporterPart part) {
      take(std::move(part), token);
      return Status();
    }));
    complete = range.t1;
    saveMark();
  } while (complete < now && !token.stop_requested());
  return {};
}

void MetricRecording::Parts::take(ExporterPart part, const std::stop_token& token) {
  while (*waiting > kMaxPosted && !token.stop_requested()) sleepUnlessStopped(token, 100 * kNsPerMs);
  const auto batch = std::make_shared<ExporterBatch>();
  batch->add(std::move(part));
  const auto points = static_cast<std::int64_t>(batch->points());
  *waiting += points;
  post([batch, points, waiting = waiting](Writer& writer) {
    batch->apply(writer);
    *waiting -= points;
  });
}

void MetricRecording::Parts::saveMark() {
  post([mark = mark, complete = complete](Writer& writer) { writer.setImportMark(mark, {.identity = "prometheus", .offset = complete}); });
}

void MetricRecording::Parts::note(const Status& round) {
  const auto issue = [this](const char* code, const std::string& detail) {
    const TimeNs now = wallNow();
    const Issue issue{.code = code, .source = options.access.url, .first = now, .last = now, .detail = detail};
    post([issue](Writer& writer) { writer.issue(issue); });
  };
  if (!round.ok()) issue("prometheus.unavailable", round.message());
  const std::string before = std::exchange(problem, round.message());
  if (problem != before) options.report(round.ok() ? "prometheus: " + options.access.url + ": answers again" : problem);
  if (!round.ok() || std::exchange(described, true)) return;
  options.report("prometheus: " + options.access.url + ": recording " + std::to_string(source->metrics()) + " metrics of " +
                 std::to_string(series->places().size()) + " nodes");
  for (const std::string& node : series->silentNodes()) issue("prometheus.silent_node", node);
}

MetricRecording::MetricRecording(MetricRecordingOptions options, Post post)
    : m_parts(std::make_unique<Parts>(std::move(options), std::move(post))) {}

MetricRecording::~MetricRecording() { stop(); }

void MetricRecording::stop() {
  m_parts->thread.request_stop();
  if (m_parts->thread.joinable()) m_parts->thread.join();
}

}  // namespace runglass
