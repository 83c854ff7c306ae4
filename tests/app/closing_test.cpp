// SPDX-License-Identifier: GPL-3.0-or-later
// A window closes or shows another store at once, even while queries of the first one are running; the objects they use are destroyed after
// them.
#include <gtest/gtest.h>

#include <semaphore>

#include "app/console/closing_sessions.h"
#include "app/console/console.h"
#include "tests/storage/sample_store.h"
#include "tests/support/wait_until.h"
#include "tests/widgets/offscreen.h"

namespace runglass {
namespace {

// A query that runs until it is released: it does not check its stop token, like a long read from a damaged or remote disk.
class BlockedQuery {
 public:
  explicit BlockedQuery(QueryService& queries) {
    queries.submit<int>(
        m_slot, QueryService::Supersede::kCancelOlder,
        [block = m_block, used = m_used](Reader& reader, std::stop_token) -> Result<int> {
          block->begun = true;
          (void)block->release.try_acquire_for(test::kDeadline);
          RG_ASSIGN(const std::vector<Run> runs, reader.runs());  // the Reader is alive
          return static_cast<int>(runs.size());
        },
        [](const auto&) { ADD_FAILURE() << "an answer came after the session was closed"; });
    m_used.reset();
    EXPECT_TRUE(waitFor([&] { return m_block->begun.load(); }));
  }
  ~BlockedQuery() { release(); }
  void release() {
    if (!std::exchange(m_released, true)) m_block->release.release();
  }
  bool runs() const { return !m_watched.expired(); }

 private:
  struct Block {
    std::atomic<bool> begun = false;
    std::binary_semaphore release{0};
  };
  std::shared_ptr<Block> m_block = std::make_shared<Block>();
  std::shared_ptr<int> m_used = std::make_shared<int>();
  std::weak_ptr<int> m_watched = m_used;
  QuerySlot m_slot;
  bool m_released = false;
};

class ClosingTest : public testing::Test {
 protected:
  void SetUp() override {
    makeSampleStore(m_first);
    makeSampleStore(m_second);
  }
  test::TempFolder m_folder;
  const std::string m_first = m_folder.file("first.rgl"), m_second = m_folder.file("second.rgl");
};

TEST_F(ClosingTest, AnotherStoreIsShownWhileAQueryOfTheFirstRuns) {
  auto console = std::make_unique<Console>(SessionOptions{.store = m_first}, Place{.view = "overview"}, nullptr);
  ASSERT_TRUE(waitFor([&] { return console->placed().has_value(); }));
  BlockedQuery query(*console->queries());
  emit console->window().openStoreRequested(QString::fromStdString(m_second));
  EXPECT_TRUE(waitFor([&] { return console->queries() != nullptr && !console->placed().has_value(); }));
  EXPECT_TRUE(waitFor([&] { return console->placed().has_value(); }));
  EXPECT_TRUE(console->placed()->ok()) << console->placed()->message();
  EXPECT_TRUE(query.runs()) << "the window waited for the query";
  query.release();
  console.reset();
  EXPECT_FALSE(query.runs()) << "the program ended before the query did";
}

TEST_F(ClosingTest, ASessionClosesOnAThreadOfItsOwn) {
  ClosingSessions closing;
  auto session = std::make_unique<StoreSession>(SessionOptions{.store = m_first});
  BlockedQuery query(session->queries());
  closing.add(std::move(session));
  EXPECT_TRUE(query.runs()) << "the call waited for the query";
  query.release();
  EXPECT_TRUE(waitFor([&] { return !query.runs(); }));
}

TEST_F(ClosingTest, AHubOfTheSameStoreStartsOnceTheSessionBeforeHasClosed) {
  ClosingSessions closing;
  auto first = std::make_unique<StoreSession>(SessionOptions{.store = m_first, .hub = HubOptions()});
  ASSERT_TRUE(waitFor([&] { return first->edits().refusal().isEmpty(); }));
  BlockedQuery query(first->queries());
  closing.add(std::move(first));
  SessionOptions again{.store = m_first, .hub = HubOptions()};
  again.after = closing.before(again);
  EXPECT_EQ(again.after.size(), 1u);
  EXPECT_TRUE(closing.before({.store = m_second}).empty()) << "what only reads another store need not wait";
  StoreSession second(again);
  EXPECT_EQ(second.status().role, QStringLiteral("opening …"));
  query.release();
  ASSERT_TRUE(waitFor([&] { return second.edits().refusal().isEmpty(); }));
  EXPECT_TRUE(second.status().role.startsWith(QLatin1String("hub on "))) << second.status().role.toStdString();
  EXPECT_FALSE(second.status().problem.has_value()) << second.status().problem.value_or(QString()).toStdString();
}

}  // namespace
}  // namespace runglass
