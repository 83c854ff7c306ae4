// SPDX-License-Identifier: Apache-2.0
// Links survive writing and reading; invalid ones are refused with the reason.
#include "model/place_link.h"

#include <gmock/gmock.h>

#include <limits>
#include <utility>

namespace runglass {
namespace {

using ::testing::HasSubstr;

TEST(PlaceLink, IsTheSameAfterBeingWrittenAndRead) {
  const std::vector<PlaceLink> links = {{.store_uuid = "s"},
                                        {.store_uuid = "6f1-2",
                                         .run_uuid = "run/1 ä",
                                         .view = "gpus",
                                         .t0 = -5,
                                         .t1 = std::numeric_limits<TimeNs>::max(),
                                         .select = "rank=3,node=n&1=?#%"},
                                        {.store_uuid = "a b", .run_uuid = "", .view = "", .t1 = 7},
                                        {.store_uuid = "s", .at = 1'795'211'434'000'000'001}};
  for (const PlaceLink& link : links) {
    const std::string text = linkText(link);
    EXPECT_TRUE(isLink(text));
    EXPECT_EQ(text.find(' '), std::string::npos);
    const auto back = parseLink(text);
    ASSERT_TRUE(back.ok()) << text << ": " << back.status().message();
    EXPECT_EQ(*back, link) << text;
  }
  EXPECT_EQ(linkText({.store_uuid = "s", .run_uuid = "r", .view = "gpus", .t0 = 1, .t1 = 2, .select = "rank=3,step=4"}),
            "runglass://s/run/r?view=gpus&t0=1&t1=2&select=rank=3,step=4");
}

TEST(PlaceLink, AFindingLeadsToTheViewOfItsEvidence) {
  for (const auto& [kind, view] :
       {std::pair("hang", "topology"), std::pair("stall", "topology"), std::pair("loss_spike", "curves"), std::pair("non_finite", "curves"),
        std::pair("slow_rank", "ranking"), std::pair("slow_link", "ranking"), std::pair("stage_imbalance", "ranking"),
        std::pair("throughput_shift", "overview"), std::pair("hardware_fault", "events"), std::pair("of a newer program", "events")})
    EXPECT_STREQ(viewOfFinding(kind), view) << kind;
}

TEST(PlaceLink, ReadsWhatANewerProgramWroteAndRefusesWhatIsNone) {
  EXPECT_EQ(parseLink("runglass://s/run/r?zoom=3&view=runs").value().view, "runs");
  EXPECT_EQ(parseLink("runglass://s/").value().store_uuid, "s");
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{{"https://s/run/r", "does not begin"},
                                                                                  {"runglass://", "names no store"},
                                                                                  {"runglass:///run/r", "names no store"},
                                                                                  {"runglass://s/incident/5", "/run/UUID"},
                                                                                  {"runglass://s/run/r/x", "/run/UUID"},
                                                                                  {"runglass://s?t0=noon", "no time"},
                                                                                  {"runglass://s?t0=1e9", "no time"},
                                                                                  {"runglass://s?view=%", "hex digits"},
                                                                                  {"runglass://s?view=%0", "hex digits"},
                                                                                  {"runglass://s?view=%zz", "hex digits"},
                                                                                  {"runglass://s?view=%00", "hex digits"},
                                                                                  {"runglass://" + std::string(5'000, 'x'), "too long"}}) {
    const auto parsed = parseLink(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), Code::kInvalidArgument);
    EXPECT_THAT(parsed.status().message(), HasSubstr(why)) << text;
  }
}

}  // namespace
}  // namespace runglass
