// SPDX-License-Identifier: Apache-2.0
// Invariants: a batch's optional columns are empty or as long as its start column when it is handed over, and arguments are JSON objects.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "collectors/sources/client/process_feed.h"
#include "collectors/sources/client/record_payload.h"

namespace runglass {
namespace {

constexpr std::size_t kMostCounts = 64;
constexpr std::uint32_t kMostArgs = 2048;  // ours have a quarter; a hostile ring's brackets must not nest down the stack

struct CountedLoss {
  std::string_view name;
  const char* code;
  const char* detail;
};
// What a tracer counts, by the name it has in the ring.
constexpr CountedLoss kCounted[] = {
    {"gpu_pool_empty", "client.gpu_pool_empty", "operations that found no free pair of events"},
    {"gpu_in_capture", "client.gpu_in_capture", "operations passed through while their stream was captured"},
    {"gpu_trace_stopped", "client.gpu_trace_stopped", "an event call failed, timing stopped"},
    {"gpu_op_failed", "client.gpu_op_failed", "operations whose events could not be recorded"},
    {"gpu_unfinished", "client.gpu_unfinished", "operations still on the GPU when the process ended"},
    {"gpu_exact_no_library", "client.gpu_exact_unavailable", "no libcupti for this process's CUDA was found; RUNGLASS_CUPTI names one"},
    {"gpu_exact_unknown_version", "client.gpu_exact_unavailable", "records of this version of CUPTI are not known to the tracer"},
    {"gpu_exact_in_use", "client.gpu_exact_unavailable", "another profiler has CUPTI in this process"},
    {"gpu_exact_refused", "client.gpu_exact_unavailable", "CUPTI refused to record"},
    {"gpu_exact_bad_record", "client.gpu_exact_unavailable", "CUPTI's records are not of the size that its version has"},
    {"gpu_exact_lost", "client.gpu_exact_lost", "kernels and copies that CUPTI dropped or could not time"},
    {"gpu_recent_refused", "client.gpu_recent_unavailable", "no room for the recent ring beside the ring"},
};

}  // namespace

SpanColumns& ProcessFeed::addSpan(Recorder& out, const rgr_span& span, int category, int depth) {
  auto [track, fresh] = m_tracks.try_emplace(span.track);
  if (fresh) {
    const std::string_view text = m_ring->string(span.track);
    const std::size_t cut = text.find('\x1f');
    const bool named = cut != std::string_view::npos;
    track->second = out.track({.attempt = m_attempt_id,
                               .rank = m_rank.rank,
                               .kind = std::string(named ? text.substr(0, cut) : "thread"),
                               .name = std::string(named ? text.substr(cut + 1) : text)});
  }
  PendingSpans& pending = m_spans[track->second];
  SpanColumns& columns = pending.columns;
  auto [name, new_name] = pending.names.try_emplace(span.name, static_cast<std::uint32_t>(columns.names.size()));
  if (new_name) columns.names.emplace_back(m_ring->string(span.name));
  columns.start.push_back(toTime(span.start));
  columns.dur.push_back(std::max<DurNs>(span.dur, 0));
  columns.name.push_back(name->second);
  columns.category.push_back(category < kSpanCategoryCount ? static_cast<SpanCategory>(category) : SpanCategory::kOther);
  columns.depth.push_back(depth);
  columns.step.push_back(span.step);
  columns.microbatch.push_back(span.microbatch == INT32_MIN ? kAbsent : span.microbatch);
  columns.group.push_back(span.group);
  columns.seq.push_back(span.seq);
  columns.bytes.push_back(span.bytes);
  return columns;
}

void ProcessFeed::takeSpan(Recorder& out, const rgr_span& span, int category, int depth) { addSpan(out, span, category, depth); }

void ProcessFeed::takeGpuSpan(Recorder& out, const RingReader::Record& record) {
  const auto gpu = fixedPart<rgr_gpu_span>(record.payload);
  if (gpu.fixed_bytes < sizeof(gpu)) {
    ++m_unknown;
    return;
  }
  SpanColumns& columns = addSpan(out, gpu.span, record.head.a, record.head.b);
  columns.correlation.resize(columns.size() - 1, kAbsent);
  columns.correlation.push_back(gpu.correlation);
  nlohmann::json args = nlohmann::json::parse(textAt(record.payload, gpu.fixed_bytes, std::min(gpu.args_bytes, kMostArgs)), nullptr, false);
  if (!args.is_object()) args = nlohmann::json::object();
  if (gpu.launched != kAbsent && gpu.launched <= gpu.span.start)
    args["launch_delay_ns"] = static_cast<std::uint64_t>(gpu.span.start) - static_cast<std::uint64_t>(gpu.launched);
  columns.args.resize(columns.size() - 1);
  columns.args.push_back(args.empty() ? "" : args.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

const SpanColumns& ProcessFeed::whole(SpanColumns& columns) {
  if (!columns.correlation.empty()) columns.correlation.resize(columns.size(), kAbsent);
  if (!columns.args.empty()) columns.args.resize(columns.size());
  return columns;
}

void ProcessFeed::takeCount(Recorder& out, const rgr_count& count) {
  const std::string_view name = m_ring->string(count.name);
  const TimeNs time = toTime(count.time);
  if (m_counts.size() >= kMostCounts && !m_counts.contains(count.name)) return;
  std::uint64_t& seen = m_counts[count.name];
  const auto* const known =
      std::find_if(std::begin(kCounted), std::end(kCounted), [&](const CountedLoss& loss) { return loss.name == name; });
  if (known == std::end(kCounted) || count.total <= seen) return;
  const auto more = static_cast<std::int64_t>(std::min<std::uint64_t>(count.total - seen, INT64_MAX));
  seen = count.total;
  out.issue({.code = known->code, .source = label(), .count = more, .first = time, .last = time, .detail = known->detail});
}

}  // namespace runglass
