// SPDX-License-Identifier: Apache-2.0
// Which bytes of a client are passed to gRPC, which wait, and which end its connection.
#include "collectors/hub/server/http2_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "collectors/hub/server/ingest_limits.h"
#include "tests/collectors/hub/server/raw_http2.h"
#include "tests/support/seed.h"

namespace runglass {
namespace {

using test::RawHttp2;
using Verdict = Http2Guard::Verdict;

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
constexpr std::uint8_t kWindowUpdate = 8, kPush = 5, kGoaway = 7;

std::string opening(std::uint32_t stream) { return RawHttp2::frame(RawHttp2::kHeaders, RawHttp2::kEndHeaders, stream, "\x83"); }
std::string data(std::uint32_t stream, const std::string& payload) { return RawHttp2::frame(RawHttp2::kData, 0, stream, payload); }
std::string ended(std::uint32_t stream) {
  return RawHttp2::frame(RawHttp2::kHeaders, RawHttp2::kEndHeaders | RawHttp2::kEndStream, stream, "\x88");
}

class Guard : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(goesOn(std::string(Http2Guard::kPreface) + RawHttp2::frame(RawHttp2::kSettings, 0, 0, ""))); }
  bool goesOn(const std::string& bytes) { return guard.pass(bytes, kAny, now) == bytes.size() && guard.verdict() == Verdict::kPass; }
  // Number of frames that pass until it breaks the connection or holds; at most `most`.
  int until(int most, const std::function<std::string(int)>& frame) {
    for (int i = 0; i < most; ++i)
      if (!goesOn(frame(i))) return i;
    return most;
  }
  // A connection of its own.
  void renew() {
    std::destroy_at(&guard);
    std::construct_at(&guard);
  }
  Http2Guard guard;
  DurNs now = kNsPerSecond;
};

std::uint32_t client(int number) { return static_cast<std::uint32_t>(2 * number + 1); }

TEST_F(Guard, NeedsThePreface) {
  Http2Guard other;
  EXPECT_EQ(other.pass("GET / HTTP/1.1\r\n", kAny, now), 0U);
  EXPECT_EQ(other.verdict(), Verdict::kBreak);
}

TEST_F(Guard, PassesAHeaderWholeOrNotYet) {
  const std::string frame = opening(1) + data(1, std::string(100, 'x'));
  std::string waiting;
  std::size_t passed = 0;
  for (const char byte : frame) {
    waiting += byte;
    const std::size_t now_passed = guard.pass(waiting, kAny, now);
    waiting.erase(0, now_passed);
    passed += now_passed;
    EXPECT_LT(waiting.size(), 9U);
  }
  EXPECT_EQ(passed, frame.size());
  EXPECT_EQ(guard.openCalls(), 1U);
}

TEST_F(Guard, HoldsAStrangersSeventeenthCallUntilOneIsAnswered) {
  EXPECT_EQ(until(20, [](int i) { return opening(client(i)); }), 16);
  EXPECT_EQ(guard.verdict(), Verdict::kHold);
  EXPECT_FALSE(goesOn(opening(client(16))));
  guard.answered(ended(client(3)));
  EXPECT_TRUE(goesOn(opening(client(16))));
  EXPECT_FALSE(goesOn(opening(client(17))));
  guard.admit();
  EXPECT_TRUE(goesOn(opening(client(17))));
}

TEST_F(Guard, HoldsWhatAStrangerSendsBeyondItsShare) {
  ASSERT_TRUE(goesOn(opening(1)));
  const std::string upload = data(1, std::string(16'000, 'x')) + data(1, std::string(16'000, 'x')) + data(1, std::string(16'000, 'x'));
  const std::size_t passed = guard.pass(upload, kAny, now);
  EXPECT_LT(passed, upload.size());
  EXPECT_LE(guard.passed(), Http2Guard::kBytesBefore);
  EXPECT_EQ(guard.verdict(), Verdict::kHold);
  guard.admit();
  EXPECT_TRUE(goesOn(upload.substr(passed)));
}

TEST_F(Guard, HoldsWhatAllStrangersTogetherMayNotSend) {
  const std::string frame = opening(1) + data(1, std::string(1'000, 'x'));
  EXPECT_EQ(guard.pass(frame, 500, now), 500U);
  EXPECT_EQ(guard.verdict(), Verdict::kHold);
  EXPECT_EQ(guard.pass(frame.substr(500), 0, now), 0U);
  EXPECT_EQ(guard.verdict(), Verdict::kHold);
  EXPECT_TRUE(goesOn(frame.substr(500)));
}

TEST_F(Guard, BreaksAtMoreCallsThanSettingsAllow) {
  guard.admit();
  EXPECT_EQ(until(100, [](int i) { return opening(client(i)); }), 64);
  EXPECT_EQ(guard.verdict(), Verdict::kBreak);
}

TEST_F(Guard, CallsOneAfterAnotherAreNoFlood) {
  guard.admit();
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(goesOn(opening(client(i)) + RawHttp2::frame(RawHttp2::kData, RawHttp2::kEndStream, client(i), ""))) << i;
    guard.answered(ended(client(i)));
    now += kNsPerSecond / 100;
  }
}

TEST_F(Guard, BreaksAtRapidResets) {
  guard.admit();
  const auto reset = [](int i) { return opening(client(i)) + RawHttp2::frame(RawHttp2::kReset, 0, client(i), RawHttp2::reset()); };
  EXPECT_EQ(until(1'000, reset), 200);
  EXPECT_EQ(guard.verdict(), Verdict::kBreak);
}

TEST_F(Guard, ASlowPaceOfResetsGoesOn) {
  guard.admit();
  for (int i = 0; i < 2'000; ++i) {
    ASSERT_TRUE(goesOn(opening(client(i)) + RawHttp2::frame(RawHttp2::kReset, 0, client(i), RawHttp2::reset()))) << i;
    now += kNsPerSecond / 50;
  }
}

TEST_F(Guard, CountsIncompleteMessagesOfSeveralConnectionsTogether) {
  std::atomic<std::size_t> shared = 0;
  const Http2Guard::Limits limits{.unfinished = 4U << 20, .shared = &shared, .max_shared = 40'000};
  const std::string before = std::string(Http2Guard::kPreface) + RawHttp2::frame(RawHttp2::kSettings, 0, 0, "");
  const std::string half = std::string("\0\0\0\x75\x30", 5) + std::string(15'000, 'x');  // of a message of 30,000 bytes
  Http2Guard other(limits);
  other.admit();
  {
    Http2Guard first(limits);
    first.admit();
    for (Http2Guard* one : {&first, &other}) {
      const std::string bytes = before + opening(1) + data(1, half);
      ASSERT_EQ(one->pass(bytes, kAny, now), bytes.size());
    }
    EXPECT_EQ(shared, 2 * (15'005 + Http2Guard::kFrameCost));
    EXPECT_EQ(first.pass(data(1, std::string(15'000, 'x')), kAny, now), 0U);
    EXPECT_EQ(first.verdict(), Verdict::kBreak);
  }
  EXPECT_EQ(shared, 15'005 + Http2Guard::kFrameCost) << "its connection has ended";
  (void)other.pass(data(1, std::string(15'000, 'x')), kAny, now);
  EXPECT_EQ(other.verdict(), Verdict::kPass);
  EXPECT_EQ(shared, 0U) << "complete";
}

TEST_F(Guard, BreaksAtAHeaderBlockWithoutEnd) {
  guard.admit();
  ASSERT_TRUE(goesOn(RawHttp2::frame(RawHttp2::kHeaders, 0, 1, "\x83")));
  EXPECT_EQ(until(10, [](int) { return RawHttp2::frame(RawHttp2::kContinuation, 0, 1, std::string(8'000, '\x82')); }), 2);
  EXPECT_EQ(guard.verdict(), Verdict::kBreak);
}

TEST_F(Guard, BreaksAtEmptyContinuations) {
  guard.admit();
  ASSERT_TRUE(goesOn(RawHttp2::frame(RawHttp2::kHeaders, 0, 1, "\x83")));
  EXPECT_LT(until(10'000, [](int) { return RawHttp2::frame(RawHttp2::kContinuation, 0, 1, ""); }), 10'000);
}

TEST_F(Guard, BreaksWhereAHeaderBlockIsInterrupted) {
  ASSERT_TRUE(goesOn(RawHttp2::frame(RawHttp2::kHeaders, 0, 1, "\x83")));
  EXPECT_FALSE(goesOn(RawHttp2::frame(RawHttp2::kPing, 0, 0, "12345678")));
}

TEST_F(Guard, BreaksAtFloodsOfControlFrames) {
  for (const auto& [type, stream, payload] : {std::tuple<std::uint8_t, std::uint32_t, std::string>{RawHttp2::kPing, 0, "12345678"},
                                              {RawHttp2::kSettings, 0, ""},
                                              {RawHttp2::kPriority, 1, "12345"},
                                              {kWindowUpdate, 0, std::string("\0\0\0\1", 4)},
                                              {RawHttp2::kReset, 1, RawHttp2::reset()},
                                              {kGoaway, 0, "12345678"},
                                              {RawHttp2::kData, 1, ""}}) {
    renew();
    SetUp();
    guard.admit();
    EXPECT_LT(until(5'000, [&](int) { return RawHttp2::frame(type, 0, stream, payload); }), 5'000) << int{type};
    EXPECT_EQ(guard.verdict(), Verdict::kBreak) << int{type};
  }
  renew();
  SetUp();
  EXPECT_FALSE(goesOn(RawHttp2::frame(kPush, 0, 1, "1234")));
}

// A replica that receives 64 MiB per second acknowledges them.
TEST_F(Guard, WindowUpdatesForWhatWasTakenAreNoFlood) {
  guard.admit();
  for (int i = 0; i < 100'000; ++i) {
    guard.answered(RawHttp2::frame(RawHttp2::kData, 0, 1, std::string(16'384, 'x')));
    ASSERT_TRUE(goesOn(RawHttp2::frame(kWindowUpdate, 0, 0, std::string("\0\0\x40\0", 4)) +
                       RawHttp2::frame(kWindowUpdate, 0, 1, std::string("\0\0\x40\0", 4))))
        << i;
  }
}

TEST_F(Guard, ABatchGoesOnAndUnfinishedMessagesAreBounded) {
  guard.admit();
  ASSERT_TRUE(goesOn(opening(1)));
  const std::string batch = RawHttp2::message(std::string(kMaxBatch, 'x'));
  for (int i = 0; i < 20; ++i)
    for (std::size_t at = 0; at < batch.size(); at += 16'384) ASSERT_TRUE(goesOn(data(1, batch.substr(at, 16'384)))) << i;
  // Calls that never finish their messages.
  const std::string unfinished = RawHttp2::message(std::string(4U << 20, 'x')).substr(0, 192U << 10);
  int calls = 0;
  for (; calls < 60; ++calls) {
    bool all = goesOn(opening(client(calls + 1)));
    for (std::size_t at = 0; all && at < unfinished.size(); at += 16'384)
      all = goesOn(data(client(calls + 1), unfinished.substr(at, 16'384)));
    if (!all) break;
  }
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(guard.verdict(), Verdict::kBreak);
}

TEST_F(Guard, NeverPassesMoreThanItGotOrMay) {
  std::mt19937 random(test::seed());
  for (int round = 0; round < 200; ++round) {
    renew();
    SetUp();
    std::string waiting;
    for (int step = 0; step < 200 && guard.verdict() != Verdict::kBreak; ++step) {
      if (step == 100) guard.admit();
      waiting += RawHttp2::frame(static_cast<std::uint8_t>(random() % 11), static_cast<std::uint8_t>(random() % 8), random() % 200,
                                 std::string(random() % 300, 'x'));
      const std::size_t most = random() % 1'000;
      const std::size_t passed = guard.pass(waiting, most, now += kNsPerMs);
      ASSERT_LE(passed, guard.admitted() ? waiting.size() : std::min(waiting.size(), most));
      ASSERT_LE(guard.passed(), Http2Guard::kBytesBefore);
      ASSERT_LE(guard.openCalls(), Http2Guard::kCalls);
      waiting.erase(0, passed);
      if (random() % 4 == 0) guard.answered(ended(random() % 200));
    }
  }
}

}  // namespace
}  // namespace runglass
