// SPDX-License-Identifier: Apache-2.0
// Output of nccl-tests (all_reduce_perf and others; rccl-tests prints the same): a row per message size. A collective's bandwidth belongs
// to every node that took part; where nodes x sizes exceed kMaxHostRows, it is recorded once, for the first node. The test's name is that
// of its command or of "Collective test starting"; older versions do not print it.
#include <algorithm>
#include <iterator>
#include <set>
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

constexpr double kGigabyte = 1e9, kMicrosecond = 1e3;
// A row has up to 8 values for each host: the limit keeps a test below half of DeviceSeries::kMaxSeries.
constexpr std::size_t kMaxRanks = 65'536, kMaxRows = 4'096, kMaxHostRows = 4'096;

// "all_reduce_perf" of a command, path or title.
std::string testNameIn(std::string_view text) {
  constexpr std::string_view kEnd = "_perf";
  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && ((text[begin - 1] >= 'a' && text[begin - 1] <= 'z') || text[begin - 1] == '_')) --begin;
  return begin == end ? std::string() : std::string(text.substr(begin, end + kEnd.size() - begin));
}

class NcclTest {
 public:
  NcclTest(const ImportTarget& target, TestResults& out) : m_out(out), m_file_test(testNameIn(target.file_name)) {}

  void line(std::string_view text) {
    if (const std::string name = testNameIn(text); !name.empty()) {
      if (text.find("Collective test starting") != std::string_view::npos) end();
      m_test = name;
    }
    const auto words = wordsOf(text);
    if (words.empty()) return;
    if (words[0] != "#") {
      if (m_columns && words.size() >= kMinFields) row(words, text);
      return;
    }
    // "#  Rank  0 Group  0 Pid   6899 on host1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3"
    if (words.size() > 9 && words[1] == "Rank") return rank(words);
    if (words.size() > 8 && words[1] == "size" && text.find("busbw") != std::string_view::npos) {
      if (!m_rows.empty()) end();
      m_columns = true;
      m_checked = text.find("#wrong") != std::string_view::npos;
    }
    if (text.find("Out of bounds values") != std::string_view::npos)
      m_out_of_bounds = std::string(words.back()), m_fresh |= m_out.recording;
    if (text.find("Avg bus bandwidth") != std::string_view::npos) {
      m_average = decimal(words.back());
      m_fresh |= m_out.recording;
      end();
    }
  }

  // Records a whole test.
  void end() {
    if (m_rows.empty()) return;
    // The line that ends a test can be one of the next test.
    const bool now = std::exchange(m_out.recording, m_fresh);
    const std::string test = m_test.empty() ? (m_file_test.empty() ? "nccl_tests" : m_file_test) : m_test;
    double wrong = 0;
    std::string wrong_sizes;
    for (const Row& row : m_rows) {
      for (const Half& half : row.halves) {
        if (half.wrong.value_or(0) > 0) {
          wrong += *half.wrong;
          if (wrong_sizes.size() < 80) wrong_sizes += (wrong_sizes.empty() ? "" : ", ") + row.size + " B";
        }
      }
    }
    const std::vector<std::string> hosts = recordedHosts();
    for (const Row& row : m_rows) {
      if (!row.fresh) continue;
      for (const Half& half : row.halves) {
        const Json labels = {{"test", test},
                             {"bytes", row.size},
                             {"type", row.type},
                             {"place", half.place},
                             {"ranks", std::to_string(m_ranks)},
                             {"nodes", std::to_string(std::max<std::size_t>(m_hosts.size(), 1))}};
        for (const std::string& host : hosts) {
          m_out.onHost(host);
          m_out.value({}, "test_bus_bandwidth_bytes_per_s", labels, half.bus * kGigabyte);
          m_out.value({}, "test_bandwidth_bytes_per_s", labels, half.algorithm * kGigabyte);
          m_out.value({}, "test_time_ns", labels, half.time_us * kMicrosecond);
          if (half.wrong) m_out.value({}, "test_wrong_count", labels, *half.wrong);
        }
      }
    }
    std::string what = test + " of " + std::to_string(m_ranks) + (m_ranks == 1 ? " rank" : " ranks");
    if (!m_hosts.empty()) what += " on " + hostsText();
    std::string result = what;
    if (m_average) result += ": " + numberText(*m_average) + " GB/s average bus bandwidth";
    if (wrong == 0 && m_checked) result += ", no wrong value";
    m_out.onHost(hosts.front());
    m_out.finished(test, result);
    if (wrong > 0 || m_out_of_bounds == "FAILED") {
      const DeviceId device =
          m_devices.size() == 1 ? m_out.device({.index = m_devices.begin()->second, .bus_id = {}, .model = m_model}) : DeviceId{};
      m_out.failed(test, device, what + ": " + numberText(wrong) + " wrong values" + (wrong_sizes.empty() ? "" : " at " + wrong_sizes),
                   m_hosts.size() > 1);
    }
    m_rows.clear(), m_hosts.clear(), m_devices.clear();
    m_ranks = 0, m_columns = m_fresh = false;
    m_out.recording = now;
    m_average.reset();
    m_out_of_bounds.clear(), m_model.clear();
  }

 private:
  static constexpr std::size_t kMinFields = 11;  // size, count, type, and four numbers of each half
  struct Half {
    const char* place;
    double time_us, algorithm, bus;
    std::optional<double> wrong;
  };
  struct Row {
    std::string size, type;
    std::vector<Half> halves;
    bool fresh;  // after resume_at
  };

  // "": the file's node. A large test is recorded once: every host would have the same values.
  std::vector<std::string> recordedHosts() const {
    if (m_hosts.empty()) return {""};
    const bool large = m_hosts.size() * m_rows.size() > kMaxHostRows;
    return {m_hosts.begin(), large ? std::next(m_hosts.begin()) : m_hosts.end()};
  }

  std::string hostsText() const {
    constexpr std::size_t kShown = 4;
    std::string text;
    std::size_t shown = 0;
    for (const std::string& host : m_hosts)
      if (shown++ < kShown) text += (text.empty() ? "" : ", ") + host;
    return m_hosts.size() > kShown ? text + " and " + std::to_string(m_hosts.size() - kShown) + " more nodes" : text;
  }

  void rank(const std::vector<std::string_view>& words) {
    if (!m_rows.empty()) end();
    const auto on = std::ranges::find(words, "on"), device = std::ranges::find(words, "device");
    if (on == words.end() || device == words.end() || device - on != 2 || words.end() - device < 3 || m_ranks >= kMaxRanks) return;
    ++m_ranks;
    const std::string host = displayName(*(on + 1));
    m_hosts.insert(host);
    const auto index = parseIndex(*(device + 1));
    if (!index) return;
    m_devices.emplace(host, *index);
    const char* const model = words.end() - device > 3 ? (device + 3)->data() : nullptr;
    if (model != nullptr)
      m_model = displayName(std::string_view(model, static_cast<std::size_t>(words.back().data() + words.back().size() - model)));
  }

  void row(const std::vector<std::string_view>& words, std::string_view text) {
    Row row{.size = std::string(words[0]), .type = std::string(words[2]), .halves = {}, .fresh = m_out.recording};
    const bool sized = row.size.find_first_not_of("0123456789") == std::string::npos;
    for (const std::size_t at : {words.size() - 8, words.size() - 4}) {
      const auto time = decimal(words[at]), algorithm = decimal(words[at + 1]), bus = decimal(words[at + 2]);
      if (!time || !algorithm || !bus) continue;
      row.halves.push_back({.place = at == words.size() - 8 ? "out-of-place" : "in-place",
                            .time_us = *time,
                            .algorithm = *algorithm,
                            .bus = *bus,
                            .wrong = m_checked ? decimal(words[at + 3]) : std::nullopt});
    }
    if (!sized || row.halves.empty()) return m_out.badLine(text);
    m_fresh |= row.fresh;
    if (m_rows.size() < kMaxRows) m_rows.push_back(std::move(row));
  }

  TestResults& m_out;
  std::string m_file_test, m_test, m_model, m_out_of_bounds;
  std::size_t m_ranks = 0;
  std::set<std::string> m_hosts;
  std::set<std::pair<std::string, std::int32_t>> m_devices;
  bool m_columns = false, m_checked = false, m_fresh = false;  // m_fresh: a line of the test is after resume_at
  std::vector<Row> m_rows;
  std::optional<double> m_average;
};

class NcclTestsImporter : public Importer {
 public:
  std::string_view kind() const override { return "nccl_tests"; }
  int recognise(const ImportProbe& probe) const override {
    // The list of ranks of a large job fills the head.
    const bool title = beginsLine(probe.head, "# nThread");
    const bool table = probe.head.find("algbw") != std::string_view::npos && probe.head.find("busbw") != std::string_view::npos;
    return (title && (table || beginsLine(probe.head, "#  Rank "))) || (table && beginsLine(probe.head, "#       size")) ? kToolOutput : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    TestResults results(target, out);
    NcclTest test(target, results);
    return readTestText(
        in, target, report, stop, results, [&](std::string_view line) { test.line(line); }, [&] { test.end(); });
  }
};

}  // namespace

std::unique_ptr<Importer> makeNcclTestsImporter() { return std::make_unique<NcclTestsImporter>(); }

}  // namespace runglass
