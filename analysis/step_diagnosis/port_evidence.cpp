// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/port_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

struct Counter {
  const char* metric;
  const char* words;
  double fewest = 10;  // every cable has some
};
// Physical counters first: transport errors are counted at both ends of a link.
constexpr std::array kPhysical = {
    Counter{"rdma_symbol_error_total", "symbol errors"}, Counter{"rdma_link_integrity_error_total", "link integrity errors"},
    Counter{"rdma_receive_error_total", "packets with errors"}, Counter{"rdma_link_downed_total", "lost links", 1},
    Counter{"rdma_link_recovery_total", "link recoveries", 2}};
constexpr std::array kTransport = {
    Counter{"rdma_packet_sequence_error_total", "sequence errors"}, Counter{"rdma_ack_timeout_total", "acknowledge time-outs"},
    Counter{"rdma_out_of_sequence_total", "packets out of sequence"}, Counter{"rdma_transmit_discard_total", "discarded packets"}};
constexpr double kTimesTheOthers = 5;
constexpr double kAloneTimes = 10;  // multiplies the minimum, where nothing is slow
constexpr double kRateOff = 0.10;
constexpr DurNs kBefore = 600 * kNsPerSecond;
constexpr DurNs kTransportTime = 120 * kNsPerSecond;

struct Value {
  NodeId node;
  DeviceId device;
  std::string port;
  double value = 0;
  SeriesId series;
};

std::string portOf(const Series& series) {
  const auto json = nlohmann::json::parse(series.key.labels, nullptr, false);
  for (const char* name : {"device", "interface", "port"})
    if (json.is_object() && json.contains(name) && json[name].is_string()) return json[name].get<std::string>();
  return {};
}

double medianOfOthers(const std::vector<Value>& values, std::size_t out) {
  std::vector<double> others;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != out) others.push_back(values[i].value);
  return others.empty() ? 0 : median(std::move(others)).value();
}

class Asker {
 public:
  Asker(Reader& reader, const std::vector<NodeId>& nodes, TimeRange range, std::stop_token stop)
      : m_reader(reader), m_nodes(nodes.begin(), nodes.end()), m_range(range), m_stop(std::move(stop)) {}

  Result<PortEvidence> ask() {
    RG_ASSIGN(const auto rates, valuesOf("rdma_link_bytes_per_s", false));
    m_out.ports = rates.size();
    RG_TRY(rate(rates));
    if (m_out.odd) return m_out;
    RG_TRY(counters(kPhysical));
    // Transport errors are counted at both ends: it takes a while until the worse end is clear.
    if (!m_out.odd && m_range.t1 - m_range.t0 >= kTransportTime) RG_TRY(counters(kTransport));
    return m_out;
  }

  Result<std::optional<OddPort>> askCounters() {
    RG_TRY(counters(kPhysical, kAloneTimes));
    return m_out.odd;
  }

 private:
  // Over the range: growth of a counter, mean of a gauge.
  Result<std::vector<Value>> valuesOf(const char* metric, bool counter) {
    SeriesFilter filter;
    filter.metric = metric;
    RG_ASSIGN(const auto all, m_reader.series(filter));
    std::vector<Value> out;
    for (const Series& series : all) {
      if (m_stop.stop_requested()) return Status(Code::kCancelled, "ports: stopped");
      if (series.key.metric != metric || series.sample_count == 0 || !m_nodes.contains(series.key.node)) continue;
      RG_ASSIGN(const auto bins, m_reader.bins(series.id, Axis::kTime, m_range.t0, m_range.t1, 1, m_stop));
      if (bins.empty() || bins.front().count == 0) continue;
      const Bin& bin = bins.front();
      const double value = counter ? std::max(0.0, bin.last - bin.first) : bin.sum / static_cast<double>(bin.count);
      if (std::isfinite(value)) out.push_back({series.key.node, series.key.device, portOf(series), value, series.id});
    }
    return out;
  }

  // The slowest of the ports that are slower than the others and than before: a node's storage port is always the slower one.
  Status rate(const std::vector<Value>& rates) {
    for (std::size_t i = 0; i < rates.size() && rates.size() > 1; ++i) {
      const Value& one = rates[i];
      const double others = medianOfOthers(rates, i);
      if (!(one.value < others * (1 - kRateOff)) || (m_out.odd && m_out.odd->own <= one.value)) continue;
      RG_ASSIGN(const bool fell, hasFallen(one, rates));
      if (!fell) continue;
      accuse(one, "rdma_link_bytes_per_s", others, "");
    }
    return {};
  }

  // Compared with the time before the range; if that is unknown, with ports of the same name on other nodes, if there are any.
  Result<bool> hasFallen(const Value& one, const std::vector<Value>& rates) {
    TimeNs from = 0;
    if (__builtin_sub_overflow(m_range.t0, kBefore, &from)) from = std::numeric_limits<TimeNs>::min();
    RG_ASSIGN(const auto before, m_reader.bins(one.series, Axis::kTime, from, m_range.t0, 1, m_stop));
    if (!before.empty() && before.front().count > 0) return one.value < before.front().max * (1 - kRateOff);
    std::vector<double> twins;
    for (const Value& other : rates)
      if (other.node != one.node && !one.port.empty() && other.port == one.port) twins.push_back(other.value);
    const auto usual = median(std::move(twins));
    return !usual || one.value < *usual * (1 - kRateOff);
  }

  template <std::size_t N>
  Status counters(const std::array<Counter, N>& kinds, double times_fewest = 1) {
    double best = 0;
    for (const Counter& kind : kinds) {
      RG_ASSIGN(const auto grown, valuesOf(kind.metric, true));
      m_out.ports = std::max(m_out.ports, grown.size());
      const auto most = std::ranges::max_element(grown, {}, &Value::value);
      if (most == grown.end() || grown.size() < 2 || most->value < kind.fewest * times_fewest) continue;
      const double others = medianOfOthers(grown, static_cast<std::size_t>(most - grown.begin()));
      const double times = most->value / std::max(others, 1.0);
      if (times < kTimesTheOthers && others > 0) continue;
      if (times <= best) continue;
      best = times;
      accuse(*most, kind.metric, others, kind.words);
    }
    return {};
  }

  void accuse(const Value& value, const char* metric, double others, const char* counter) {
    m_out.odd = OddPort{.node = value.node, .port = value.port, .metric = metric, .own = value.value, .others = others, .counter = counter};
  }

  Reader& m_reader;
  const std::set<NodeId> m_nodes;
  const TimeRange m_range;
  const std::stop_token m_stop;
  PortEvidence m_out;
};

}  // namespace

words::Message portSentence(const OddPort& odd, words::Arg node) {
  using words::Arg;
  using words::Message;
  const Arg port = odd.port.empty() ? Arg(Message{"link_port", {}}) : Arg(odd.port);
  if (odd.counter.empty()) {
    constexpr double kGigabit = 8e-9;  // per byte
    return Message{"link_port_rate",
                   {{"port", port},
                    {"node", std::move(node)},
                    {"own", words::whole(odd.own * kGigabit)},
                    {"others", words::whole(odd.others * kGigabit)}}};
  }
  return Message{"link_port_counted",
                 {{"port", port},
                  {"node", std::move(node)},
                  {"own", words::whole(odd.own)},
                  {"counter", words::Term{odd.counter}},
                  {"others", words::whole(odd.others)}}};
}

Result<std::optional<OddPort>> countingPort(Reader& reader, const std::vector<NodeId>& nodes, TimeRange range, std::stop_token stop) {
  return Asker(reader, nodes, range, std::move(stop)).askCounters();
}

Result<PortEvidence> portEvidence(Reader& reader, const std::vector<NodeId>& nodes, TimeRange range, std::stop_token stop) {
  return Asker(reader, nodes, range, std::move(stop)).ask();
}

}  // namespace runglass
