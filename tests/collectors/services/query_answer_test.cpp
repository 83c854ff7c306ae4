// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/query_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(QueryAnswer, SamplesKeepTheirTimesToTheMillisecondAndTheirValuesToTheBit) {
  // Prometheus 2.42.
  std::string body =
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0","instance":"gpu-01:9400"},)"
      R"("values":[[1700000000.123,"72.03"],[1700000015,"0.1"],[1700000030.1,"NaN"],[1700000045,"+Inf"],[1700000060,"1.5e+06"]]}]}})";
  const auto answer = parseQueryAnswer(QueryKind::kSamples, body);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_EQ(answer->matrix.size(), 1U);
  const QueriedColumn& column = answer->matrix.front();
  EXPECT_THAT(column.labels, ElementsAre(Pair("__name__", "DCGM_FI_DEV_POWER_USAGE"), Pair("gpu", "0"), Pair("instance", "gpu-01:9400")));
  EXPECT_THAT(column.time, ElementsAre(1'700'000'000'123'000'000, 1'700'000'015'000'000'000, 1'700'000'030'100'000'000,
                                       1'700'000'045'000'000'000, 1'700'000'060'000'000'000));
  EXPECT_EQ(column.value[0], 72.03);
  EXPECT_TRUE(std::isnan(column.value[2]));
  EXPECT_EQ(column.value[3], std::numeric_limits<double>::infinity());
  EXPECT_EQ(column.value[4], 1.5e6);
}

TEST(QueryAnswer, VictoriaMetricsReportsAPartialAnswerBeforeTheData) {
  std::string body = R"({"status":"success","isPartial":true,"data":{"resultType":"matrix","result":[]},"stats":{"seriesFetched": "0"}})";
  const auto answer = parseQueryAnswer(QueryKind::kSamples, body);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_TRUE(answer->partial);
  EXPECT_TRUE(answer->matrix.empty());
}

TEST(QueryAnswer, ThanosWarnsOfAStoreThatDidNotAnswer) {
  std::string body =
      R"({"status":"success","data":["node_load1","up"],"warnings":["receive series from Addr: sidecar:10901: rpc error"],"infos":["x"]})";
  const auto answer = parseQueryAnswer(QueryKind::kLabelValues, body);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_THAT(answer->texts, ElementsAre("node_load1", "up"));
  EXPECT_THAT(answer->warnings, ElementsAre("receive series from Addr: sidecar:10901: rpc error"));
}

TEST(QueryAnswer, AnErrorHasItsTypeAndWords) {
  std::string body =
      R"({"status":"error","errorType":"execution","error":"query processing would load too many samples into memory in query execution"})";
  const auto answer = parseQueryAnswer(QueryKind::kSamples, body);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->error_type, "execution");
  EXPECT_EQ(answer->error, "query processing would load too many samples into memory in query execution");
}

TEST(QueryAnswer, LabelSetsAndTypes) {
  std::string series =
      R"({"status":"success","data":[{"__name__":"node_load1","instance":"a:9100"},{"__name__":"node_load1","job":"n\"1"}]})";
  const auto sets = parseQueryAnswer(QueryKind::kSeries, series);
  ASSERT_TRUE(sets.ok());
  ASSERT_EQ(sets->series.size(), 2U);
  EXPECT_THAT(sets->series[1], ElementsAre(Pair("__name__", "node_load1"), Pair("job", "n\"1")));
  std::string metadata =
      R"({"status":"success","data":{"node_cpu_seconds_total":[{"type":"counter","help":"Seconds","unit":""}],"node_load1":[{"type":"gauge","help":"","unit":""}]}})";
  const auto types = parseQueryAnswer(QueryKind::kMetadata, metadata);
  ASSERT_TRUE(types.ok());
  EXPECT_THAT(types->types, ElementsAre(Pair("node_cpu_seconds_total", "counter"), Pair("node_load1", "gauge")));
}

TEST(QueryAnswer, UnreadableSamplesAreCountedAndTheOthersKept) {
  std::string body =
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"x"],["a","1"],[2,"3"],[3]],"histograms":[[1,{"count":"3"}]]}]}})";
  const auto answer = parseQueryAnswer(QueryKind::kSamples, body);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->unreadable, 3);
  EXPECT_THAT(answer->matrix.front().value, ElementsAre(3.0));
}

TEST(QueryAnswer, EveryCutAndOtherTextIsRefusedWithoutACrash) {
  const std::string whole =
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":[[1700000000.123,"72.03"]]}]},"warnings":["w"]})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string cut = whole.substr(0, size);
    EXPECT_FALSE(parseQueryAnswer(QueryKind::kSamples, cut).ok()) << cut;
  }
  for (const char* other :
       {"", "<html>502 Bad Gateway</html>", "[]", "{}", "null", "{\"status\":3}", "{\"status\":\"success\",\"data\":3}"}) {
    std::string text = other;
    EXPECT_FALSE(parseQueryAnswer(QueryKind::kSamples, text).ok()) << other;
  }
  std::string deep = "{\"status\":\"success\",\"data\":" + std::string(100'000, '[');
  EXPECT_FALSE(parseQueryAnswer(QueryKind::kSamples, deep).ok());
}

}  // namespace
}  // namespace runglass
