// SPDX-License-Identifier: Apache-2.0
// Output of nvbandwidth, as text and with -j. A cell of a matrix belongs to its row's GPU where rows are GPUs, else to its column's.
// Columns of multinode tests are processes, which the text lists with host and device.
#include <algorithm>
#include <map>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/json_documents.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/input/tool_score.h"
#include "collectors/importers/measurements/test_text.h"
#include "collectors/text/quantity.h"
#include "model/number_text.h"

namespace runglass {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMaxCells = 1'024;

class Matrix {
 public:
  explicit Matrix(TestResults& out) : m_out(out) {}

  struct Process {
    std::string host;
    std::int32_t device;
  };
  std::map<std::int32_t, Process> processes;  // of multinode tests

  void begin(std::string test, std::string_view description) {
    m_test = std::move(test);
    m_latency = description.find("(ns)") != std::string_view::npos;
    m_rows_are_gpus = description.find("GPU(row)") != std::string_view::npos;
    m_columns_are_gpus = description.find("GPU(column)") != std::string_view::npos;
    m_multinode = m_test.starts_with("multinode_");
  }

  void cell(std::int32_t row, std::int32_t column, double value) {
    // Old versions print 0 where a GPU would copy to itself.
    if (m_rows_are_gpus && m_columns_are_gpus && row == column && value == 0) return;
    const std::int32_t own = m_rows_are_gpus ? row : column;
    nlohmann::json labels = {{"test", m_test}};
    if (m_rows_are_gpus && m_columns_are_gpus)
      labels["peer"] = placeOf(column);
    else if (!m_rows_are_gpus)
      labels["peer"] = "cpu" + std::to_string(row);
    std::int32_t index = own;
    if (m_multinode) {
      const auto process = processes.find(own);
      if (process == processes.end()) return m_out.badLine(m_test + ": process " + std::to_string(own) + " is not listed");
      m_out.onHost(process->second.host);
      index = process->second.device;
    }
    m_out.value(m_out.device({.index = index, .bus_id = {}, .model = {}}), m_latency ? "test_latency_ns" : "test_bandwidth_bytes_per_s",
                labels, m_latency ? value : value * 1e9);
  }

  void sum(const std::string& test, double value) {
    m_out.finished(test, test + ": sum " + numberText(value) + (m_latency ? " ns" : " GB/s"));
  }

 private:
  std::string placeOf(std::int32_t column) const {
    const auto process = processes.find(column);
    if (m_multinode && process != processes.end()) return process->second.host + "/gpu" + std::to_string(process->second.device);
    return "gpu" + std::to_string(column);
  }

  TestResults& m_out;
  std::string m_test;
  bool m_latency = false, m_rows_are_gpus = false, m_columns_are_gpus = false, m_multinode = false;
};

class NvbandwidthText {
 public:
  explicit NvbandwidthText(TestResults& out) : m_out(out), m_matrix(out) {}

  void line(std::string_view text) {
    const std::string_view content = trimmed(text);
    const auto words = wordsOf(content);
    if (words.empty()) {
      m_columns.clear();
    } else if (words[0] == "Running" && words.size() == 2) {
      m_test = displayName(words[1].ends_with('.') ? words[1].substr(0, words[1].size() - 1) : words[1]);
      m_described = false, m_columns.clear();
    } else if (words[0] == "Process" && words.size() > 4 && words[3] == "device") {
      process(words);
    } else if (content.starts_with("Driver Version:")) {
      m_out.fact("driver_version", words.back());
    } else if (words[0] == "SUM" && words.size() == 3) {
      if (const auto value = decimal(words[2])) m_matrix.sum(displayName(words[1]), *value);
    } else if (content.starts_with("ERROR") || content.starts_with("[ERROR]") || content.starts_with("Error:")) {
      m_out.failed(m_test.empty() ? "nvbandwidth" : m_test, {}, "nvbandwidth: " + std::string(content));
    } else if (!m_test.empty() && (content.ends_with("(GB/s)") || content.ends_with("(GB/s):") || content.ends_with("(ns)"))) {
      m_matrix.begin(m_test, content);
      m_described = true, m_columns.clear();
    } else if (m_described && m_columns.empty()) {
      for (const std::string_view word : words)
        if (const auto column = parseIndex(word)) m_columns.push_back(*column);
    } else if (m_described && words.size() == m_columns.size() + 1) {
      row(words, text);
    }
  }

 private:
  // "Process 4 (worker-1): device 0: HGX GB200 (00000008:01:00)"
  void process(const std::vector<std::string_view>& words) {
    const auto number = parseIndex(words[1]), device = parseIndex(words[4].substr(0, words[4].find(':')));
    std::string_view host = words[2];
    if (host.starts_with('(')) host.remove_prefix(1);
    host = host.substr(0, host.find(')'));
    if (number && device && m_matrix.processes.size() < kMaxCells) m_matrix.processes[*number] = {displayName(host), *device};
  }
  void row(const std::vector<std::string_view>& words, std::string_view text) {
    const auto row = parseIndex(words[0]);
    if (!row || m_columns.size() > kMaxCells) return m_out.badLine(text);
    for (std::size_t i = 0; i < m_columns.size(); ++i)
      if (const auto value = decimal(words[i + 1]))
        m_matrix.cell(*row, m_columns[i], *value);
      else if (words[i + 1] != "N/A")
        m_out.badLine(text);
  }

  TestResults& m_out;
  Matrix m_matrix;
  std::string m_test;
  bool m_described = false;
  std::vector<std::int32_t> m_columns;
};

class NvbandwidthImporter : public Importer {
 public:
  std::string_view kind() const override { return "nvbandwidth"; }
  int recognise(const ImportProbe& probe) const override {
    if (opensJson(probe.head)) return 0;
    return probe.head.find("\nRunning ") != std::string_view::npos && probe.head.find("memcpy") != std::string_view::npos &&
                   (probe.head.find("nvbandwidth") != std::string_view::npos || probe.head.find("GPU(column)") != std::string_view::npos)
               ? kToolOutput
           : probe.head.starts_with("Running ") && probe.head.find("GPU(column)") != std::string_view::npos ? kToolOutput
                                                                                                            : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    TestResults results(target, out);
    NvbandwidthText text(results);
    return readTestText(
        in, target, report, stop, results, [&](std::string_view line) { text.line(line); }, [] {});
  }
};

class NvbandwidthJsonImporter : public Importer {
 public:
  std::string_view kind() const override { return "nvbandwidth_json"; }
  int recognise(const ImportProbe& probe) const override {
    return opensJson(probe.head) && probe.head.find("\"nvbandwidth\"") != std::string_view::npos ? kToolOutput : 0;
  }
  // The offset counts documents.
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    report.committed_offset = target.resume_at;
    if (!target.final) return {};
    RG_ASSIGN(const JsonDocuments read, readJsonDocuments(in, target.path, stop));
    TestResults results(target, out);
    for (std::size_t i = target.resume_at; i < read.documents.size(); ++i)
      if (const OrderedJson& document = read.documents[i];
          document.is_object() && document.contains("nvbandwidth") && document["nvbandwidth"].is_object())
        tests(document["nvbandwidth"], results);
    results.finish(report);
    report.committed_offset = std::max<std::uint64_t>(read.documents.size(), target.resume_at);
    if (!read.problem.empty()) report.partial_reason = target.path + ": " + read.problem;
    return {};
  }

 private:
  static void tests(const OrderedJson& root, TestResults& out) {
    if (const auto host = root.find("Hostname"); host != root.end()) out.onHost(textIn(*host));
    if (const auto driver = root.find("Driver Version"); driver != root.end()) out.fact("driver_version", textIn(*driver));
    const auto cases = root.find("testcases");
    if (cases == root.end() || !cases->is_array()) return;
    for (const OrderedJson& test : *cases) {
      if (!test.is_object()) continue;
      const auto text = [&](const char* key) { return test.contains(key) ? textIn(test[key]) : std::string(); };
      const std::string name = displayName(text("name"));
      if (text("status") == "Error") out.failed(name, {}, "nvbandwidth: " + name + ": " + text("error"));
      Matrix matrix(out);
      matrix.begin(name, text("bandwidth_description"));
      const auto rows = test.find("bandwidth_matrix");
      if (rows == test.end() || !rows->is_array()) continue;
      for (std::size_t row = 0; row < std::min(rows->size(), kMaxCells); ++row)
        if (const OrderedJson& cells = (*rows)[row]; cells.is_array())
          for (std::size_t column = 0; column < std::min(cells.size(), kMaxCells); ++column)
            if (const auto value = numberIn(cells[column]))
              matrix.cell(static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), *value);
      if (test.contains("sum"))
        if (const auto sum = numberIn(test["sum"])) matrix.sum(name, *sum);
    }
  }
};

}  // namespace

std::unique_ptr<Importer> makeNvbandwidthImporter() { return std::make_unique<NvbandwidthImporter>(); }
std::unique_ptr<Importer> makeNvbandwidthJsonImporter() { return std::make_unique<NvbandwidthJsonImporter>(); }

}  // namespace runglass
