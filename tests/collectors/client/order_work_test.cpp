// SPDX-License-Identifier: Apache-2.0
// Commands on rings where the test is the tracer: what is written, refused and answered.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "tests/collectors/client/local_agent.h"

namespace runglass::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OrderWorkTest : public testing::Test {
 protected:
  OrderWorkTest()
      : m_trainer([this] {
          initIn(m_dir, "train", 3, 4);
          rg_step_begin(100);
          if (::write(m_ready[1], "x", 1) != 1) return;
          while (true) usleep(10'000);
        }) {
    // The agent must not read before the trainer is in its step.
    char turn = 0;
    EXPECT_EQ(::read(m_ready[0], &turn, 1), 1);
    m_file = ::open(m_dir.ring().c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_GE(m_file, 0);
  }
  ~OrderWorkTest() override { ::close(m_file), ::close(m_ready[0]), ::close(m_ready[1]); }
  rgr_tracer tracer() const {
    rgr_tracer reported{};
    EXPECT_EQ(pread(m_file, &reported, sizeof(reported), RGR_TRACER_AT), static_cast<ssize_t>(sizeof(reported)));
    return reported;
  }
  void say(const rgr_tracer& reported) const {
    EXPECT_EQ(pwrite(m_file, &reported, sizeof(reported), RGR_TRACER_AT), static_cast<ssize_t>(sizeof(reported)));
  }
  void wake(std::uint32_t abilities = RGR_CAN_TRACE) const {
    rgr_tracer reported = tracer();
    reported.abilities = abilities;
    say(reported);
  }
  rgr_orders asked() const {
    rgr_orders orders{};
    EXPECT_EQ(pread(m_file, &orders, sizeof(orders), RGR_ORDERS_AT), static_cast<ssize_t>(sizeof(orders)));
    return orders;
  }
  // Polls until the command is answered; `obeys`: the tracer accepts the request.
  OrderQueue::Answer ask(LocalAgent& agent, OrderQueue::Task task, bool obeys = true) {
    agent.pollUntil([&] { return !agent.out.ranks.empty(); });
    agent.orders.ask(std::move(task));
    std::vector<OrderQueue::Answer> answers;
    agent.pollUntil([&] {
      if (obeys) {
        rgr_tracer reported = tracer();
        reported.taken = asked().serial;
        say(reported);
      }
      for (auto& answer : agent.orders.answers()) answers.push_back(std::move(answer));
      return !answers.empty();
    });
    EXPECT_THAT(answers, SizeIs(1));
    return answers.empty() ? OrderQueue::Answer() : answers[0];
  }
  static OrderQueue::Task steps(std::int64_t first, std::int64_t count) {
    return {.id = 7, .order = {.kind = OrderKind::kTraceSteps, .run = "train", .number = count}, .first_step = first};
  }
  static OrderQueue::Task of(OrderKind kind, std::int64_t number = 0, const std::string& filter = "") {
    return {.id = 7, .order = {.kind = kind, .run = "train", .number = number, .filter = filter}};
  }

  static std::array<int, 2> newPipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    return ends;
  }

  std::array<int, 2> m_ready = newPipe();
  RingDirectory m_dir;
  TrainerProcess m_trainer;
  int m_file = -1;
};

TEST_F(OrderWorkTest, WritesTheStepsAndAnswersWhenTheTracerTookThem) {
  wake();
  LocalAgent agent(m_dir);
  const OrderQueue::Answer answer = ask(agent, steps(120, 5));
  EXPECT_TRUE(answer.status.ok()) << answer.status.message();
  EXPECT_EQ(answer.id, 7u);
  EXPECT_THAT(answer.ranks, ElementsAre(3));
  const rgr_orders orders = asked();
  EXPECT_EQ(orders.check, rgr_orders_check(&orders));
  EXPECT_EQ(orders.first_step, 120);
  EXPECT_EQ(orders.steps, 5);
  EXPECT_EQ(orders.trace_every, RGR_UNSAID);
}

TEST_F(OrderWorkTest, AnOrderKeepsWhatWasOrderedBeforeAlsoByAnAgentThatIsGone) {
  wake();
  {
    LocalAgent agent(m_dir);
    ASSERT_TRUE(ask(agent, of(OrderKind::kTraceEvery, 50)).status.ok());
  }
  LocalAgent agent(m_dir);
  ASSERT_TRUE(ask(agent, of(OrderKind::kTraceFilter, 0, "flash|gemm")).status.ok());
  const rgr_orders orders = asked();
  EXPECT_EQ(orders.serial, 2u);
  EXPECT_EQ(orders.trace_every, 50);
  EXPECT_EQ(std::string(orders.filter, orders.filter_bytes), "flash|gemm");
  ASSERT_TRUE(ask(agent, of(OrderKind::kTraceFilter, 0, "")).status.ok());
  EXPECT_EQ(asked().filter_bytes, 0u);
}

TEST_F(OrderWorkTest, ATrainerWithAnOldClientIsDistinguishedFromOneWithoutATracer) {
  LocalAgent agent(m_dir);
  EXPECT_THAT(ask(agent, of(OrderKind::kTraceEvery, 1)).status.message(), HasSubstr("no tracer of GPU work is awake"));
  say({});
  EXPECT_THAT(ask(agent, of(OrderKind::kTraceEvery, 1)).status.message(), HasSubstr("rank 3: this trainer's client is too old"));
  EXPECT_EQ(asked().serial, 0u) << "nothing may be written into such a ring";
}

TEST_F(OrderWorkTest, WhatTheTracerCannotDoIsSaid) {
  wake();
  LocalAgent agent(m_dir);
  OrderQueue::Task exact = of(OrderKind::kExact, 3);
  exact.first_step = 200;
  for (const OrderQueue::Task& task : {exact, of(OrderKind::kKeepRecent, 60)}) {
    const Status status = ask(agent, task).status;
    EXPECT_EQ(status.code(), Code::kUnimplemented);
    EXPECT_THAT(status.message(), HasSubstr("not supported by this tracer"));
  }
  wake(RGR_CAN_TRACE | RGR_CAN_EXACT | RGR_CAN_KEEP_RECENT);
  EXPECT_TRUE(ask(agent, exact).status.ok());
  EXPECT_EQ(asked().exact_first, 200);
  EXPECT_EQ(asked().exact_steps, 3);
  EXPECT_TRUE(ask(agent, of(OrderKind::kKeepRecent, 60)).status.ok());
  EXPECT_EQ(asked().recent_seconds, 60);
}

TEST_F(OrderWorkTest, StepsThatAreOverAreRefusedAndWithoutStepsTooAndATracerThatSleepsIsNamed) {
  wake();
  LocalAgent agent(m_dir);
  EXPECT_EQ(ask(agent, steps(90, 10)).status.code(), Code::kOutOfRange);
  OrderQueue::Task none = steps(0, 1);
  none.first_step.reset();
  EXPECT_EQ(ask(agent, none).status.code(), Code::kFailedPrecondition);
  const OrderQueue::Answer asleep = ask(agent, steps(120, 5), false);
  EXPECT_EQ(asleep.status.code(), Code::kUnavailable);
  EXPECT_THAT(asleep.status.message(), HasSubstr("did not take the order up"));
  EXPECT_THAT(asleep.ranks, IsEmpty());
}

TEST_F(OrderWorkTest, OnlyTheRanksAndTheRunThatAreMeant) {
  wake();
  LocalAgent agent(m_dir);
  OrderQueue::Task other = of(OrderKind::kTraceEvery, 1);
  other.order.ranks = {0, 1};
  EXPECT_EQ(ask(agent, other).status.code(), Code::kNotFound);
  other.order.ranks = {3};
  other.order.run = "another";
  EXPECT_EQ(ask(agent, other).status.code(), Code::kNotFound);
  EXPECT_EQ(asked().serial, 0u);
  other.order.run = "train";
  EXPECT_THAT(ask(agent, other).ranks, ElementsAre(3));
}

TEST_F(OrderWorkTest, OrdersThatSomebodySpoiledAreStartedAnew) {
  wake();
  rgr_orders spoiled{};
  spoiled.serial = UINT64_MAX;
  spoiled.filter_bytes = 0xffffffff;
  spoiled.trace_every = 3;
  spoiled.check = rgr_orders_check(&spoiled);
  ASSERT_EQ(pwrite(m_file, &spoiled, sizeof(spoiled), RGR_ORDERS_AT), static_cast<ssize_t>(sizeof(spoiled)));
  LocalAgent agent(m_dir);
  ASSERT_TRUE(ask(agent, steps(120, 5)).status.ok());
  const rgr_orders orders = asked();
  EXPECT_EQ(orders.serial, 1u);
  EXPECT_EQ(orders.trace_every, RGR_UNSAID);
  EXPECT_EQ(orders.filter_bytes, 0u);
}

TEST(OrderQueue, AnswersAtOnceWhatIsNotAllowedOrNotServed) {
  OrderQueue book;
  OrderQueue::Task task{.id = 1, .order = {.kind = OrderKind::kTraceEvery, .run = "r", .number = 1}};
  book.ask(task);
  EXPECT_EQ(book.answers().at(0).status.code(), Code::kUnavailable);
  const OrderQueue::Server tracer = book.serve({OrderKind::kTraceEvery, OrderKind::kTraceSteps});
  book.allow({OrderKind::kTraceSteps});
  book.ask(task);
  const auto refused = book.answers();
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_EQ(refused[0].status.code(), Code::kPermissionDenied);
  EXPECT_THAT(refused[0].status.message(), HasSubstr("[orders] allow"));
  task.order.kind = OrderKind::kTraceSteps;
  for (std::size_t i = 0; i < OrderQueue::kMax + 1; ++i) {
    task.id = 100 + i;
    book.ask(task);
  }
  EXPECT_THAT(book.take(tracer), SizeIs(OrderQueue::kMax));
  EXPECT_EQ(book.answers().at(0).status.code(), Code::kResourceExhausted);
  task.order.number = -1;
  book.ask(task);
  EXPECT_EQ(book.answers().at(0).status.code(), Code::kInvalidArgument);
}

TEST(OrderQueue, AnswersOnceWhatSeveralSourcesCarryOutAndSaysWhatBothSay) {
  OrderQueue book;
  const OrderQueue::Server client = book.serve({OrderKind::kCapture, OrderKind::kTraceEvery});
  const OrderQueue::Server capture = book.serve({OrderKind::kCapture});
  book.ask({.id = 1, .order = {.kind = OrderKind::kCapture, .run = "r"}});
  book.ask({.id = 2, .order = {.kind = OrderKind::kTraceEvery, .run = "r", .number = 1}});
  EXPECT_THAT(book.take(client), SizeIs(2));
  EXPECT_THAT(book.take(capture), SizeIs(1)) << "the other is not its to do";
  book.answer({.id = 1, .status = {}, .ranks = {1, 0}, .note = "progress 2"});
  EXPECT_THAT(book.answers(), SizeIs(0)) << "one has not answered";
  book.answer({.id = 1, .status = {Code::kUnavailable, "no stack"}, .ranks = {2, 1}, .note = "stack 1"});
  const auto answers = book.answers();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].status.message(), "no stack");
  EXPECT_THAT(answers[0].ranks, testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(answers[0].note, "progress 2; stack 1");
  book.answer({.id = 1, .status = {}, .ranks = {}, .note = "late"});
  EXPECT_THAT(book.answers(), SizeIs(0));
}

}  // namespace
}  // namespace runglass::test
