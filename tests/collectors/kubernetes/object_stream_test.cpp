// SPDX-License-Identifier: Apache-2.0
#include "collectors/kubernetes/object_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectors/kubernetes/kube_object.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Cut {
  explicit Cut(std::string_view text, std::size_t piece = 1'000'000) {
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
      stream.push(text.substr(0, piece), [&](std::string_view json, std::string_view kind) {
        objects.emplace_back(json);
        kinds.emplace_back(kind);
      });
  }
  ObjectStream stream;
  std::vector<std::string> objects, kinds;
};

constexpr std::string_view kList = R"({
    "kind": "PodList", "apiVersion": "v1",
    "metadata": {"resourceVersion": "7", "continue": "more]"},
    "items": [
        {"metadata": {"name": "a", "note": "} ] \" ,"}},
        {"metadata": {"name": "b"}, "items": [1, {"x": []}]}
    ]
}
)";

TEST(ObjectStream, ItemsOfAListComeOneByOneWithTheListsKindAndTheListFollows) {
  for (const std::size_t piece : {1UL, 7UL, 1'000UL}) {
    const Cut cut(kList, piece);
    EXPECT_THAT(cut.objects,
                ElementsAre(R"({"metadata":{"name":"a","note":"} ] \" ,"}})", R"({"metadata":{"name":"b"},"items":[1,{"x":[]}]})",
                            R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"more]"},"items":[]})"));
    EXPECT_THAT(cut.kinds, ElementsAre("PodList", "PodList", ""));
    EXPECT_EQ(cut.stream.completeEnd(), kList.size() - 1);
  }
}

TEST(ObjectStream, ObjectsOneAfterTheOtherAreCutWhereverThePiecesEnd) {
  const Cut cut("{\"a\":1}\n{\n \"b\": {}\n}{\"c\":[]}\n{\"d\"", 3);
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}", "{\"b\":{}}", "{\"c\":[]}"));
  EXPECT_TRUE(cut.stream.cut());
  EXPECT_EQ(cut.stream.completeEnd(), 28);
}

TEST(ObjectStream, AnItemThatIsTooLargeOrTooDeepCostsOnlyItself) {
  const std::string large = "{\"x\":\"" + std::string(3U << 20, 'x') + "\"}";
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Cut cut("{\"items\":[" + large + ",{\"y\":" + deep + "},{\"z\":1}]}");
  EXPECT_THAT(cut.objects, ElementsAre("{\"z\":1}", "{\"items\":[]}"));
  EXPECT_EQ(cut.stream.tooLarge(), 1);
  EXPECT_EQ(cut.stream.tooDeep(), 1);
}

TEST(ObjectStream, AnythingBetweenObjectsIsCounted) {
  const Cut cut("error: lost\n{\"a\":1}\n]]\n");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}"));
  EXPECT_EQ(cut.stream.garbage(), 2);
}

TEST(KubeObject, HostileJsonIsRefusedInWords) {
  EXPECT_EQ(parseKubeChange("{", "").status().message(), "not a JSON object");
  EXPECT_EQ(parseKubeChange("[]", "").status().message(), "not a JSON object");
  EXPECT_EQ(parseKubeChange("{\"a\":1}", "").status().message(), "an object without a kind");
  // Wrong types everywhere are absent values.
  const auto odd = parseKubeChange(
      R"({"kind":"Pod","metadata":[],"spec":{"containers":{"a":[1]},"nodeName":7},"status":{"conditions":"x","containerStatuses":[1,{"state":[]}]}})",
      "");
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->object.pod->node, "");
  EXPECT_THAT(odd->object.conditions, IsEmpty());
}

TEST(KubeObject, LinesOfAWatchHaveATypeAndAnErrorItsStatus) {
  const auto bookmark = parseKubeChange(
      R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12746","creationTimestamp":null},"spec":{"containers":null},"status":{}}})",
      "");
  ASSERT_TRUE(bookmark.ok());
  EXPECT_EQ(bookmark->type, KubeChange::Type::kBookmark);
  EXPECT_EQ(bookmark->object.version, "12746");
  const auto gone = parseKubeChange(
      R"j({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (2)","reason":"Expired","code":410}})j",
      "");
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->type, KubeChange::Type::kError);
  EXPECT_EQ(gone->status, 410);
  EXPECT_EQ(gone->message, "too old resource version: 1 (2)");
}

}  // namespace
}  // namespace runglass
