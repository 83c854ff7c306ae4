// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nccl/inspector_record.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

std::string textOf(const object& in, const std::string& key) {
  std::string_view text;
  return in.at_key(key).get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}
std::optional<double> numberOf(const object& in, const std::string& key) {
  double value = 0;
  return in.at_key(key).get(value) == simdjson::SUCCESS && std::isfinite(value) ? std::optional(value) : std::nullopt;
}
std::optional<std::int64_t> integerOf(const object& in, const std::string& key) {
  std::int64_t value = 0;
  return in.at_key(key).get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
}

void readContext(const object& record, InspectorRecord& into) {
  object header, metadata;
  if (record.at_key("header").get(header) != simdjson::SUCCESS) return;
  into.has_context = true;
  InspectorContext& context = into.context;
  context.comm = textOf(header, "id");
  context.comm_name = textOf(header, "comm_name");
  if (context.comm_name == "unknown") context.comm_name.clear();
  context.rank = integerOf(header, "rank");
  context.n_ranks = integerOf(header, "n_ranks");
  if (record.at_key("metadata").get(metadata) != simdjson::SUCCESS) return;
  context.version = textOf(metadata, "inspector_output_format_version");
  context.hostname = textOf(metadata, "hostname");
  context.pid = integerOf(metadata, "pid");
  context.dump_us = integerOf(metadata, "dump_timestamp_us");
}

// Times of 0 are of events that did not happen.
void readTimes(const object& op, const std::string& prefix, InspectorRecord& into) {
  object times;
  if (op.at_key("event_trace_ts").get(times) != simdjson::SUCCESS) return;
  array kernels;
  if (times.at_key("kernel_events").get(kernels) == simdjson::SUCCESS) {
    for (const element each : kernels) {
      object kernel;
      if (each.get(kernel) != simdjson::SUCCESS) continue;
      if (const auto start = integerOf(kernel, "kernel_start_ts"); start && *start > 0)
        into.start_us = std::min(into.start_us.value_or(*start), *start);
      if (const auto stop = integerOf(kernel, "kernel_stop_ts"); stop && *stop > 0)
        into.stop_us = std::max(into.stop_us.value_or(*stop), *stop);
    }
  }
  if (into.start_us) return;
  if (const auto start = integerOf(times, prefix + "start_ts"); start && *start > 0) into.start_us = start;
}

void readOperation(const object& op, const std::string& prefix, InspectorRecord& into) {
  into.op = textOf(op, prefix.substr(0, prefix.size() - 1));
  into.algo = textOf(op, prefix + "algo");
  into.proto = textOf(op, prefix + "proto");
  into.timing = textOf(op, prefix + "timing_source");
  into.seq = integerOf(op, prefix + "sn");
  into.bytes = integerOf(op, prefix + "msg_size_bytes");
  into.peer = integerOf(op, prefix + "peer");
  into.exec_us = numberOf(op, prefix + "exec_time_us");
  into.algobw = numberOf(op, prefix + "algobw_gbs");
  into.busbw = numberOf(op, prefix + "busbw_gbs");
  readTimes(op, prefix, into);
  into.raw = simdjson::minify(op);
}

}  // namespace

bool InspectorParser::read(std::string_view line, InspectorRecord& into) {
  into = {};
  object record, part;
  if (m_parser.parse(line.data(), line.size()).get(record) != simdjson::SUCCESS) return false;
  readContext(record, into);
  if (record.at_key("dump_stats").get(part) == simdjson::SUCCESS) {
    into.kind = InspectorRecord::Kind::kDump;
    for (const char* key : {"coll_dropped_since_last_dump", "p2p_dropped_since_last_dump"})
      if (const auto dropped = integerOf(part, key); dropped && *dropped > 0 && *dropped < INT32_MAX) into.dropped += *dropped;
  } else if (record.at_key("coll_perf").get(part) == simdjson::SUCCESS) {
    into.kind = InspectorRecord::Kind::kCollective;
    readOperation(part, "coll_", into);
  } else if (record.at_key("p2p_perf").get(part) == simdjson::SUCCESS) {
    into.kind = InspectorRecord::Kind::kP2p;
    readOperation(part, "p2p_", into);
  }
  return true;
}

}  // namespace runglass
