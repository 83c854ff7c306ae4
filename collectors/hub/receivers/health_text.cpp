// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/health_text.h"

namespace runglass {
namespace {

void add(std::string& out, const char* name, const char* type, const char* help, const std::string& value) {
  out += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n" + name + " " + value + "\n";
}
void counter(std::string& out, const char* name, const char* help, std::int64_t value) {
  add(out, name, "counter", help, std::to_string(value));
}
void gauge(std::string& out, const char* name, const char* help, std::int64_t value) {
  add(out, name, "gauge", help, std::to_string(value));
}

}  // namespace

std::string healthText(const HubStats& hub, const ReceiverStats& receivers) {
  std::string out;
  gauge(out, "runglass_hub_agents", "Connected agents.", hub.agents);
  gauge(out, "runglass_hub_storing", "1: commits succeed. 0: nothing is stored now.", hub.store_error.empty() ? 1 : 0);
  gauge(out, "runglass_hub_queue_bytes", "Received, not recorded yet.", hub.queue_bytes);
  add(out, "runglass_hub_journal_lag_seconds", "gauge", "Age of the newest batch when it was journaled.",
      std::to_string(static_cast<double>(hub.lag) / kNsPerSecond));
  counter(out, "runglass_hub_journaled_bytes_total", "Bytes written to the journal.", hub.bytes);
  counter(out, "runglass_hub_batches_total", "Batches recorded.", hub.batches);
  counter(out, "runglass_hub_samples_total", "Samples recorded.", hub.samples);
  counter(out, "runglass_hub_spans_total", "Spans recorded.", hub.spans);
  counter(out, "runglass_hub_records_total", "Other records: events, log lines, updates.", hub.records);
  counter(out, "runglass_hub_duplicate_batches_total", "Batches that an agent sent again.", hub.duplicate_batches);
  counter(out, "runglass_hub_missing_batches_total", "Batches that never arrived.", hub.missing_batches);
  counter(out, "runglass_hub_refused_sessions_total", "Sessions of agents that were refused.", hub.refused_sessions);
  counter(out, "runglass_hub_cut_connections_total", "Connections closed because of their traffic.", hub.cut_connections);
  counter(out, "runglass_receiver_requests_total", "Requests acknowledged in full.", receivers.requests);
  counter(out, "runglass_receiver_refused_requests_total", "Requests refused, wholly or in part.", receivers.refused_requests);
  counter(out, "runglass_receiver_samples_total", "Samples acknowledged as durable.", receivers.samples);
  counter(out, "runglass_receiver_repeated_samples_total", "Samples that were sent again and not stored twice.", receivers.repeated);
  counter(out, "runglass_receiver_refused_samples_total", "Samples refused.", receivers.refused_samples);
  counter(out, "runglass_receiver_cut_connections_total", "Connections of OTLP/gRPC closed because of their traffic.",
          receivers.cut_connections);
  gauge(out, "runglass_receiver_senders", "Senders since the start of the hub.", receivers.senders);
  gauge(out, "runglass_receiver_series", "Series that senders write now.", receivers.series);
  return out;
}

}  // namespace runglass
