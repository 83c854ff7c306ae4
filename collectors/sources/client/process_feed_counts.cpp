// SPDX-License-Identifier: Apache-2.0
// Converts a tracer's counts to issues.
#include <algorithm>

#include "collectors/sources/client/process_feed.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxCounts = 64;

struct CountedLoss {
  std::string_view name;
  const char* code;
  const char* detail;
};
// A tracer's counts by their names in the ring.
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

void ProcessFeed::takeCount(Recorder& out, const rgr_count& count) {
  const std::string_view name = m_ring->string(count.name);
  const TimeNs time = toTime(count.time);
  if (m_counts.size() >= kMaxCounts && !m_counts.contains(count.name)) return;
  std::uint64_t& seen = m_counts[count.name];
  const auto* const known =
      std::find_if(std::begin(kCounted), std::end(kCounted), [&](const CountedLoss& loss) { return loss.name == name; });
  if (known == std::end(kCounted) || count.total <= seen) return;
  const auto more = static_cast<std::int64_t>(std::min<std::uint64_t>(count.total - seen, INT64_MAX));
  seen = count.total;
  out.issue({.code = known->code, .source = label(), .count = more, .first = time, .last = time, .detail = known->detail});
}

}  // namespace runglass
