// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A rate is recorded only between two readings of a counter that has not decreased; a decrease is a reset and no event.
// 2. A port that is down when the source starts has a state but causes no event.
#include "collectors/sources/rdma/rdma_source.h"

#include <cstdio>

#include "collectors/sources/rdma/error_watch.h"
#include "collectors/sources/rdma/rdma_port.h"
#include "collectors/sources/rdma/traffic_watch.h"
#include "collectors/sources/series_table.h"
#include "model/fault_catalog.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass {
namespace {

constexpr DurNs kErrorsEvery = 5 * kNsPerSecond;
constexpr DurNs kErrorWindow = 60 * kNsPerSecond;
constexpr DurNs kLongestPoll = 10 * kNsPerSecond;  // a longer gap between polls is not a valid bin of traffic

std::string amount(double bytes_per_s) { return valueText(bytes_per_s, "bytes_per_s"); }

class RdmaSource : public Source {
 public:
  std::string_view name() const override { return "rdma"; }

  Status start(Recorder& out, const SourceContext& context) override {
    m_context = &context;
    m_interval = (*context.config)["interval_ms"].value_or<std::int64_t>(1000) * kNsPerMs;
    if (m_interval < kNsPerMs || m_interval > kLongestPoll)
      return {Code::kInvalidArgument, "source.rdma: interval_ms: must be in 1..10000"};
    std::vector<RdmaPort> ports = findRdmaPorts(context.root);
    if (ports.empty()) return {Code::kUnavailable, "source.rdma: " + context.root + "sys/class/infiniband: no RDMA device"};
    m_node = out.node(context.node);
    for (RdmaPort& port : ports) {
      Watched watched{.port = std::move(port)};
      // The same device as in the kernel's log and the source ethernet, if it has exactly one network interface.
      const std::string& interface_name = watched.port.interfaceName();
      watched.uuid = context.node.uuid + "/nic-" + (interface_name.empty() ? watched.port.device() : interface_name);
      watched.device = out.device({.uuid = watched.uuid, .node = m_node, .kind = "nic", .model = watched.port.device()});
      watched.book = SeriesTable(m_node, watched.device);
      watched.labels = oneLabel("device", watched.port.device());
      watched.labels.pop_back();
      watched.labels += "," + oneLabel("port", watched.port.port()).substr(1);
      m_ports.push_back(std::move(watched));
    }
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    const DurNs elapsed = m_last_poll ? now - *m_last_poll : 0;
    for (Watched& watched : m_ports) {
      readState(out, now, watched);
      readTraffic(out, now, elapsed, watched);
    }
    m_bin_covered += elapsed <= kLongestPoll ? elapsed : 0;
    if (m_bin_covered >= TrafficWatch::kBin) closeBin(out, now);
    if (!m_last_errors || now - *m_last_errors >= kErrorsEvery) readErrors(out, now);
    m_last_poll = now;
    return now + m_interval;
  }

 private:
  struct Watched {
    RdmaPort port;
    std::string uuid, labels;
    DeviceId device;
    SeriesTable book{};
    std::string state;
    std::optional<TimeNs> down_since;
    bool known_up = false, downs_reported = false;
    RdmaPort::Traffic last;
    double bin_bytes = 0;
    std::vector<std::optional<std::uint64_t>> errors, rises;
    std::vector<bool> saturated;
  };

  void put(Recorder& out, Watched& watched, std::string_view metric, TimeNs now, double value) {
    watched.book.put(out, metric, watched.labels, now, value);
  }
  void tell(Recorder& out, TimeNs now, const Watched* watched, std::string kind, Severity severity, std::string code, std::string message) {
    out.event({.time = now,
               .node = m_node,
               .device = watched != nullptr ? watched->device : DeviceId{},
               .kind = std::move(kind),
               .severity = severity,
               .code = std::move(code),
               .message = std::move(message)});
  }
  bool mayTellLink(const Watched& watched, std::string_view kind, TimeNs now) const {
    return m_context->faults == nullptr || m_context->faults->mayTell("rdma", kind, "", watched.uuid, now);
  }

  void readState(Recorder& out, TimeNs now, Watched& watched) {
    std::string state = watched.port.state();
    if (state.empty()) state = "gone";
    put(out, watched, "rdma_port_active_count", now, state == "ACTIVE" ? 1 : 0);
    if (state == watched.state) return;
    const std::string before = std::exchange(watched.state, state);
    if (state == "ACTIVE") {
      if (const auto rate = watched.port.bytesPerSecond()) put(out, watched, "rdma_link_bytes_per_s", now, *rate);
      if (watched.down_since && mayTellLink(watched, "link_up", now))
        tell(out, now, &watched, "link_up", Severity::kInfo, "",
             watched.port.name() + " is up after " + shortDurationText(now - *watched.down_since));
      watched.down_since.reset();
      watched.known_up = true;
    } else if (watched.known_up && !watched.down_since) {
      watched.down_since = now;
      watched.downs_reported = true;
      if (mayTellLink(watched, "link_down", now))
        tell(out, now, &watched, "link_down", Severity::kError, "", watched.port.name() + " was " + before + ", is " + state);
    }
  }

  void readTraffic(Recorder& out, TimeNs now, DurNs elapsed, Watched& watched) {
    const RdmaPort::Traffic traffic = watched.port.readTraffic();
    const auto rate = [&](std::string_view metric, std::optional<std::uint64_t> is, std::optional<std::uint64_t> was) -> double {
      if (!is || !was || *is < *was || elapsed <= 0) return 0;
      put(out, watched, metric, now, static_cast<double>(*is - *was) * kNsPerSecond / static_cast<double>(elapsed));
      return static_cast<double>(*is - *was);
    };
    const double bytes = rate("rdma_transmit_bytes_per_s", traffic.sent_bytes, watched.last.sent_bytes) +
                         rate("rdma_receive_bytes_per_s", traffic.received_bytes, watched.last.received_bytes);
    rate("rdma_transmit_packets_per_s", traffic.sent_packets, watched.last.sent_packets);
    rate("rdma_receive_packets_per_s", traffic.received_packets, watched.last.received_packets);
    if (elapsed <= kLongestPoll) watched.bin_bytes += bytes;
    watched.last = traffic;
  }

  void closeBin(Recorder& out, TimeNs now) {
    const double bin_seconds = static_cast<double>(m_bin_covered) / kNsPerSecond;
    std::vector<double> rates;
    for (Watched& watched : m_ports) rates.push_back(std::exchange(watched.bin_bytes, 0) / bin_seconds);
    m_bin_covered = 0;
    const auto trainers = m_context->ranks != nullptr ? m_context->ranks->generation() : std::nullopt;
    for (const TrafficWatch::Verdict& verdict : m_traffic.add(rates, trainers)) {
      using enum TrafficWatch::Change;
      const Watched* watched = verdict.port ? &m_ports[*verdict.port] : nullptr;
      const std::string who = watched != nullptr ? watched->port.name() : "all RDMA ports";
      const std::string numbers = amount(verdict.now) + ", usually " + amount(verdict.usual) + ", for " + shortDurationText(verdict.since);
      const std::string others = watched != nullptr ? "; the node's other ports continue" : "";
      if (verdict.change == kResumed)
        tell(out, now, watched, "rdma_traffic_resumed", Severity::kInfo, "", who + ": traffic as before: " + amount(verdict.now));
      else if (verdict.change == kStopped)
        tell(out, now, watched, "rdma_traffic_stopped", Severity::kWarning, "", who + ": no traffic: " + numbers + others);
      else
        tell(out, now, watched, "rdma_traffic_faded", watched != nullptr ? Severity::kWarning : Severity::kInfo, "",
             who + ": less traffic: " + numbers + others);
    }
  }

  void readErrors(Recorder& out, TimeNs now) {
    m_last_errors = now;
    const auto counters = rdmaCounters();
    for (Watched& watched : m_ports) {
      const auto values = watched.port.readErrors();
      watched.rises.resize(counters.size());
      watched.saturated.resize(counters.size());
      for (std::size_t i = 0; i < counters.size(); ++i) {
        if (!values[i]) continue;
        put(out, watched, counters[i].metric, now, static_cast<double>(*values[i]));
        if (counters[i].top != 0 && *values[i] == counters[i].top && !watched.saturated[i]) {
          watched.saturated[i] = true;
          out.issue({.code = "rdma.saturated",
                     .source = m_context->node.name + "/" + watched.port.name(),
                     .first = now,
                     .last = now,
                     .detail = std::string(counters[i].file) + " stands at " + std::to_string(*values[i])});
        }
        if (watched.errors.empty()) continue;
        const auto before = watched.errors[i];
        watched.rises[i] = watched.rises[i].value_or(0) + (before && *values[i] > *before ? *values[i] - *before : 0);
      }
      tellShortFlaps(out, now, watched, values);
      watched.errors = values;
    }
    if (!m_window_since) m_window_since = now;
    if (now - *m_window_since >= kErrorWindow) judgeErrors(out, now);
  }

  // A link that was lost and recovered between two reads of its state.
  void tellShortFlaps(Recorder& out, TimeNs now, Watched& watched, const std::vector<std::optional<std::uint64_t>>& values) {
    constexpr std::size_t kLinkDowned = 0;
    const bool reported = std::exchange(watched.downs_reported, watched.down_since.has_value());
    if (watched.errors.empty() || reported) return;
    const auto is = values[kLinkDowned], was = watched.errors[kLinkDowned];
    if (!is || !was || *is <= *was || !mayTellLink(watched, "link_down", now)) return;
    tell(out, now, &watched, "link_flap", Severity::kWarning, "",
         watched.port.name() + " lost its link " + std::to_string(*is - *was) + (*is - *was == 1 ? " time" : " times") + " for less than " +
             shortDurationText(m_interval));
  }

  void judgeErrors(Recorder& out, TimeNs now) {
    const auto counters = rdmaCounters();
    std::vector<std::uint64_t> floors;
    for (const RdmaCounter& counter : counters) floors.push_back(counter.floor);
    std::vector<std::vector<std::optional<std::uint64_t>>> rises;
    for (Watched& watched : m_ports)
      rises.push_back(std::exchange(watched.rises, std::vector<std::optional<std::uint64_t>>(counters.size())));
    const std::string in = " in " + shortDurationText(now - *m_window_since);
    for (const ErrorWatch::Finding& finding : m_errors.add(rises, floors)) {
      const RdmaCounter& counter = counters[finding.counter];
      const Watched* watched = finding.all ? nullptr : &m_ports[finding.port];
      const std::string who = finding.all ? "all RDMA ports" : watched->port.name();
      const std::string code(counter.file.substr(counter.file.find('/') + 1));
      const FaultInfo* info = findFault("rdma_errors", code);
      tell(out, now, watched, "rdma_errors", finding.all || info == nullptr ? Severity::kInfo : info->severity, code,
           who + ": " + std::to_string(finding.count) + " " + std::string(counter.words) + in +
               (finding.all ? "" : "; median of the node's other ports: " + std::to_string(finding.others)));
    }
    m_window_since = now;
  }

  const SourceContext* m_context = nullptr;
  NodeId m_node;
  DurNs m_interval = kNsPerSecond, m_bin_covered = 0;
  std::optional<TimeNs> m_last_poll, m_last_errors, m_window_since;
  std::vector<Watched> m_ports;
  TrafficWatch m_traffic;
  ErrorWatch m_errors;
};

}  // namespace

std::unique_ptr<Source> makeRdmaSource() { return std::make_unique<RdmaSource>(); }

}  // namespace runglass
