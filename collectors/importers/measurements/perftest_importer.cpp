// SPDX-License-Identifier: Apache-2.0
// Output of perftest: ib_write_bw, ib_read_bw, ib_send_bw, ib_write_lat, ... Its MB are MiB. A peak of 0 is printed where none was
// measured.
#include <algorithm>
#include <utility>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/input/tool_score.h"
#include "collectors/importers/measurements/test_text.h"
#include "collectors/text/quantity.h"
#include "model/number_text.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

// "RDMA_Write BW Test" -> "ib_write_bw".
std::string testNameOf(std::string_view title) {
  std::string low = lowered(trimmed(title));
  if (!low.ends_with(" test")) return {};
  low.resize(low.size() - 5);
  if (low.starts_with("rdma_")) low.erase(0, 5);
  for (const auto& [word, name] : {std::pair{"bidirectional bw", "bw"}, {"latency", "lat"}})
    if (const std::size_t at = low.find(word); at != std::string::npos) low.replace(at, std::string_view(word).size(), name);
  std::replace(low.begin(), low.end(), ' ', '_');
  const bool known = low.ends_with("_bw") || low.ends_with("_lat");
  return known ? "ib_" + low : std::string();
}

// "GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:224:05:57" -> "10.224.5.57"; "" for others.
std::string addressOf(std::string_view gid) {
  constexpr std::string_view kMapped = ":255:255:";
  const std::size_t at = gid.find(kMapped);
  if (at == std::string_view::npos) return {};
  std::string text;
  for (std::string_view rest = gid.substr(at + kMapped.size()); !rest.empty();) {
    std::string_view part = trimmed(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), rest.find(':') == std::string_view::npos ? rest.size() : rest.find(':') + 1));
    while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    if (part.empty() || part.find_first_not_of("0123456789") != std::string_view::npos) return {};
    text.append(text.empty() ? "" : ".").append(part);
  }
  return text;
}

class Perftest {
 public:
  Perftest(TestResults& out) : m_out(out) {}

  void line(std::string_view text) {
    const std::string_view content = trimmed(text);
    if (const std::string name = testNameOf(content); !name.empty()) {
      end();
      m_test = name;
      m_bidirectional = content.find("Bidirectional") != std::string_view::npos;
    } else if (const std::size_t device = content.find("Device         :"); device != std::string_view::npos) {
      const auto words = wordsOf(content.substr(device + 16));
      if (!words.empty()) m_device = displayName(words.front());
    } else if (const std::size_t qps = content.find("Number of qps   :"); qps != std::string_view::npos) {
      const auto words = wordsOf(content.substr(qps + 17));
      if (!words.empty()) m_qps = displayName(words.front());
    } else if (content.starts_with("remote address:")) {
      m_remote = true;
    } else if (content.starts_with("local address:")) {
      m_remote = false;
    } else if (content.starts_with("GID:") && m_remote && m_peer.empty()) {
      m_peer = addressOf(content);
    } else if (content.starts_with("CUDA device") || content.find("allocated GPU buffer") != std::string_view::npos) {
      m_gpu_memory = true;
    } else if (content.starts_with("#bytes")) {
      header(content);
    } else if (!m_columns.empty()) {
      row(content, text);
    }
  }

  void end() {
    const bool now = std::exchange(m_out.recording, m_fresh);
    if (!m_best.empty())
      m_out.finished(name(),
                     name() + (m_device.empty() ? "" : " on " + m_device) + (m_peer.empty() ? "" : " to " + m_peer) + ": " + m_best);
    m_columns.clear();
    m_test.clear(), m_device.clear(), m_qps.clear(), m_peer.clear(), m_best.clear();
    m_gpu_memory = m_remote = m_bidirectional = false;
    m_best_value.reset();
    m_fresh = false;
    m_out.recording = now;
  }

 private:
  struct Column {
    const char *metric = nullptr, *statistic = nullptr;  // nullptr: not recorded
    double unit = 1;
    bool peak = false;
  };

  std::string name() const { return m_test.empty() ? "perftest" : m_test; }

  // "#bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]".
  void header(std::string_view text) {
    m_columns.clear();
    constexpr double kMebi = 1'048'576, kGigabit = 125e6, kMicro = 1e3;
    std::string_view rest = text;
    while (!rest.empty()) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      if (rest.empty()) break;
      // "BW average[Gb/sec]" and "99% percentile[usec]" have a space in them.
      const std::size_t bracket = rest.find(']'), space = rest.find_first_of(" \t");
      std::size_t end = std::min(space, rest.size());
      for (const std::string_view two_words : {"BW ", "99% ", "99.9% ", "tps "})
        if (rest.starts_with(two_words))
          end = bracket == std::string_view::npos || two_words == "tps "
                    ? std::min(rest.find_first_of(" \t", two_words.size()), rest.size())
                    : bracket + 1;
      const std::string_view column = rest.substr(0, end);
      rest.remove_prefix(end);
      const double bandwidth = column.find("Gb/sec") != std::string_view::npos ? kGigabit : kMebi;
      if (column.starts_with("BW peak"))
        m_columns.push_back({"test_bandwidth_bytes_per_s", "peak", bandwidth, true});
      else if (column.starts_with("BW average"))
        m_columns.push_back({"test_bandwidth_bytes_per_s", "average", bandwidth});
      else if (column.starts_with("MsgRate"))
        m_columns.push_back({"test_messages_per_s", "average", 1e6});
      else if (column.starts_with("t_min"))
        m_columns.push_back({"test_latency_ns", "min", kMicro});
      else if (column.starts_with("t_max"))
        m_columns.push_back({"test_latency_ns", "max", kMicro});
      else if (column.starts_with("t_typical"))
        m_columns.push_back({"test_latency_ns", "typical", kMicro});
      else if (column.starts_with("t_avg"))
        m_columns.push_back({"test_latency_ns", "average", kMicro});
      else if (column.starts_with("99% "))
        m_columns.push_back({"test_latency_ns", "p99", kMicro});
      else if (column.starts_with("99.9% "))
        m_columns.push_back({"test_latency_ns", "p999", kMicro});
      else
        m_columns.push_back({});
    }
  }

  void row(std::string_view content, std::string_view text) {
    if (content.empty() || content.front() < '0' || content.front() > '9') return;
    const auto words = wordsOf(content);
    // Some versions leave out the last column.
    if (words.size() < 3 || words.size() > m_columns.size() + 1) return m_out.badLine(text);
    m_fresh |= m_out.recording;
    DeviceId nic;
    if (!m_device.empty()) nic = m_out.device({.kind = "nic", .index = {}, .bus_id = m_device, .model = m_device});
    Json labels = {{"test", name()}, {"bytes", std::string(words[0])}};
    if (!m_peer.empty()) labels["peer"] = m_peer;
    if (!m_qps.empty()) labels["qps"] = m_qps;
    if (m_gpu_memory) labels["memory"] = "gpu";
    if (m_bidirectional) labels["direction"] = "both";
    for (std::size_t i = 0; i < std::min(words.size(), m_columns.size()); ++i) {
      const Column& column = m_columns[i];
      if (column.metric == nullptr) continue;
      const auto number = decimal(words[i]);
      if (!number) return m_out.badLine(text);
      if (column.peak && *number == 0) continue;
      labels["statistic"] = column.statistic;
      const double value = *number * column.unit;
      m_out.value(nic, column.metric, labels, value);
      const bool bandwidth = std::string_view(column.metric) == "test_bandwidth_bytes_per_s";
      if (std::string_view(column.statistic) != "average" || std::string_view(column.metric) == "test_messages_per_s") continue;
      if (!m_best_value || (bandwidth ? value > *m_best_value : value < *m_best_value)) {
        m_best_value = value;
        m_best = bandwidth ? numberText(value * 8 / 1e9) + " Gb/s at " + std::string(words[0]) + " B"
                           : numberText(value / 1e3) + " us at " + std::string(words[0]) + " B";
      }
    }
  }

  TestResults& m_out;
  std::string m_test, m_device, m_qps, m_peer, m_best;
  std::optional<double> m_best_value;
  bool m_fresh = false;  // a row of the test is after resume_at
  bool m_remote = false, m_gpu_memory = false, m_bidirectional = false;
  std::vector<Column> m_columns;
};

class PerftestImporter : public Importer {
 public:
  std::string_view kind() const override { return "perftest"; }
  int recognise(const ImportProbe& probe) const override {
    const std::size_t table = probe.head.find("#bytes");
    if (table == std::string_view::npos) return 0;
    const std::size_t begin = probe.head.substr(0, table).find_last_of("\r\n") + 1;  // 0 where there is none
    if (probe.head.substr(begin, table - begin).find_first_not_of(" \t") != std::string_view::npos) return 0;
    const std::string_view line = probe.head.substr(table, probe.head.find('\n', table) - table);
    return line.find("BW average[") != std::string_view::npos || line.find("[usec]") != std::string_view::npos ? kToolOutput : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    TestResults results(target, out);
    Perftest test(results);
    return readTestText(
        in, target, report, stop, results, [&](std::string_view line) { test.line(line); }, [&] { test.end(); });
  }
};

}  // namespace

std::unique_ptr<Importer> makePerftestImporter() { return std::make_unique<PerftestImporter>(); }

}  // namespace runglass
