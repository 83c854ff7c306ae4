// SPDX-License-Identifier: Apache-2.0
// Alerts sent as OpenTelemetry log records, received by another hub: `runglassctl alert test` to `runglassctl serve --receive`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "storage/open_store.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(OtlpAlerts, AHubStoresTheAlertsOfAnother) {
  const test::TempFolder folder;
  const test::ReservedPort receive;
  const std::string store = folder.file("s.rgl"), rules = folder.file("alerts.toml");
  test::Process hub({"runglassctl", "serve", "--store", store, "--listen", "127.0.0.1:0", "--receive", receive.address()});
  (void)hub.line();
  ASSERT_EQ(hub.line(), "receiving on " + receive.address());
  std::ofstream(rules) << "[target.logs]\notlp = \"http://" << receive.address() << "\"\n";
  Program test({RG_BIN_DIR "/runglassctl", "alert", "test", "--alerts", rules}, folder.file("log"));
  ASSERT_EQ(test.wait(), 0);
  ASSERT_EQ(hub.end(SIGTERM), 0);

  const auto reader = openStore(store).reader().value();
  const auto lines = reader->logs({}).value();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0].text, HasSubstr("this is a test of Runglass's alerts; nothing is wrong"));
  EXPECT_EQ(lines[0].severity, Severity::kInfo);
}

}  // namespace
}  // namespace runglass
