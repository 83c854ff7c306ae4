// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl incident and `export --incident`: on a store without and with a hub that writes it.
#include <nlohmann/json.hpp>

#include "collectors/hub/server/hub.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using Json = nlohmann::json;

class IncidentCommandTest : public CtlFixture {
 protected:
  void SetUp() override { makeSampleStore(m_store); }
  Outcome incident(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"incident", more.front(), "--store", m_store};
    arguments.insert(arguments.end(), more.begin() + 1, more.end());
    return ctl(arguments);
  }
  Json json(std::vector<std::string> more) {
    more.emplace_back("--json");
    const Outcome outcome = incident(std::move(more));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  std::vector<std::string> byHand(const std::string& title) {
    return {"new", "--run", "pretrain", "--from", "1700000001000000000", "--to", "1700000002000000000", "--title", title};
  }
};

TEST_F(IncidentCommandTest, OneIsMadeOfAFindingAndListedAndShown) {
  const Json made = json({"new", "--finding", "1"});
  EXPECT_EQ(made["title"], "a spike");
  EXPECT_EQ(made["severity"], "warning");
  EXPECT_EQ(made["state"], "open");
  EXPECT_EQ(made["attempt"], 0);
  EXPECT_TRUE(made["start_ns"].is_null()) << "the finding has a step and no time";
  EXPECT_EQ(made["findings"][0]["kind"], "loss_spike");
  ASSERT_EQ(incident(byHand("made by hand")).exit, 0);
  const Json all = json({"list"});
  ASSERT_THAT(all["incidents"], SizeIs(2));
  const std::string text = incident({"show", "2"}).out;
  EXPECT_THAT(text, HasSubstr("made by hand"));
  EXPECT_THAT(text, HasSubstr("2023-11-14 22:13:21Z, 1.00 s"));
  EXPECT_THAT(text, HasSubstr("root cause: not known"));
  EXPECT_EQ(json({"show", made["incident_uuid"]}), json({"show", "1"}));
}

TEST_F(IncidentCommandTest, WhatIsProposedCanBeAcceptedAndIsNotProposedAgain) {
  const Json proposed = json({"propose"});
  ASSERT_THAT(proposed["proposals"], SizeIs(1));
  const std::string key = proposed["proposals"][0]["key"];
  const Json made = json({"new", "--proposal", key, "--note", "seen"});
  EXPECT_EQ(made["incident_uuid"], key);
  EXPECT_EQ(made["title"], proposed["proposals"][0]["title"]);
  EXPECT_EQ(made["findings"][0]["finding_id"], 1);
  EXPECT_EQ(made["notes"], "seen");
  EXPECT_EQ(incident({"propose"}).out, "nothing to propose\n");
  expectFails(incident({"new", "--proposal", "no-such-key"}), "nothing is proposed under no-such-key");
}

TEST_F(IncidentCommandTest, WhatItCostIsReportedOrWhyItIsNot) {
  ASSERT_EQ(incident({"new", "--finding", "1"}).exit, 0);
  const Json answer = json({"show", "1"})["answer"];
  for (const char* const what : {"lost_steps", "gpu_hours"}) {
    const Json& reported = answer["impact"][what];
    EXPECT_TRUE(reported["value"].is_number() || reported["reason"].is_string()) << what << reported;
  }
  EXPECT_FALSE(answer["cards"].empty()) << "a spike is shown on its curve";
  EXPECT_THAT(incident({"show", "1"}).out, HasSubstr("GPU-hours"));
}

TEST_F(IncidentCommandTest, ItIsChangedDismissedAndDeleted) {
  ASSERT_EQ(incident(byHand("it hangs")).exit, 0);
  Json changed =
      json({"set", "1", "--state", "mitigated", "--cause", "nic", "--summary", "a flapping link", "--note", "drained", "--finding", "1"});
  EXPECT_EQ(changed["cause_words"], "Network card");
  EXPECT_EQ(changed["cause_group"], "network");
  EXPECT_EQ(changed["findings"][0]["finding_id"], 1);
  changed = json({"set", "1", "--note", "replaced"});
  EXPECT_EQ(changed["notes"], "drained\n\nreplaced");
  EXPECT_EQ(changed["state"], "mitigated");
  const Json dismissed = json({"dismiss", "1", "--because", "a drill"});
  EXPECT_EQ(dismissed["state"], "dismissed");
  EXPECT_EQ(dismissed["reason"], "a drill");
  EXPECT_TRUE(json({"set", "1", "--state", "open"})["reason"].is_null());
  EXPECT_EQ(json({"delete", "1"})["deleted"], true);
  EXPECT_EQ(incident({"list"}).out, "no incidents\n");
  EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
}

TEST_F(IncidentCommandTest, OneByHandHasCardsAndIsMergedWithTheNotesOfBoth) {
  std::vector<std::string> by_hand = byHand("it hangs");
  by_hand.insert(by_hand.end(), {"--note", "drained"});
  const Json made = json(by_hand);
  EXPECT_THAT(made["evidence"], SizeIs(3)) << "steps, loss and log lines of its time";
  EXPECT_LT(made["evidence"][0]["start_ns"], made["start_ns"]) << "shown with what was before it";
  ASSERT_EQ(incident({"new", "--finding", "1", "--note", "replaced"}).exit, 0);
  const Json merged = json({"merge", "2", "--into", "1"});
  EXPECT_EQ(merged["incident_id"], 1);
  EXPECT_EQ(merged["notes"], "drained\n\n### From “a spike”\n\nreplaced");
  EXPECT_THAT(merged["findings"], SizeIs(1));
  EXPECT_EQ(json({"show", "2"})["state"], "dismissed");
  EXPECT_EQ(json({"show", "2"})["reason"], "merged into “it hangs”");
  expectFails(incident({"merge", "1", "--into", "1"}), "the same incident");
}

TEST_F(IncidentCommandTest, WrongUseIsTwoAndWhatIsNotThereIsOneClearLine) {
  EXPECT_EQ(ctl({"incident", "--store", m_store}).exit, 2);
  EXPECT_EQ(incident({"set", "1", "--state", "dismissed"}).exit, 2) << "dismissing wants a reason";
  EXPECT_EQ(incident({"dismiss", "1"}).exit, 2);
  EXPECT_EQ(incident({"set", "1", "--cause", "gremlins"}).exit, 2);
  expectFails(incident({"show", "7"}), "no incident 7");
  expectFails(incident({"new"}), "wants --finding");
  expectFails(incident({"new", "--finding", "9"}), "no finding 9");
  expectFails(incident({"new", "--from", "5", "--to", "5", "--title", "t"}), "range is empty");
  expectFails(incident({"new", "--run", "nobody", "--from", "5", "--title", "t"}), "no run nobody");
  EXPECT_EQ(ctl({"export", "--store", m_store, "--to", m_folder.file("x.rgl")}).exit, 2);
  EXPECT_EQ(ctl({"export", "--store", m_store, "--run", "1", "--incident", "1", "--to", m_folder.file("x.rgl")}).exit, 2);
  EXPECT_EQ(ctl({"export", "--store", m_store, "--incident", "1", "--csv", m_folder.file("x")}).exit, 2);
  expectFails(ctl({"export", "--store", m_store, "--incident", "1", "--to", m_folder.file("x.rgl")}), "no incident 1");
}

TEST_F(IncidentCommandTest, WhatPeopleTypedDoesNotReachTheTerminalAsControls) {
  ASSERT_EQ(incident(byHand("\x1b[2J\ntwo lines")).exit, 0);
  ASSERT_EQ(incident({"set", "1", "--note", "\x1b]0;x\x07 a\nb", "--summary", "\r\x08"}).exit, 0);
  const std::string shown = incident({"show", "1"}).out + incident({"list"}).out;
  for (const char control : {'\x1b', '\x07', '\r', '\x08'}) EXPECT_EQ(shown.find(control), std::string::npos) << int(control);
  EXPECT_EQ(json({"show", "1"})["title"], "\x1b[2J\ntwo lines");
}

TEST_F(IncidentCommandTest, AHubThatHoldsTheStoreIsAsked) {
  auto hub = Hub::start(m_store, {});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  EXPECT_EQ(json(byHand("while it runs"))["title"], "while it runs");
  EXPECT_EQ(json({"set", "1", "--state", "resolved"})["state"], "resolved");
  ASSERT_TRUE((*hub)->stop().ok());
  EXPECT_THAT(incident({"list"}).out, HasSubstr("resolved"));
}

TEST_F(IncidentCommandTest, ItIsExportedAsAStoreThatIsWhole) {
  ASSERT_EQ(incident(byHand("it hangs")).exit, 0);
  const std::string to = m_folder.file("part.rgl");
  const Outcome outcome = ctl({"export", "--store", m_store, "--incident", "1", "--to", to, "--margin", "0"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(ctl({"verify", "--store", to}).exit, 0);
  m_store = to;
  EXPECT_EQ(query("SELECT title, state FROM incident").out, "title,state\nit hangs,open\n");
  EXPECT_EQ(query("SELECT count(*) FROM series s, sample(s.series_id) WHERE metric = 'power_watts'").out, "count(*)\n1000\n");
  EXPECT_THAT(Json::parse(ctl({"info", "--store", to, "--json"}).out)["incident_uuid"].get<std::string>(), SizeIs(36));
}

}  // namespace
}  // namespace runglass
