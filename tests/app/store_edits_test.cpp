// SPDX-License-Identifier: GPL-3.0-or-later
// The console's EditPort in each case: its own hub, another process's hub, a store without a writer, a read-only store.
#include "app/console/store_edits.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>
#include <QCoreApplication>

#include <QSignalSpy>
#include <QThread>
#include <array>
#include <thread>

#include "app/cli/store_access.h"
#include "app/console/store_session.h"
#include "storage/open_store.h"
#include "tests/storage/sample_store.h"
#include "tests/widgets/offscreen.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class StoreEditsTest : public ::testing::Test {
 protected:
  void SetUp() override { makeSampleStore(m_store); }
  // The port's answer, once it arrived.
  Status edit(StoreSession& session, Edit edit) {
    std::optional<Status> said;
    session.edits().submit(std::move(edit), &m_context, [&](const Status& status) {
      EXPECT_EQ(QThread::currentThread(), m_context.thread());
      said = status;
    });
    EXPECT_FALSE(said.has_value()) << "the GUI thread waited";
    EXPECT_TRUE(waitFor([&] { return said.has_value(); }));
    return said.value_or(Status(Code::kInternal, "nothing was said"));
  }
  static Note note(const std::string& text) { return {.run_uuid = "run-uuid-1", .author = "ada", .text = text}; }
  // As views read them: through a query worker whose Reader is already open.
  std::size_t notesIn(StoreSession& session) {
    std::optional<std::size_t> count;
    QuerySlot slot;
    session.queries().submit<std::vector<Note>>(
        slot, QueryService::Supersede::kCancelOlder, [](Reader& reader, std::stop_token) { return reader.notes(RunId{1}); },
        [&](const Result<std::shared_ptr<const std::vector<Note>>>& answer) {
          EXPECT_TRUE(answer.ok()) << answer.status().message();
          count = answer.ok() ? (*answer)->size() : 0;
        });
    EXPECT_TRUE(waitFor([&] { return count.has_value(); }));
    return count.value_or(0);
  }
  bool canEdit(StoreSession& session) {
    return waitFor([&] { return session.edits().refusal().isEmpty(); });
  }

  test::TempFolder m_folder;
  std::string m_store = m_folder.file("s.rgl");
  QObject m_context;
};

TEST_F(StoreEditsTest, TheOwnHubMakesTheEdit) {
  StoreSession session({.store = m_store, .hub = HubOptions()});
  ASSERT_TRUE(canEdit(session));
  ASSERT_EQ(notesIn(session), 0u);
  const Status made = edit(session, note("x"));
  EXPECT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(notesIn(session), 1u);
}

TEST_F(StoreEditsTest, TheHubOfAnotherProcessIsAsked) {
  auto hub = Hub::start(m_store, {});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  StoreSession session({.store = m_store});
  ASSERT_TRUE(canEdit(session));
  ASSERT_EQ(notesIn(session), 0u);
  const Status made = edit(session, note("x"));
  EXPECT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(notesIn(session), 1u);
  EXPECT_FALSE(session.status().problem.has_value());
}

TEST_F(StoreEditsTest, AStoreThatNobodyWritesIsWrittenForTheMomentAndReadersGoOn) {
  StoreSession session({.store = m_store});
  ASSERT_TRUE(canEdit(session));
  ASSERT_EQ(notesIn(session), 0u);
  for (std::size_t i = 1; i <= 3; ++i) {
    const Status made = edit(session, note("x"));
    EXPECT_TRUE(made.ok()) << made.message();
    EXPECT_EQ(notesIn(session), i);
  }
  EXPECT_FALSE(holderOf(m_store).has_value());
}

TEST_F(StoreEditsTest, AStoreThatMayNotBeWrittenSaysSo) {
  ASSERT_EQ(::chmod(m_folder.path().c_str(), 0555), 0);
  ASSERT_EQ(::chmod(m_store.c_str(), 0444), 0);
  // Root can write whatever the file's mode.
  const uid_t me = ::geteuid();
  ASSERT_TRUE(me != 0 || ::seteuid(65'534) == 0);
  {
    StoreSession session({.store = m_store});
    EXPECT_EQ(notesIn(session), 0u);
    EXPECT_THAT(session.edits().refusal().toStdString(), HasSubstr("read-only"));
    EXPECT_EQ(edit(session, note("x")).code(), Code::kPermissionDenied);
  }
  EXPECT_EQ(::seteuid(me), 0);
  EXPECT_EQ(::chmod(m_folder.path().c_str(), 0755), 0);
}

TEST_F(StoreEditsTest, AWriterThatTakesNoEditsIsNamedInTheAnswer) {
  const auto writer = openStore(m_store).writer();
  ASSERT_TRUE(writer.ok());
  StoreSession session({.store = m_store});
  ASSERT_TRUE(canEdit(session));
  const Status refused = edit(session, note("x"));
  EXPECT_EQ(refused.code(), Code::kUnavailable);
  EXPECT_THAT(refused.message(), HasSubstr(std::to_string(::getpid())));
  EXPECT_THAT(session.status().problem.value_or("").toStdString(), HasSubstr("takes no edits"));
}

TEST_F(StoreEditsTest, AnEditWhoseViewIsGoneIsMadeAndReportedNowhere) {
  {
    StoreSession session({.store = m_store});
    QObject view;
    session.edits().submit(note("kept"), &view, [](const Status&) { ADD_FAILURE() << "the view is gone"; });
  }
  QCoreApplication::processEvents();
  const auto reader = openStore(m_store).reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(*(*reader)->notes(RunId{1}), SizeIs(1));
}

TEST_F(StoreEditsTest, AnOrderGoesToTheHubWhereverItIs) {
  const auto asked = [&](StoreSession& session) {
    std::optional<Result<OrderOutcome>> said;
    session.orders().place({.kind = OrderKind::kTraceEvery, .run = "pretrain", .number = 5}, &m_context,
                           [&](const Result<OrderOutcome>& outcome) { said = outcome; });
    EXPECT_TRUE(waitFor([&] { return said.has_value(); }));
    return said ? said->status() : Status(Code::kInternal, "nothing was said");
  };
  {
    StoreSession session({.store = m_store});
    EXPECT_THAT(asked(session).message(), HasSubstr("run 'pretrain' ended"));
  }
  {
    StoreSession session({.store = m_store, .hub = HubOptions()});
    EXPECT_THAT(asked(session).message(), HasSubstr("ranks of its newest attempt"));
  }
  auto hub = Hub::start(m_store, {});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  StoreSession session({.store = m_store});
  const Status through = asked(session);
  EXPECT_THAT(through.message(), HasSubstr("ranks of its newest attempt"));
  EXPECT_THAT(through.message(), HasSubstr((*hub)->address()));
}

TEST_F(StoreEditsTest, WhatTheStoreDoesNotHaveIsTheAnswer) {
  StoreSession session({.store = m_store});
  Note wrong = note("x");
  wrong.run_uuid = "nobody";
  EXPECT_EQ(edit(session, wrong).code(), Code::kNotFound);
}

}  // namespace
}  // namespace runglass
