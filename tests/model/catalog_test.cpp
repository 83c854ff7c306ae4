// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "model/device_catalog.h"
#include "model/fault_catalog.h"
#include "model/issue_catalog.h"
#include "model/metric_catalog.h"

namespace runglass {
namespace {

std::set<std::string> codesInSources() {
  std::set<std::string> codes;
  // Matches issue codes as literals "room.name", in issue("…") and in Issue{.code = "…"}.
  const std::regex literal(R"re((?:\bcode\s*=\s*|[iI]ssue\w*\s*[({]\s*)"([a-z0-9_]+\.[a-z0-9_]+)")re");
  for (const char* room : {"storage", "collectors", "analysis"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(RG_SOURCE_DIR) / room)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string body = text.str();
      for (std::sregex_iterator it(body.begin(), body.end(), literal), end; it != end; ++it) codes.insert((*it)[1].str());
    }
  }
  return codes;
}

TEST(MetricCatalog, RefusesWhatAMetricCannotBe) {
  EXPECT_TRUE(isPlausible(*findMetric("gpu_busy_ratio"), 1.02)) << "an interval's ends differ a little";
  EXPECT_FALSE(isPlausible(*findMetric("gpu_busy_ratio"), 8.5e10));
  EXPECT_TRUE(isPlausible(*findMetric("process_cpu_ratio"), 12)) << "of several cores";
  EXPECT_TRUE(isPlausible(*findMetric("temperature_celsius"), -5));
  EXPECT_FALSE(isPlausible(*findMetric("temperature_celsius"), 65'535));
  EXPECT_TRUE(isPlausible(*findMetric("temperature_celsius"), std::nan("")));
  EXPECT_TRUE(isPlausible(*findMetric("power_watts"), 1e9));
}

TEST(MetricCatalog, NamesCarryTheirUnitAndAreUnique) {
  std::set<std::string_view> seen;
  for (const MetricInfo& metric : metricCatalog()) {
    EXPECT_TRUE(seen.insert(metric.name).second) << metric.name << " is listed twice";
    EXPECT_EQ(metric.unit, unitOfMetric(metric.name)) << metric.name;
    EXPECT_FALSE(metric.title.empty()) << metric.name;
    EXPECT_TRUE(metric.help.ends_with('.')) << metric.name << ": the help is a sentence";
    EXPECT_EQ(findMetric(metric.name)->name, metric.name);
  }
  EXPECT_EQ(findMetric("no_such_metric"), nullptr);
}

TEST(FaultCatalog, XidsOfTheFieldNotesHaveARowOfTheirOwn) {
  for (const char* code : {"13", "31", "43", "45", "48", "61", "62", "63", "64", "69", "74", "79", "92", "94", "95", "119"}) {
    const FaultInfo* const row = findFault("xid", code);
    ASSERT_NE(row, nullptr) << code;
    EXPECT_EQ(row->code, code);
    EXPECT_FALSE(row->advice.empty()) << code;
  }
}

TEST(IssueCatalog, EveryCodeIsUniqueAndExplainsItself) {
  std::set<std::string_view> seen;
  for (const IssueInfo& issue : issueCatalog()) {
    EXPECT_TRUE(seen.insert(issue.code).second) << issue.code << " is listed twice";
    EXPECT_NE(issue.code.find('.'), std::string_view::npos) << issue.code;
    EXPECT_GE(issue.help.size(), 30U) << issue.code << ": say what it means and what to do";
    EXPECT_EQ(findIssue(issue.code)->code, issue.code);
  }
}

TEST(IssueCatalog, HoldsEveryCodeThatTheSourcesRecord) {
  for (const std::string& code : codesInSources())
    EXPECT_NE(findIssue(code), nullptr) << code << " is recorded but not in issue_catalog.cpp";
}

TEST(DeviceCatalog, KnowsTheNamesThatDriversReport) {
  const auto peak = [](std::string_view name) { return findDevicePeak(name) == nullptr ? 0 : findDevicePeak(name)->dense_flops_per_s; };
  EXPECT_DOUBLE_EQ(peak("NVIDIA H100 80GB HBM3"), 989.4e12);
  EXPECT_DOUBLE_EQ(peak("NVIDIA H100 PCIe"), 756e12);
  EXPECT_DOUBLE_EQ(peak("NVIDIA H200"), 989.4e12);
  EXPECT_DOUBLE_EQ(peak("NVIDIA H20"), 148e12);
  EXPECT_DOUBLE_EQ(peak("NVIDIA A100-SXM4-80GB"), 312e12);
  EXPECT_DOUBLE_EQ(peak("Tesla V100-SXM2-32GB"), 125e12);
  EXPECT_DOUBLE_EQ(peak("simulated H100-SXM"), 989.4e12);
  EXPECT_DOUBLE_EQ(peak("NVIDIA H1000"), 0);
  EXPECT_DOUBLE_EQ(peak(""), 0);
  EXPECT_DOUBLE_EQ(peak("AMD Instinct MI300X"), 1307.4e12);
  EXPECT_DOUBLE_EQ(peak("HL-225"), 432e12);
}

TEST(DeviceCatalog, KeepsDenseAndSparsePeaksApartForEachPrecision) {
  const DeviceSpec* h100 = findDevice("NVIDIA H100 80GB HBM3");
  ASSERT_NE(h100, nullptr);
  EXPECT_DOUBLE_EQ(*h100->at(Precision::kBf16).dense_flops_per_s, 989.4e12);
  EXPECT_DOUBLE_EQ(*h100->at(Precision::kBf16).sparse_flops_per_s, 1978.9e12);
  EXPECT_DOUBLE_EQ(*h100->at(Precision::kFp8).dense_flops_per_s, 1978.9e12);
  EXPECT_FALSE(h100->at(Precision::kFp4).dense_flops_per_s);
  EXPECT_DOUBLE_EQ(*h100->memory_bytes, 80e9);
  EXPECT_DOUBLE_EQ(*h100->memory_bytes_per_s, 3.35e12);
}

TEST(DeviceCatalog, SparseIsNeverTheMeasureAndNeverLessThanDense) {
  for (const DeviceSpec& device : deviceCatalog()) {
    EXPECT_FALSE(device.source.empty()) << device.name;
    EXPECT_EQ(findDevice(device.name), &device) << device.name << ": a more general name before it hides it";
    for (const PrecisionPeak& peak : device.peaks) {
      if (peak.sparse_flops_per_s) {
        ASSERT_TRUE(peak.dense_flops_per_s) << device.name;
        EXPECT_GT(*peak.sparse_flops_per_s, 1.3 * *peak.dense_flops_per_s) << device.name;
        EXPECT_LT(*peak.sparse_flops_per_s, 2.1 * *peak.dense_flops_per_s) << device.name;
      }
    }
    if (const DevicePeak* measure = findDevicePeak(device.name)) {
      const auto bf16 = device.at(Precision::kBf16).dense_flops_per_s, fp16 = device.at(Precision::kFp16).dense_flops_per_s;
      EXPECT_DOUBLE_EQ(measure->dense_flops_per_s, bf16 ? *bf16 : *fp16) << device.name;
    }
  }
}

TEST(DeviceCatalog, ASliceOfADeviceHasNotTheDevicesPeak) {
  EXPECT_EQ(findDevice("NVIDIA A100-SXM4-40GB MIG 1g.5gb"), nullptr);
  EXPECT_EQ(findDevicePeak("NVIDIA H100 80GB HBM3 MIG 3g.40gb"), nullptr);
}

TEST(DeviceCatalog, ADeviceWithoutAPublishedPeakIsKnownButHasNone) {
  EXPECT_NE(findDevice("Ascend 910B"), nullptr);
  EXPECT_EQ(findDevicePeak("Ascend 910B"), nullptr);
  EXPECT_EQ(precisionFromName("bf16"), Precision::kBf16);
  EXPECT_FALSE(precisionFromName("bf17"));
}

}  // namespace
}  // namespace runglass
