// SPDX-License-Identifier: Apache-2.0
// A hub whose store reaches its cap with data that is never deleted.
#include <gmock/gmock.h>

#include <filesystem>
#include <mutex>

#include "collectors/agent/wire_recorder.h"
#include "collectors/hub/server/hub.h"
#include "collectors/hub/watch/watch.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::RawAgent;
using test::waitUntil;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kEventsEach = 25;

// By cap.
class FullStore : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void serve(std::int64_t cap) {
    HubOptions options;
    options.retention = Retention{.max_bytes = cap};
    m_hub = std::move(Hub::start(m_store, options)).value();
    WatchOptions watching{.analyses = {}, .period = 20 * kNsPerMs};
    watching.alerts = defaultAlerts(true);
    watching.desktop = [this](const AlertMessage& message) {
      const std::lock_guard lock(m_mutex);
      m_shown.push_back(message.title);
    };
    m_watch = std::make_unique<Watch>(m_store, *m_hub, watching);
  }
  void stop() {
    m_watch->stop();
    m_watch.reset();
    ASSERT_TRUE(m_hub->stop().ok());
    m_hub.reset();
  }
  std::vector<std::string> shown() {
    const std::lock_guard lock(m_mutex);
    return m_shown;
  }
  std::vector<std::string> rows(std::string_view sql) const { return sqlRows(*openStore(m_store).reader().value(), sql); }
  std::int64_t fileBytes() const { return static_cast<std::int64_t>(std::filesystem::file_size(m_store)); }
  // Warnings, which are kept as long as the run.
  static std::string warnings() {
    SessionDictionary dictionary;
    WireRecorder out(
        dictionary, [] { return wallNow(); }, [] {});
    for (std::int64_t at = 0; at < kEventsEach; ++at)
      out.event({.time = wallNow(), .kind = "filler", .severity = Severity::kWarning, .message = std::string(4'000, 'x')});
    return out.take(StreamClass::kEvents);
  }

  test::TempFolder m_dir;
  const std::string m_store = m_dir.file("s.rgl");
  std::unique_ptr<Hub> m_hub;
  std::unique_ptr<Watch> m_watch;
  std::mutex m_mutex;
  std::vector<std::string> m_shown;
};

TEST_P(FullStore, RefusesAtItsCapNotifiesOnceAndGoesOnWithALargerCap) {
  const std::int64_t cap = GetParam();
  serve(cap);
  std::uint64_t acknowledged = 0;
  std::int64_t largest = 0;
  {
    RawAgent agent(m_hub->address());
    ASSERT_TRUE(agent.join(agent.hello()));
    while (acknowledged < 1'000 && agent.send(RawAgent::batch(0, acknowledged, warnings())) && agent.waitForAck(0, acknowledged + 1)) {
      ++acknowledged;
      largest = std::max(largest, fileBytes());
    }
    const grpc::Status ended = agent.finish();
    EXPECT_EQ(ended.error_code(), grpc::StatusCode::UNAVAILABLE) << ended.error_message();
    EXPECT_THAT(ended.error_message(), HasSubstr("cannot take data now"));
  }
  ASSERT_TRUE(waitUntil([&] { return m_hub->stats().store_error.find("at its cap") != std::string::npos; }));
  {
    RawAgent other(m_hub->address());
    EXPECT_FALSE(other.join(other.hello("s", "other")));
    EXPECT_THAT(other.finish().error_message(), HasSubstr("at its cap"));
  }
  ASSERT_TRUE(waitUntil([&] { return shown().size() == 1; }));
  EXPECT_THAT(shown()[0], HasSubstr("at its cap"));
  stop();
  largest = std::max(largest, fileBytes());
  RecordProperty("percent_of_cap", static_cast<int>(largest * 100 / cap));
  EXPECT_LE(largest, cap * 11 / 10);
  EXPECT_THAT(rows("SELECT count(*) > 0 FROM ingest_issue WHERE code = 'store.over_cap'"), ElementsAre("1"));

  serve(2 * cap);
  RawAgent agent(m_hub->address());
  const auto welcome = agent.join(agent.hello());
  ASSERT_TRUE(welcome) << agent.finish().error_message();
  ASSERT_GT(welcome->resume_size(), 0);
  std::uint64_t next = welcome->resume(0).next_seq();
  EXPECT_GE(next, acknowledged);
  ASSERT_TRUE(agent.send(RawAgent::batch(0, next, warnings())) && agent.waitForAck(0, next + 1));
  ASSERT_TRUE(waitUntil([&] { return rows("SELECT count(*) FROM alert WHERE end_ns IS NOT NULL") == std::vector<std::string>{"1"}; }));
  agent.done();
  stop();
  EXPECT_THAT(shown(), SizeIs(1)) << "that it ended is no message";
  EXPECT_THAT(rows("SELECT kind, count(*) FROM event GROUP BY kind HAVING kind LIKE 'store%' ORDER BY kind"),
              ElementsAre("store_full|1", "store_has_room|1"));
  EXPECT_THAT(rows("SELECT count(*) FROM event WHERE kind = 'filler'"),
              ElementsAre(std::to_string((next + 1) * static_cast<std::uint64_t>(kEventsEach))));
  EXPECT_THAT(*openStore(m_store).reader().value()->verify(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(MiB, FullStore, ::testing::Values(8 << 20, 24 << 20, 64 << 20),
                         [](const auto& cap) { return std::to_string(cap.param >> 20); });

}  // namespace
}  // namespace runglass
