// SPDX-License-Identifier: Apache-2.0
// Output of dcgmi diag, as text and with -j, of DCGM 2 to 4. A result of a test is `test_failed_count` of its GPU: 0 passed, 1 failed;
// tests that were skipped have none.
#include <algorithm>
#include <charconv>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/json_documents.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/input/tool_score.h"
#include "collectors/importers/measurements/test_text.h"
#include "collectors/text/quantity.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;

enum class Outcome : std::uint8_t { kPass, kFail, kWarn, kOther };

Outcome outcomeOf(std::string_view text) {
  const std::string low = lowered(trimmed(text));
  if (low.starts_with("pass")) return Outcome::kPass;
  if (low.starts_with("fail")) return Outcome::kFail;
  return low.starts_with("warn") ? Outcome::kWarn : Outcome::kOther;
}

class Diagnostic {
 public:
  explicit Diagnostic(TestResults& out) : m_out(out) {}

  // `gpu`: none for tests of the node.
  void result(const std::string& test, std::optional<std::int32_t> gpu, Outcome outcome, const std::string& why) {
    if (outcome == Outcome::kOther || !m_out.recording) return;
    ++m_results;
    const DeviceId device = gpu ? m_out.device({.index = gpu, .bus_id = {}, .model = {}}) : DeviceId{};
    m_out.value(device, "test_failed_count", {{"test", test}, {"tool", "dcgmi diag"}}, outcome == Outcome::kFail ? 1 : 0);
    if (outcome == Outcome::kPass) return;
    m_failed += outcome == Outcome::kFail ? 1 : 0;
    m_out.failed(test, device,
                 "dcgmi diag: " + test + (outcome == Outcome::kFail ? " failed" : " warns") +
                     (gpu ? " on GPU " + std::to_string(*gpu) : "") + (why.empty() ? "" : ": " + why),
                 false, outcome == Outcome::kFail ? Severity::kError : Severity::kWarning);
  }
  void end() {
    if (m_results > 0)
      m_out.finished("dcgmi diag", "dcgmi diag: " + std::to_string(m_results) + " results, " + std::to_string(m_failed) + " failed");
    m_results = m_failed = 0;
  }
  bool recording() const { return m_out.recording; }
  // The following results are of this test, whose last line may be before the current one.
  void recordOnly(bool recording) { m_out.recording = recording; }
  void driver(std::string_view version) { m_out.fact("driver_version", version); }

 private:
  TestResults& m_out;
  int m_results = 0, m_failed = 0;
};

// "0", "0,1,2", "GPU: 3" -> numbers.
std::vector<std::int32_t> numbersIn(std::string_view text) {
  std::vector<std::int32_t> all;
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string_view::npos && all.size() < 64;
       at = text.find_first_of("0123456789", at)) {
    std::int32_t value = 0;
    const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (parsed.ec != std::errc()) break;
    all.push_back(value);
    at = static_cast<std::size_t>(parsed.ptr - text.data());
  }
  return all;
}

std::string joined(const Json& value) {
  if (value.is_array()) {
    std::string all;
    for (const Json& one : value)
      if (const std::string text = joined(one); !text.empty() && all.size() < 1'024) all += (all.empty() ? "" : "; ") + text;
    return all;
  }
  if (value.is_object()) return value.contains("warning") ? joined(value["warning"]) : std::string();
  return textIn(value);
}

class DcgmDiagJsonImporter : public Importer {
 public:
  std::string_view kind() const override { return "dcgm_diag_json"; }
  int recognise(const ImportProbe& probe) const override {
    return opensJson(probe.head) && (probe.head.find("\"DCGM Diagnostic\"") != std::string_view::npos ||
                                     probe.head.find("\"DCGM GPU Diagnostic\"") != std::string_view::npos)
               ? kToolOutput
               : 0;
  }
  // The offset counts documents.
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    report.committed_offset = target.resume_at;
    if (!target.final) return {};
    RG_ASSIGN(const JsonDocuments read, readJsonDocuments(in, target.path, stop));
    TestResults results(target, out);
    for (std::size_t i = target.resume_at; i < read.documents.size(); ++i) {
      const Json& document = read.documents[i];
      if (!document.is_object()) continue;
      for (const char* key : {"DCGM Diagnostic", "DCGM GPU Diagnostic"})
        if (document.contains(key) && document[key].is_object()) diagnostic(document, document[key], results);
    }
    results.finish(report);
    report.committed_offset = std::max<std::uint64_t>(read.documents.size(), target.resume_at);
    if (!read.problem.empty()) report.partial_reason = target.path + ": " + read.problem;
    return {};
  }

 private:
  static void diagnostic(const Json& document, const Json& root, TestResults& out) {
    Diagnostic diagnostic(out);
    for (const Json* place : {&document, &root})
      for (const char* key : {"Driver Version Detected", "metadata"})
        if (place->contains(key)) {
          const Json& value = (*place)[key];
          if (value.is_string()) diagnostic.driver(value.get<std::string>());
          if (value.is_object() && value.contains("Driver Version Detected")) diagnostic.driver(textIn(value["Driver Version Detected"]));
        }
    const auto categories = root.find("test_categories");
    if (categories == root.end() || !categories->is_array()) return;
    for (const Json& category : *categories) {
      if (!category.is_object() || !category.contains("tests") || !category["tests"].is_array()) continue;
      for (const Json& test : category["tests"]) {
        if (!test.is_object() || !test.contains("results") || !test["results"].is_array()) continue;
        const std::string name = displayName(test.contains("name") ? textIn(test["name"]) : std::string());
        for (const Json& result : test["results"])
          if (result.is_object()) one(name, result, diagnostic);
      }
    }
    diagnostic.end();
  }
  // DCGM 4: entity_group and entity_id; before: gpu_id, or gpu_ids of several.
  static void one(const std::string& test, const Json& result, Diagnostic& diagnostic) {
    const Outcome outcome = outcomeOf(result.contains("status") ? textIn(result["status"]) : std::string());
    const std::string why = result.contains("warnings") ? joined(result["warnings"]) : std::string();
    if (result.contains("entity_id") && result.contains("entity_group")) {
      const auto ids = numbersIn(textIn(result["entity_id"]));
      const bool gpu = textIn(result["entity_group"]) == "GPU" && !ids.empty();
      return diagnostic.result(test, gpu ? std::optional(ids.front()) : std::nullopt, outcome, why);
    }
    const char* const key = result.contains("gpu_id") ? "gpu_id" : "gpu_ids";
    const auto gpus = result.contains(key) ? numbersIn(textIn(result[key])) : std::vector<std::int32_t>();
    for (const std::int32_t gpu : gpus) diagnostic.result(test, gpu, outcome, why);
    if (gpus.empty()) diagnostic.result(test, std::nullopt, outcome, why);
  }
};

class DcgmDiagText {
 public:
  explicit DcgmDiagText(TestResults& out) : m_diagnostic(out) {}

  // "| GPU Memory                | Fail - GPU: 3                                  |", then "| Warning                   | GPU 3 ... |"
  void line(std::string_view text) {
    text = trimmed(text);
    if (!text.starts_with('|')) return;
    const bool recording = m_diagnostic.recording();
    const std::size_t bar = text.find('|', 1), last = text.rfind('|');
    if (bar == std::string_view::npos || last <= bar) return;
    const std::string_view name = trimmed(text.substr(1, bar - 1)), value = trimmed(text.substr(bar + 1, last - bar - 1));
    if (name.starts_with("Driver Version")) return m_diagnostic.driver(value);
    if (name == "Warning" || name.starts_with("Warning:")) {
      if (m_why.size() < 1'024) m_why += (m_why.empty() ? "" : "; ") + std::string(value);
      m_fresh |= recording;
      return;
    }
    if (name == "Info" || name.starts_with("Info:")) return;
    // Without a name: the previous text continues, or DCGM 4 prints "GPU3: Fail".
    if (name.empty()) {
      if (value.starts_with("GPU") && value.find(": ") != std::string_view::npos) {
        const auto gpus = numbersIn(value.substr(0, value.find(':')));
        if (gpus.size() == 1) m_each.emplace_back(gpus.front(), outcomeOf(value.substr(value.find(": ") + 2)));
        m_fresh |= recording;
      } else if (!m_why.empty() && m_why.size() < 1'024) {
        m_why.append(1, ' ').append(value);
      }
      return;
    }
    flush();
    if (outcomeOf(value) == Outcome::kOther) return;
    m_test = displayName(name), m_value = value, m_fresh = recording;
  }
  void end() {
    flush();
    m_diagnostic.end();
  }

 private:
  void flush() {
    if (m_test.empty()) return;
    const bool now = m_diagnostic.recording();
    m_diagnostic.recordOnly(m_fresh);
    const Outcome outcome = outcomeOf(m_value);
    const std::size_t colon = m_value.find(':');
    const auto gpus = colon == std::string::npos ? std::vector<std::int32_t>() : numbersIn(std::string_view(m_value).substr(colon));
    if (!m_each.empty())
      for (const auto& [gpu, own] : m_each) m_diagnostic.result(m_test, gpu, own, m_why);
    else if (!gpus.empty())
      for (const std::int32_t gpu : gpus) m_diagnostic.result(m_test, gpu, outcome, m_why);
    else
      m_diagnostic.result(m_test, std::nullopt, outcome, m_why);
    m_diagnostic.recordOnly(now);
    m_test.clear(), m_value.clear(), m_why.clear(), m_each.clear();
  }

  Diagnostic m_diagnostic;
  std::string m_test, m_value, m_why;
  bool m_fresh = false;  // a line of the test is after resume_at
  std::vector<std::pair<std::int32_t, Outcome>> m_each;
};

class DcgmDiagImporter : public Importer {
 public:
  std::string_view kind() const override { return "dcgm_diag"; }
  int recognise(const ImportProbe& probe) const override {
    const std::string_view head = probe.head.substr(0, 4'096);
    return beginsLine(head, "| Diagnostic ") && head.find("| Result ") != std::string_view::npos ? kToolOutput : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    TestResults results(target, out);
    DcgmDiagText text(results);
    return readTestText(
        in, target, report, stop, results, [&](std::string_view line) { text.line(line); }, [&] { text.end(); });
  }
};

}  // namespace

std::unique_ptr<Importer> makeDcgmDiagImporter() { return std::make_unique<DcgmDiagImporter>(); }
std::unique_ptr<Importer> makeDcgmDiagJsonImporter() { return std::make_unique<DcgmDiagJsonImporter>(); }

}  // namespace runglass
