// SPDX-License-Identifier: GPL-3.0-or-later
// The part `gpu_idle` of `runglassctl analyze` through the shipped program.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

class GpuIdlePartTest : public CtlFixture {
 protected:
  Json part() {
    const Outcome outcome = ctl({"analyze", "--store", m_store, "--json"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false)["gpu_idle"];
  }
};

TEST_F(GpuIdlePartTest, TheTextbookTraceWaitsForItsLoader) {
  const std::string trace = RG_SHARED_DATA "/kineto/kineto_resnet50_workers0.json.gz";
  if (!std::filesystem::exists(trace)) GTEST_SKIP() << "no " << trace;
  ASSERT_EQ(ctl({"import", "--store", m_store, trace}).exit, 0);
  const Json idle = part();
  EXPECT_EQ(idle["status"], "ok");
  EXPECT_EQ(idle["basis"], "spans");
  ASSERT_FALSE(idle["causes"].empty());
  EXPECT_EQ(idle["causes"][0]["cause"], "data");
  double sum = 0;
  for (const Json& cause : idle["causes"])
    if (cause["idle"]) sum += cause["share_ratio"].get<double>();
  EXPECT_LE(sum, idle["idle_ratio"].get<double>() + 1e-9);
  double busy = 0;
  for (const char* one : {"compute_ratio", "communication_ratio", "copy_ratio"}) busy += idle["busy"][one].get<double>();
  EXPECT_NEAR(busy + idle["idle_ratio"].get<double>(), 1, 1e-9);
  EXPECT_THAT(ctl({"analyze", "--store", m_store}).out, ::testing::HasSubstr("devices were idle for 35.6 % of 6 steps"));
}

TEST_F(GpuIdlePartTest, ARunOfWhichNothingIsKnownIsInsufficientWithAReason) {
  {
    auto writer = openStore(m_store).writer();
    ASSERT_TRUE(writer.ok());
    (*writer)->attempt({.run = (*writer)->run({.name = "empty"})});
    ASSERT_TRUE((*writer)->close().ok());
  }
  const Json idle = part();
  EXPECT_EQ(idle["status"], "insufficient");
  EXPECT_FALSE(idle["reason"].get<std::string>().empty());
  EXPECT_FALSE(idle.contains("idle_ratio")) << "absent is not zero";
  EXPECT_THAT(ctl({"analyze", "--store", m_store}).out, ::testing::Not(::testing::HasSubstr("idle")));
}

}  // namespace
}  // namespace runglass
