// SPDX-License-Identifier: Apache-2.0
// Edits by people over loopback: made while agents' data flows, refused with a reason.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <thread>

#include "collectors/hub/server/hub.h"
#include "collectors/wire/control_client.h"
#include "collectors/wire/edit_message.h"
#include "runglass/v1/control.grpc.pb.h"
#include "storage/open_store.h"
#include "storage/store_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ControlTest : public testing::Test {
 protected:
  std::unique_ptr<Hub> serve(HubOptions options = {}) {
    auto hub = Hub::start(store, std::move(options));
    EXPECT_TRUE(hub.ok()) << hub.status().message();
    if (!hub.ok()) return nullptr;
    (*hub)->post([](Writer& writer) { (void)writer.run({.uuid = "u1", .name = "run"}); });
    return std::move(*hub);
  }
  std::vector<Note> notes() const {
    const auto reader = openStore(store).reader();
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    const auto found = (*reader)->notes(RunId{1});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : std::vector<Note>();
  }
  std::string uuid() const { return (*openStore(store).reader())->info()->store_uuid; }
  static Note note(const std::string& text) { return {.run_uuid = "u1", .time = 5, .author = "ada", .text = text}; }
  // Sends the parts as they are and returns how the call ended.
  static grpc::Status sendRaw(const std::string& hub, const std::vector<v1::EditPart>& parts) {
    const auto stub = v1::Control::NewStub(grpc::CreateChannel(hub, grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    v1::EditDone done;
    const auto writer = stub->Edit(&context, &done);
    for (const v1::EditPart& part : parts)
      if (!writer->Write(part)) break;
    writer->WritesDone();
    return writer->Finish();
  }

  test::TempFolder dir;
  std::string store = dir.file("s.rgl");
};

TEST_F(ControlTest, ANoteSentToTheHubIsInTheStoreWhenTheCallReturns) {
  const auto hub = serve();
  const Status made = ControlClient({.hub = hub->address()}).edit(note("lr was halved"), uuid());
  ASSERT_TRUE(made.ok()) << made.message();
  ASSERT_THAT(notes(), SizeIs(1));
  EXPECT_EQ(notes()[0].text, "lr was halved");
  EXPECT_EQ(notes()[0].author, "ada");
  EXPECT_EQ(notes()[0].time, 5);
  Note gone = notes()[0];
  gone.text.clear();
  EXPECT_TRUE(ControlClient({.hub = hub->address()}).edit(gone, "").ok());
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ControlTest, TheStoresOwnReasonComesBack) {
  const auto hub = serve();
  Note wrong = note("x");
  wrong.run_uuid = "nobody";
  const Status refused = ControlClient({.hub = hub->address()}).edit(wrong, "");
  EXPECT_EQ(refused.code(), Code::kNotFound);
  EXPECT_THAT(refused.message(), HasSubstr("run nobody"));
  EXPECT_THAT(refused.message(), HasSubstr(hub->address()));
}

TEST_F(ControlTest, AHubOfAnotherStoreRefuses) {
  const auto hub = serve();
  const Status refused = ControlClient({.hub = hub->address()}).edit(note("x"), "another-store");
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ControlTest, OnlyATokenOfTheHubOpensIt) {
  constexpr char kToken[] = "0123456789abcdef";
  std::ofstream(dir.file("tokens")) << kToken << "\n";
  std::filesystem::permissions(dir.file("tokens"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto hub = serve({.token_file = dir.file("tokens")});
  EXPECT_EQ(ControlClient({.hub = hub->address()}).edit(note("x"), "").code(), Code::kUnauthenticated);
  EXPECT_EQ(ControlClient({.hub = hub->address(), .token = "0123456789abcdeX"}).edit(note("x"), "").code(), Code::kUnauthenticated);
  EXPECT_THAT(notes(), IsEmpty());
  EXPECT_TRUE(ControlClient({.hub = hub->address(), .token = kToken}).edit(note("x"), "").ok());
}

TEST_F(ControlTest, WhatNoStoreMayTakeIsRefusedByAHubThatIsSentItAllTheSame) {
  const auto hub = serve();
  EXPECT_EQ(sendRaw(hub->address(), partsOf(note("\xff"), "")).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(sendRaw(hub->address(), partsOf(note(std::string(kMaxEditText + 1, 'a')), "")).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(sendRaw(hub->address(), {}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(sendRaw(hub->address(), {v1::EditPart()}).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  std::vector<v1::EditPart> twice = partsOf(note("x"), "");
  twice.push_back(twice[0]);
  EXPECT_EQ(sendRaw(hub->address(), twice).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(notes(), IsEmpty());
}

TEST_F(ControlTest, ATokenGoesInClearTextToLoopbackOnly) {
  const Status refused = ControlClient({.hub = "192.0.2.1:4711", .token = "secret"}).edit(note("x"), "");
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("TLS"));
  // Names that only begin or end like the loopback's addresses.
  for (const char* hub : {"127.evil.example:1", "127.0.0.1.evil.example:1", "localhost.evil.example:1", "dns:///127.0.0.1:1"})
    EXPECT_EQ(ControlClient({.hub = hub, .token = "secret"}, kNsPerMs).edit(note("x"), "").code(), Code::kFailedPrecondition) << hub;
}

TEST_F(ControlTest, NobodyThereIsSaidWithTheAddress) {
  const Status refused = ControlClient({.hub = "127.0.0.1:1"}, 2 * kNsPerSecond).edit(note("x"), "");
  EXPECT_EQ(refused.code(), Code::kUnavailable);
  EXPECT_THAT(refused.message(), HasSubstr("127.0.0.1:1"));
}

TEST_F(ControlTest, TheLockTellsWhereTheHubListens) {
  const auto hub = serve();
  const auto holder = holderOf(store);
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->contact, hub->address());
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_FALSE(holderOf(store).has_value());
}

TEST_F(ControlTest, EditsOfManyAtOnceAreAllMade) {
  const auto hub = serve();
  constexpr int kPeople = 8, kEach = 20;
  constexpr DurNs kPatience = 100 * kNsPerSecond;  // a stalling disk is not a failure of the hub
  std::vector<std::future<void>> people;
  for (int i = 0; i < kPeople; ++i)
    people.push_back(std::async(std::launch::async, [&] {
      for (int k = 0; k < kEach; ++k) {
        const Status made = ControlClient({.hub = hub->address()}, kPatience).edit(note("n"), "");
        EXPECT_TRUE(made.ok()) << made.message();
      }
    }));
  for (auto& one : people) one.get();
  EXPECT_THAT(notes(), SizeIs(kPeople * kEach));
}

TEST_F(ControlTest, AnIncidentIsMadeChangedAndDeletedThroughTheHubAndAConflictComesBack) {
  const auto hub = serve();
  ControlClient client({.hub = hub->address()});
  const auto stored = [this] { return (*openStore(store).reader())->incident("i-1"); };
  IncidentEdit edit{.run_uuid = "u1", .attempt = std::nullopt, .incident = {}};
  edit.incident.uuid = "i-1", edit.incident.title = "it hangs";
  edit.incident.evidence = {{.kind = "log", .title = "t", .caption = "", .range = TimeRange{3, 4}, .select = ""}};
  const Status made = client.edit(edit, uuid());
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_TRUE(client.edit(edit, uuid()).ok()) << "a repeated call changes nothing";
  edit.incident.updated = stored()->updated;
  edit.incident.notes = "rank 5 was killed";
  ASSERT_TRUE(client.edit(edit, uuid()).ok());
  EXPECT_EQ(stored()->notes, "rank 5 was killed");
  IncidentEdit late = edit;
  late.incident.notes = "no idea";
  const Status refused = client.edit(late, uuid());
  EXPECT_EQ(refused.code(), Code::kAborted);
  EXPECT_THAT(refused.message(), HasSubstr("since it was read"));
  late.incident.state = static_cast<IncidentState>(77);
  EXPECT_EQ(sendRaw(hub->address(), partsOf(late, "")).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(stored()->notes, "rank 5 was killed");
  edit.incident.updated = stored()->updated;
  edit.remove = true;
  EXPECT_TRUE(client.edit(edit, uuid()).ok());
  EXPECT_EQ(stored().status().code(), Code::kNotFound);
}

TEST_F(ControlTest, AHubThatStopsWhileACallIsOpenDoesNotWaitForIt) {
  auto hub = serve();
  const auto stub = v1::Control::NewStub(grpc::CreateChannel(hub->address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  v1::EditDone done;
  const auto writer = stub->Edit(&context, &done);
  ASSERT_TRUE(writer->Write(partsOf(note("half"), "")[0]));
  auto stopped = std::async(std::launch::async, [&] { return hub->stop().ok(); });
  EXPECT_EQ(stopped.wait_for(test::kDeadline), std::future_status::ready);
  context.TryCancel();
  EXPECT_TRUE(stopped.get());
  (void)writer->Finish();
  EXPECT_THAT(notes(), IsEmpty());
}

TEST(EditMessage, AnAlignmentComesBackAsItWasInSeveralParts) {
  ClockAlignment alignment{.run_uuid = "u", .attempt = 3, .source = "manual", .shifts = {}};
  for (std::size_t i = 0; i < 2 * kShiftsPerPart + 17; ++i) {
    const auto n = static_cast<std::int64_t>(i);
    alignment.shifts.push_back({static_cast<std::int32_t>(i % 512), 1'700'000'000'000'000'000 + n * 77, -n, n});
  }
  alignment.shifts[3].at = std::numeric_limits<TimeNs>::min();
  alignment.shifts[4].at = std::numeric_limits<TimeNs>::max();
  const auto parts = partsOf(alignment, "store");
  EXPECT_THAT(parts, SizeIs(4));
  EditAssembly assembly;
  for (const auto& part : parts) {
    EXPECT_LT(part.ByteSizeLong(), kMaxEditPart);
    const Status added = assembly.add(part);
    ASSERT_TRUE(added.ok()) << added.message();
  }
  EXPECT_EQ(assembly.storeUuid(), "store");
  const auto edit = assembly.take();
  ASSERT_TRUE(edit.ok()) << edit.status().message();
  const auto& back = std::get<ClockAlignment>(*edit);
  EXPECT_EQ(back.attempt, 3);
  ASSERT_EQ(back.shifts.size(), alignment.shifts.size());
  for (std::size_t i = 0; i < back.shifts.size(); ++i) {
    ASSERT_EQ(back.shifts[i].rank, alignment.shifts[i].rank) << i;
    ASSERT_EQ(back.shifts[i].at, alignment.shifts[i].at) << i;
    ASSERT_EQ(back.shifts[i].shift, alignment.shifts[i].shift) << i;
    ASSERT_EQ(back.shifts[i].error, alignment.shifts[i].error) << i;
  }
}

TEST(EditMessage, AChosenOrderOfRanksComesBackAsItWas) {
  const auto parts = partsOf(RankOrderChoice{.run_uuid = "u", .attempt = 2, .order = "tp8-dp4"}, "store");
  ASSERT_THAT(parts, SizeIs(1));
  EditAssembly assembly;
  ASSERT_TRUE(assembly.add(parts[0]).ok());
  const auto edit = assembly.take();
  ASSERT_TRUE(edit.ok());
  const auto& back = std::get<RankOrderChoice>(*edit);
  EXPECT_EQ(back.run_uuid, "u");
  EXPECT_EQ(back.attempt, 2);
  EXPECT_EQ(back.order, "tp8-dp4");
}

TEST(EditMessage, AnIncidentComesBackAsItWasAndTheLargestFitsIntoSmallMessages) {
  IncidentEdit edit{.run_uuid = "u", .attempt = 3, .incident = {}, .remove = true};
  Incident& one = edit.incident;
  one.uuid = "i", one.title = std::string(kMaxIncidentTitle, 't'), one.state = IncidentState::kDismissed,
  one.severity = Severity::kCritical;
  one.range = TimeRange{-7, std::numeric_limits<TimeNs>::max()};
  one.created = 5, one.updated = 6;
  one.cause = "not_found", one.summary = std::string(kMaxIncidentSentence, 's'), one.notes = std::string(kMaxEditText, 'n'),
  one.reason = "r";
  for (std::size_t i = 0; i < kMaxIncidentFindings; ++i) one.findings.push_back(static_cast<std::int64_t>(i) << 40);
  const std::string sentence(kMaxIncidentSentence, 'c');
  for (std::size_t i = 0; i < kMaxIncidentCards; ++i)
    one.evidence.push_back({.kind = "series",
                            .title = one.title,
                            .caption = sentence,
                            .range = i % 2 ? std::optional(TimeRange{1, 2}) : std::nullopt,
                            .select = sentence});
  ASSERT_TRUE(checkEdit(edit).ok()) << checkEdit(edit).message();
  const auto parts = partsOf(edit, "store");
  ASSERT_THAT(parts, SizeIs(1 + (kMaxIncidentCards + kCardsPerPart - 1) / kCardsPerPart));
  EditAssembly assembly, cut, grown;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_LT(parts[i].ByteSizeLong(), kMaxEditPart);
    ASSERT_TRUE(assembly.add(parts[i]).ok());
    if (i + 1 < parts.size()) EXPECT_TRUE(cut.add(parts[i]).ok());
    EXPECT_TRUE(grown.add(parts[i]).ok());
  }
  EXPECT_THAT(cut.take().status().message(), HasSubstr("192 of 200 cards came"));
  EXPECT_THAT(grown.add(parts.back()).message(), HasSubstr("more cards than the 200 announced"));
  const auto back = assembly.take();
  ASSERT_TRUE(back.ok()) << back.status().message();
  const auto& found = std::get<IncidentEdit>(*back);
  EXPECT_EQ(found.run_uuid, "u");
  EXPECT_EQ(found.attempt, 3);
  EXPECT_TRUE(found.remove);
  EXPECT_TRUE(found.incident == edit.incident);
}

TEST(EditMessage, AnAlignmentThatWasCutOffOrGrewIsNone) {
  const ClockAlignment alignment{.run_uuid = "u", .attempt = 0, .source = "s", .shifts = {{1, 2, 3, 4}, {2, 3, 4, 5}}};
  const auto parts = partsOf(alignment, "");
  EditAssembly cut;
  ASSERT_TRUE(cut.add(parts[0]).ok());
  EXPECT_THAT(cut.take().status().message(), HasSubstr("0 of 2 shifts"));
  EditAssembly grown;
  ASSERT_TRUE(grown.add(parts[0]).ok());
  ASSERT_TRUE(grown.add(parts[1]).ok());
  EXPECT_EQ(grown.add(parts[1]).code(), Code::kInvalidArgument);
  v1::EditPart ragged = parts[1];
  ragged.mutable_shifts()->add_rank(9);
  EditAssembly odd;
  ASSERT_TRUE(odd.add(parts[0]).ok());
  EXPECT_EQ(odd.add(ragged).code(), Code::kInvalidArgument);
  v1::EditPart huge = parts[0];
  huge.mutable_alignment()->set_shift_count(kMaxShifts + 1);
  EditAssembly too_many;
  EXPECT_EQ(too_many.add(huge).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace runglass
