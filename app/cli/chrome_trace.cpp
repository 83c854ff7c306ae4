// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chrome_trace.h"

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

namespace runglass::ctl {
namespace {

// Exact: a double of µs since 1970 would not preserve the ns.
void appendMicros(std::string& text, std::int64_t ns) {
  char digits[40];
  const bool negative = ns < 0;
  const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  std::snprintf(digits, sizeof digits, "%s%llu.%03llu", negative ? "-" : "", static_cast<unsigned long long>(magnitude / 1000),
                static_cast<unsigned long long>(magnitude % 1000));
  text += digits;
}

class TraceWriter {
 public:
  TraceWriter(TimeNs base, Output& out) : m_base(base), m_out(out) {}

  void name(const Track& track, std::uint64_t tid, std::size_t overflow) {
    const std::int64_t pid = track.key.rank.value_or(-1);
    std::string process = track.key.rank ? "rank " + std::to_string(pid) : "run";
    metadata(pid, 0, "process_name", process);
    metadata(pid, tid, "thread_name",
             track.key.kind + " " + track.key.name + (overflow == 0 ? "" : " (overlap " + std::to_string(overflow) + ")"));
  }
  void span(const Track& track, std::uint64_t tid, const SpanColumns& spans, std::size_t i) {
    std::string text = "{\"ph\":";
    const bool open = spans.dur[i] == kAbsent;
    text += open ? "\"B\"" : "\"X\"";
    text += ",\"pid\":" + std::to_string(track.key.rank.value_or(-1)) + ",\"tid\":" + std::to_string(tid) + ",\"cat\":\"" +
            spanCategoryName(spans.category[i]) + "\",\"name\":";
    appendJsonString(text, spans.names[spans.name[i]]);
    text += ",\"ts\":";
    // Wraps only if the run itself is longer than the range of int64.
    appendMicros(text, static_cast<std::int64_t>(static_cast<std::uint64_t>(spans.start[i]) - static_cast<std::uint64_t>(m_base)));
    if (!open) {
      text += ",\"dur\":";
      appendMicros(text, spans.dur[i]);
    }
    appendArgs(text, spans, i);
    event(text + "}");
  }
  void begin() { m_out.write("{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":" + std::to_string(m_base) + ",\"traceEvents\":["); }
  void end() { m_out.write("\n]}\n"); }

 private:
  void metadata(std::int64_t pid, std::uint64_t tid, const char* kind, const std::string& name) {
    std::string text = "{\"ph\":\"M\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) + ",\"name\":\"" + kind +
                       "\",\"args\":{\"name\":";
    appendJsonString(text, name);
    event(text + "}}");
  }
  static void appendArgs(std::string& text, const SpanColumns& spans, std::size_t i) {
    std::string args;
    const auto number = [&](const char* key, const std::vector<std::int64_t>& values) {
      if (!values.empty() && values[i] != kAbsent)
        args += (args.empty() ? "\"" : ",\"") + std::string(key) + "\":" + std::to_string(values[i]);
    };
    number("step", spans.step);
    number("microbatch", spans.microbatch);
    number("group_id", spans.group);
    number("seq", spans.seq);
    number("bytes", spans.bytes);
    number("correlation", spans.correlation);
    number("external_id", spans.external_id);
    if (!spans.args.empty() && !spans.args[i].empty()) {
      args += args.empty() ? "\"args\":" : ",\"args\":";
      // The bytes are as the source sent them: JSON only if they parse.
      if (nlohmann::json::accept(spans.args[i]))
        args += spans.args[i];
      else
        appendJsonString(args, spans.args[i]);
    }
    if (!args.empty()) text += ",\"args\":{" + args + "}";
  }
  void event(const std::string& text) {
    m_out.write(m_first ? "\n" : ",\n");
    m_first = false;
    m_out.write(text);
  }
  TimeNs m_base;
  Output& m_out;
  bool m_first = true;
};

// Readers of the format require the spans of a thread to be properly nested. Spans of a track that are not get separate threads.
class NestedLanes {
 public:
  // Spans in order of begin; of two that begin together, the longer first.
  static std::vector<std::size_t> order(const SpanColumns& spans) {
    std::vector<std::size_t> order(spans.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return spans.start[a] != spans.start[b] ? spans.start[a] < spans.start[b] : endOf(spans, a) > endOf(spans, b);
    });
    return order;
  }
  std::size_t laneOf(const SpanColumns& spans, std::size_t i) {
    const TimeNs start = spans.start[i], end = endOf(spans, i);
    for (std::size_t lane = 0;; ++lane) {
      if (lane == m_open.size()) m_open.emplace_back();
      std::vector<TimeNs>& open = m_open[lane];
      while (!open.empty() && open.back() <= start) open.pop_back();
      if (!open.empty() && end > open.back()) continue;
      open.push_back(end);
      return lane;
    }
  }

 private:
  static TimeNs endOf(const SpanColumns& spans, std::size_t i) {
    TimeNs end = 0;
    const bool open = spans.dur[i] == kAbsent || __builtin_add_overflow(spans.start[i], spans.dur[i], &end);
    return open ? std::numeric_limits<TimeNs>::max() : end;
  }
  std::vector<std::vector<TimeNs>> m_open;  // per lane: end times of the spans that enclose the newest one
};

}  // namespace

Status writeChromeTrace(Reader& reader, RunId run, TimeRange range, Output& out) {
  std::vector<Track> tracks;
  RG_ASSIGN(const auto attempts, reader.attempts(run));
  for (const Attempt& attempt : attempts) {
    RG_ASSIGN(auto found, reader.tracks(attempt.id));
    for (Track& track : found) tracks.push_back(std::move(track));
  }
  TimeNs base = std::numeric_limits<TimeNs>::max();
  for (const Track& track : tracks) {
    RG_ASSIGN(const auto spans, reader.spans(track.id, range));
    for (const TimeNs start : spans.start) base = std::min(base, start);
  }
  if (base == std::numeric_limits<TimeNs>::max())
    return {Code::kNotFound, "cannot export trace: run " + std::to_string(run.value) + ": it holds no spans in this time range"};
  std::uint64_t next_tid = 1;
  for (const Track& track : tracks) next_tid = std::max(next_tid, track.id.value + 1);
  TraceWriter trace(base, out);
  trace.begin();
  for (const Track& track : tracks) {
    RG_ASSIGN(const auto spans, reader.spans(track.id, range));
    NestedLanes lanes;
    std::vector<std::uint64_t> tids;
    for (const std::size_t i : NestedLanes::order(spans)) {
      const std::size_t lane = lanes.laneOf(spans, i);
      if (lane == tids.size()) {
        tids.push_back(lane == 0 ? track.id.value : next_tid++);
        trace.name(track, tids.back(), lane);
      }
      trace.span(track, tids[lane], spans, i);
    }
    if (!out.ok()) break;
  }
  trace.end();
  return out.finish();
}

}  // namespace runglass::ctl
