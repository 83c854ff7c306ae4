// SPDX-License-Identifier: Apache-2.0
// Agents with a hub in this process: sent data is in the store once, and invalid data is refused.
#include "collectors/hub/server/hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

#include "collectors/agent/agent.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/server/raw_agent.h"
#include "tests/support/reserved_port.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace {
std::atomic<int> g_failing_syncs = 0;  // number of journal syncs that will still fail
}  // namespace

// Replaces the C library's function in the whole program.
extern "C" int fdatasync(int fd) {
  std::error_code error;
  if (g_failing_syncs > 0 &&
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string().find("-ingest") != std::string::npos) {
    --g_failing_syncs;
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace runglass {
namespace {

using test::RawAgent;
using test::waitUntil;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class HubTest : public testing::Test {
 protected:
  std::unique_ptr<Hub> serve(HubOptions options = {}) {
    auto hub = Hub::start(store, options);
    EXPECT_TRUE(hub.ok()) << hub.status().message();
    return hub.ok() ? std::move(*hub) : nullptr;
  }
  AgentOptions agentOptions(const std::string& hub, const std::string& name = "a1") const {
    AgentOptions options;
    options.link.hub = hub;
    options.link.first_pause = 20 * kNsPerMs;
    options.link.longest_pause = 100 * kNsPerMs;
    options.seal_every = 5 * kNsPerMs;
    options.state_dir = dir.file(name);
    options.node = {.uuid = "uuid-" + name, .name = name};
    return options;
  }
  static std::unique_ptr<Agent> start(AgentOptions options) {
    auto agent = Agent::start(std::move(options));
    EXPECT_TRUE(agent.ok()) << agent.status().message();
    return std::move(*agent);
  }
  std::unique_ptr<Reader> read() const {
    auto reader = openStore(store).reader();
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return std::move(*reader);
  }
  std::vector<double> storedValues(const std::string& metric) const {
    const auto reader = read();
    EXPECT_THAT(*reader->verify(), IsEmpty());
    std::vector<double> values;
    const std::vector<Series> all = *reader->series({.metric = metric});
    for (const Series& series : all) {
      const auto samples = reader->samples(series.id, {});
      EXPECT_TRUE(samples.ok());
      values.insert(values.end(), samples->value.begin(), samples->value.end());
    }
    return values;
  }
  std::int64_t issueCount(const std::string& code) const {
    std::int64_t count = 0;
    const std::vector<Issue> issues = *read()->issues();
    for (const Issue& issue : issues) count += issue.code == code ? issue.count : 0;
    return count;
  }
  // One sample of metric "m" with `value`.
  std::string samplePayload(double value) {
    WireRecorder out(
        dictionary, [] { return wallNow(); }, [] {});
    out.sample(dictionary.series({.metric = "m"}), wallNow(), value);
    return out.take(StreamClass::kMetrics);
  }

  // Joins once the hub accepts sessions again.
  static testing::AssertionResult rejoins(const Hub& hub, std::unique_ptr<RawAgent>& agent) {
    return waitUntil([&] {
      agent = std::make_unique<RawAgent>(hub.address());
      return agent->join(agent->hello()).has_value();
    });
  }

  test::TempFolder dir;
  std::string store = dir.file("s.rgl");
  SessionDictionary dictionary;
};

TEST_F(HubTest, StoresWhatAnAgentSays) {
  auto hub = serve();
  const auto agent = start(agentOptions(hub->address()));
  Recorder& out = agent->recorder();
  const NodeId node = out.node(agent->node());
  const SeriesId id = out.series({.node = node, .metric = "power_watts"});
  std::vector<double> said;
  for (int i = 0; i < 5'000; ++i) {
    out.sample(id, agent->now(), i);
    said.push_back(i);
  }
  out.log({.time = agent->now(), .node = node, .stream = "stdout", .text = "hello"});
  EXPECT_TRUE(agent->stop());
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(storedValues("power_watts"), said);
  EXPECT_THAT(*read()->logs({}), SizeIs(1));
  ASSERT_THAT(*read()->nodes(), SizeIs(1));
  EXPECT_EQ(read()->nodes()->at(0).state, NodeState::kLeft);
}

TEST_F(HubTest, TakesUpWhereItWasAfterARestart) {
  const test::ReservedPort port;
  const std::string address = port.address();
  auto hub = serve({.listen = address});
  const auto agent = start(agentOptions(address));
  Recorder& out = agent->recorder();
  const SeriesId id = out.series({.node = out.node(agent->node()), .metric = "power_watts"});
  std::vector<double> said;
  const auto say = [&](int count) {
    for (int i = 0; i < count; ++i) {
      said.push_back(static_cast<double>(said.size()));
      out.sample(id, agent->now(), said.back());
      if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  for (int life = 0; life < 3; ++life) {
    say(1'000);
    ASSERT_TRUE(waitUntil([&] { return hub->stats().samples > 0; }));
    say(500);  // some of it on the wire, some not sealed yet
    ASSERT_TRUE(hub->stop().ok());
    say(500);
    hub = serve({.listen = address});
  }
  say(100);
  EXPECT_TRUE(agent->stop());
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(storedValues("power_watts"), said);
  EXPECT_EQ(issueCount("wire.gap"), 0);
}

// The definitions of a session are sent again after a reconnect, in parts that the hub checks one by one.
TEST_F(HubTest, DefinitionsOfSeveralMessagesSurviveARestartOfTheHub) {
  constexpr int kSeries = 6'000;  // 400 bytes each
  const test::ReservedPort port;
  const std::string address = port.address();
  auto hub = serve({.listen = address});
  const auto agent = start(agentOptions(address));
  Recorder& out = agent->recorder();
  const NodeId node = out.node(agent->node());
  std::vector<SeriesId> series;
  for (int i = 0; i < kSeries; ++i)
    series.push_back(out.series({.node = node, .metric = "m", .labels = "{\"n\":\"" + std::to_string(i) + std::string(360, 'x') + "\"}"}));
  const auto say = [&](double value) {
    for (const SeriesId id : series) out.sample(id, agent->now(), value);
  };
  say(1);
  ASSERT_TRUE(waitUntil([&] { return hub->stats().samples == kSeries; }));
  ASSERT_TRUE(hub->stop().ok());
  hub = serve({.listen = address});
  say(2);
  ASSERT_TRUE(waitUntil([&] { return hub->stats().samples == kSeries; }));
  EXPECT_TRUE(agent->stop());
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_THAT(storedValues("m"), SizeIs(2 * kSeries));
  EXPECT_EQ(issueCount("wire.unknown_id") + issueCount("wire.gap"), 0);
}

// Retention runs once a minute, but a small store that fills in seconds does not wait for that.
TEST_F(HubTest, KeepsAStoreToItsCapHoweverFastItFills) {
  constexpr std::int64_t kCap = 4 << 20;
  constexpr int kBatches = 200, kPoints = 10'000;  // 16 MB of noise
  auto hub = serve({.retention = Retention{.max_bytes = kCap}});
  RawAgent agent(hub->address());
  ASSERT_TRUE(agent.join(agent.hello()));
  const SeriesId id = dictionary.series({.metric = "m"});
  ASSERT_TRUE(agent.sendDefinitions(dictionary.recordsFrom(0)));
  std::mt19937_64 random(5);
  TimeNs now = wallNow() - kBatches * kPoints * kNsPerMs;
  for (int batch = 0; batch < kBatches; ++batch) {
    WireRecorder out(
        dictionary, [&] { return now; }, [] {});
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (int i = 0; i < kPoints; ++i, now += kNsPerMs) {
      times.push_back(now);
      values.push_back(std::bit_cast<double>(random() >> 2));
    }
    out.samples(id, times, values);
    ASSERT_TRUE(agent.send(RawAgent::batch(4, static_cast<std::uint64_t>(batch), out.take(StreamClass::kMetrics))));
    ASSERT_TRUE(agent.waitForAck(4, static_cast<std::uint64_t>(batch) + 1));
  }
  // Retention continues in portions after the last batch. The file itself shrinks at the next checkpoint.
  const auto pages = [&] {
    sqlite3* db = nullptr;
    std::int64_t count = 0;
    EXPECT_EQ(test::openDatabase(store, &db), SQLITE_OK);
    sqlite3_exec(
        db, "PRAGMA page_count",
        [](void* to, int, char** text, char**) { return *static_cast<std::int64_t*>(to) = std::atoll(text[0]), 0; }, &count, nullptr);
    sqlite3_close(db);
    return count;
  };
  EXPECT_TRUE(waitUntil([&] { return pages() * 4'096 <= kCap * 11 / 10; })) << pages();
  EXPECT_GT(read()->info()->sample_count, 0);
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_LE(static_cast<std::int64_t>(std::filesystem::file_size(store)), kCap * 11 / 10);
  EXPECT_THAT(*read()->verify(), IsEmpty());
}

TEST_F(HubTest, TakesTheSpoolOfAnAgentThatLivedWithoutAHub) {
  const test::ReservedPort port;
  const std::string address = port.address();
  {
    const auto agent = start(agentOptions(address));
    Recorder& out = agent->recorder();
    const SeriesId id = out.series({.node = out.node(agent->node()), .metric = "m"});
    for (int i = 0; i < 100; ++i) out.sample(id, agent->now(), i);
    EXPECT_FALSE(agent->stop(0));
  }
  const auto hub = serve({.listen = address});
  const auto agent = start(agentOptions(address));
  EXPECT_TRUE(waitUntil([&] { return hub->stats().samples >= 100; }));
  EXPECT_TRUE(agent->stop());
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_THAT(storedValues("m"), SizeIs(100));
  EXPECT_EQ(issueCount("agent.unclean_end"), 0);
}

TEST_F(HubTest, AFullDiskIsSaidOnceAndCostsNothing) {
  auto free_bytes = std::make_shared<std::atomic<std::int64_t>>(std::int64_t{1} << 40);
  HubOptions options;
  options.writer.disk_space = [free_bytes](const std::string&) { return DiskSpace{*free_bytes, std::int64_t{1} << 30}; };
  auto hub = serve(options);
  auto agent_options = agentOptions(hub->address());
  std::vector<std::string> lines;
  std::mutex mutex;
  agent_options.say = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  };
  const auto agent = start(agent_options);
  Recorder& out = agent->recorder();
  const SeriesId id = out.series({.node = out.node(agent->node()), .metric = "power_watts"});
  std::vector<double> said;
  const auto say = [&](int count) {
    for (int i = 0; i < count; ++i) {
      said.push_back(static_cast<double>(said.size()));
      out.sample(id, agent->now(), said.back());
    }
  };
  say(500);
  ASSERT_TRUE(waitUntil([&] { return hub->stats().samples == 500; }));
  *free_bytes = std::int64_t{80} << 20;  // the reserve is a sixteenth of the disk: 64 MiB
  say(500);
  ASSERT_TRUE(waitUntil([&] { return hub->stats().samples == 1'000; })) << "a disk with room is used";
  *free_bytes = std::int64_t{60} << 20;
  say(1'000);
  ASSERT_TRUE(waitUntil([&] { return !hub->stats().store_error.empty(); }));
  EXPECT_THAT(hub->stats().store_error, HasSubstr("s.rgl: its disk is full"));
  // Others are refused in turn, and so is the agent's data meanwhile.
  for (int i = 0; i < 5; ++i) {
    RawAgent other(hub->address());
    (void)other.join(other.hello("s" + std::to_string(i), "other"));
    (void)other.send(RawAgent::batch(4, 0, samplePayload(1)));
    EXPECT_EQ(other.finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  EXPECT_EQ(hub->stats().samples, 1'000);
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(std::ranges::count_if(lines, [](const std::string& line) { return line.find("disk is full") != std::string::npos; }), 1);
  }
  *free_bytes = std::int64_t{1} << 40;
  say(100);
  ASSERT_TRUE(waitUntil([&] { return hub->stats().samples == static_cast<std::int64_t>(said.size()); }));
  EXPECT_TRUE(waitUntil([&] { return hub->stats().store_error.empty(); }));
  EXPECT_TRUE(agent->stop());
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(storedValues("power_watts"), said);
  EXPECT_GE(issueCount("store.refused"), 1);
  EXPECT_EQ(issueCount("wire.gap"), 0);
}

TEST_F(HubTest, StoresABatchOnceHoweverOftenItComes) {
  auto hub = serve();
  {
    RawAgent agent(hub->address());
    ASSERT_TRUE(agent.join(agent.hello()));
    const std::string payload = samplePayload(1);
    agent.sendDefinitions(dictionary.recordsFrom(0));
    agent.send(RawAgent::batch(4, 0, payload));
    agent.send(RawAgent::batch(4, 0, payload));
    EXPECT_TRUE(agent.waitForAck(4, 1));
  }
  RawAgent again(hub->address());
  const auto welcome = again.join(again.hello());
  ASSERT_TRUE(welcome);
  ASSERT_EQ(welcome->resume_size(), 1);
  EXPECT_EQ(welcome->resume(0).next_seq(), 1U);
  again.sendDefinitions(dictionary.recordsFrom(0));
  again.send(RawAgent::batch(4, 0, samplePayload(1)));
  again.send(RawAgent::batch(4, 1, samplePayload(2)));
  EXPECT_TRUE(again.waitForAck(4, 2));
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(storedValues("m"), (std::vector<double>{1, 2}));
}

TEST_F(HubTest, AcknowledgesBehindOneSyncWhenItMustSurviveAPowerCut) {
  auto hub = serve({.writer = {.power_safe = true}});
  const auto agent = start(agentOptions(hub->address()));
  Recorder& out = agent->recorder();
  const SeriesId id = out.series({.node = out.node(agent->node()), .metric = "m"});
  for (int i = 0; i < 100; ++i) out.sample(id, agent->now(), i);
  EXPECT_TRUE(agent->stop()) << "everything must be acknowledged";
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_THAT(storedValues("m"), SizeIs(100));
}

TEST_F(HubTest, RecordsAGapAndGoesOn) {
  auto hub = serve();
  RawAgent agent(hub->address());
  ASSERT_TRUE(agent.join(agent.hello()));
  const std::string first = samplePayload(1), later = samplePayload(2);
  agent.sendDefinitions(dictionary.recordsFrom(0));
  agent.send(RawAgent::batch(4, 0, first));
  v1::Batch batch = RawAgent::batch(4, 5, later);
  batch.mutable_gap()->set_from_seq(1);
  batch.mutable_gap()->set_to_seq(4);
  batch.mutable_gap()->set_reason("spool full");
  agent.send(batch);
  EXPECT_TRUE(agent.waitForAck(4, 6));
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(storedValues("m"), (std::vector<double>{1, 2}));
  EXPECT_EQ(issueCount("wire.gap"), 4);
  const std::vector<Issue> issues = *read()->issues();
  EXPECT_THAT(issues, testing::Contains(testing::Field(&Issue::detail, HasSubstr("spool full"))));
}

TEST_F(HubTest, RefusesAnAgentOfTheFutureWithOneClearLine) {
  auto hub = serve();
  RawAgent agent(hub->address());
  v1::Hello hello = agent.hello();
  hello.set_proto_version(2);
  EXPECT_FALSE(agent.join(hello));
  const grpc::Status status = agent.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("update the hub"));
}

TEST_F(HubTest, RefusesCompressedFrames) {
  auto hub = serve();
  RawAgent agent(hub->address(), "", grpc::InsecureChannelCredentials(), true);
  v1::Hello hello = agent.hello();
  hello.set_agent_version(std::string(200, 'a'));  // gRPC sends data that does not shrink uncompressed
  EXPECT_FALSE(agent.join(hello));
  const grpc::Status status = agent.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("compressed"));
}

TEST_F(HubTest, AcknowledgesGarbageAsAnIssueAndKeepsTheConnection) {
  auto hub = serve();
  RawAgent agent(hub->address());
  ASSERT_TRUE(agent.join(agent.hello()));
  agent.send(RawAgent::batch(4, 0, "\xff\xff\xff garbage"));
  const std::string good = samplePayload(3);
  agent.sendDefinitions(dictionary.recordsFrom(0));
  agent.send(RawAgent::batch(4, 1, good));
  EXPECT_TRUE(agent.waitForAck(4, 2));
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(issueCount("wire.bad_payload"), 1);
  EXPECT_EQ(storedValues("m"), (std::vector<double>{3}));
}

TEST_F(HubTest, RefusesABatchWithAWrongChecksum) {
  auto hub = serve();
  RawAgent agent(hub->address());
  ASSERT_TRUE(agent.join(agent.hello()));
  v1::Batch batch = RawAgent::batch(4, 0, samplePayload(1));
  batch.set_crc32c(batch.crc32c() + 1);
  agent.send(batch);
  EXPECT_EQ(agent.finish().error_code(), grpc::StatusCode::DATA_LOSS);
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(issueCount("wire.bad_batch"), 1);
}

TEST_F(HubTest, RefusesMessagesBeforeHello) {
  auto hub = serve();
  RawAgent agent(hub->address());
  agent.send(RawAgent::batch(4, 0, "x"));
  EXPECT_EQ(agent.finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(HubTest, RefusesASecondSessionOfALiveAgent) {
  auto hub = serve();
  RawAgent first(hub->address());
  ASSERT_TRUE(first.join(first.hello("s1")));
  RawAgent second(hub->address());
  EXPECT_FALSE(second.join(second.hello("s2")));
  EXPECT_EQ(second.finish().error_code(), grpc::StatusCode::ALREADY_EXISTS);
  RawAgent same(hub->address());
  EXPECT_TRUE(same.join(same.hello("s1"))) << "a reconnect of the same session replaces the old connection";
  EXPECT_EQ(first.finish().error_code(), grpc::StatusCode::ABORTED);
}

TEST_F(HubTest, TakesASecondSessionOfAnAgentThatFellSilent) {
  auto hub = serve({.liveness = {.stale_after = 50 * kNsPerMs, .lost_after = 100 * kNsPerMs}});
  RawAgent first(hub->address());
  ASSERT_TRUE(first.join(first.hello("s1")));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  RawAgent second(hub->address());
  EXPECT_TRUE(second.join(second.hello("s2")));
}

TEST_F(HubTest, TellsSilenceAsLostAndTheReturn) {
  auto hub = serve({.liveness = {.stale_after = 100 * kNsPerMs, .lost_after = 300 * kNsPerMs}});
  RawAgent agent(hub->address());
  ASSERT_TRUE(agent.join(agent.hello()));
  const auto live = openStore(store).reader(hub->readerOptions());
  ASSERT_TRUE(live.ok());
  const auto has = [&](const std::string& kind) {
    return waitUntil([&] {
      const std::vector<Event> events = *(*live)->events({});
      return std::any_of(events.begin(), events.end(), [&](const Event& event) { return event.kind == kind; });
    });
  };
  EXPECT_TRUE(has("node_lost"));
  ASSERT_TRUE(agent.beat());
  EXPECT_TRUE(has("node_back"));
}

TEST_F(HubTest, ForgetsNoNodeThatWasAliveWhenItStopped) {
  auto hub = serve();
  {
    RawAgent agent(hub->address());
    ASSERT_TRUE(agent.join(agent.hello()));
  }
  ASSERT_TRUE(hub->stop().ok());
  hub = serve({.liveness = {.stale_after = 50 * kNsPerMs, .lost_after = 100 * kNsPerMs}});
  const auto live = openStore(store).reader(hub->readerOptions());
  ASSERT_TRUE(live.ok());
  EXPECT_TRUE(waitUntil([&] {
    const std::vector<Node> nodes = *(*live)->nodes();
    return !nodes.empty() && nodes[0].state == NodeState::kLost;
  }));
}

TEST_F(HubTest, CountsABatchFromTheFutureByItsArrival) {
  auto hub = serve();
  RawAgent agent(hub->address());
  ASSERT_TRUE(agent.join(agent.hello()));
  WireRecorder out(
      dictionary, [] { return wallNow() + 3600 * kNsPerSecond; }, [] {});
  out.sample(dictionary.series({.metric = "m"}), wallNow() + 3600 * kNsPerSecond, 1);
  agent.sendDefinitions(dictionary.recordsFrom(0));
  agent.send(RawAgent::batch(4, 0, out.take(StreamClass::kMetrics)));
  EXPECT_TRUE(agent.waitForAck(4, 1));
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_GT(issueCount("wire.absurd_time"), 0);
  const auto reader = read();
  const auto samples = reader->samples(reader->series({.metric = "m"})->at(0).id, {});
  ASSERT_THAT(samples->time, SizeIs(1));
  EXPECT_LT(samples->time[0], wallNow());
}

TEST_F(HubTest, ShowsWhatIsNotCommittedToReadersOfItsProcess) {
  auto hub = serve();
  const auto agent = start(agentOptions(hub->address()));
  Recorder& out = agent->recorder();
  out.sample(out.series({.node = out.node(agent->node()), .metric = "m"}), agent->now(), 42);
  (void)out.flush();
  ASSERT_TRUE(waitUntil([&] { return hub->stats().samples >= 1; }));
  auto reader = openStore(store).reader(hub->readerOptions());
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(waitUntil([&] {
    const auto series = (*reader)->series({.metric = "m"});
    return series.ok() && series->size() == 1 && (*reader)->samples(series->at(0).id, {})->value == std::vector<double>{42};
  }));
}

TEST_F(HubTest, NamesThePortThatIsInUse) {
  auto hub = serve();
  const auto second = Hub::start(dir.file("other.rgl"), {.listen = hub->address()});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), Code::kUnavailable);
  EXPECT_THAT(second.status().message(), HasSubstr(hub->address()));
}

TEST_F(HubTest, LeavesAStoreOfAnotherHubAlone) {
  auto hub = serve();
  const auto second = Hub::start(store, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), Code::kAlreadyExists);
}

TEST_F(HubTest, LeavesAStoreOfAnotherHubAloneByALinkToo) {
  auto hub = serve();
  std::filesystem::create_symlink("s.rgl", dir.file("current.rgl"));
  EXPECT_EQ(Hub::start(dir.file("current.rgl"), {}).status().code(), Code::kAlreadyExists);
}

TEST_F(HubTest, ADuplicateIsAcknowledgedWithWhatStandsBeforeItAndNotSooner) {
  auto free_bytes = std::make_shared<std::atomic<std::int64_t>>(std::int64_t{1} << 40);
  HubOptions options;
  options.writer.disk_space = [free_bytes](const std::string&) { return DiskSpace{*free_bytes, std::int64_t{1} << 30}; };
  auto hub = serve(options);
  for (int round = 0; round < 20; ++round) {
    RawAgent agent(hub->address());
    ASSERT_TRUE(agent.join(agent.hello("s" + std::to_string(round), "agent-" + std::to_string(round))));
    *free_bytes = 0;
    // Two batches in a group that the journal refuses.
    agent.send(RawAgent::batch(4, 0, samplePayload(1)));
    agent.send(RawAgent::batch(4, 0, samplePayload(1)));
    EXPECT_FALSE(agent.waitForAck(4, 1));
    *free_bytes = std::int64_t{1} << 40;
  }
}

TEST_F(HubTest, ASyncThatFailedAcknowledgesNothing) {
  auto hub = serve({.writer = {.power_safe = true}});
  {
    RawAgent agent(hub->address());
    ASSERT_TRUE(agent.join(agent.hello()));
    agent.sendDefinitions(dictionary.recordsFrom(0));
    g_failing_syncs = 1;
    agent.send(RawAgent::batch(4, 0, samplePayload(1)));
    EXPECT_FALSE(agent.waitForAck(4, 1));
    EXPECT_EQ(g_failing_syncs, 0);
  }
  std::unique_ptr<RawAgent> again;
  ASSERT_TRUE(rejoins(*hub, again)) << "what was taken is stored, and the journal goes on in another file";
  again->sendDefinitions(dictionary.recordsFrom(0));
  again->send(RawAgent::batch(4, 0, samplePayload(1)));
  again->send(RawAgent::batch(4, 1, samplePayload(2)));
  EXPECT_TRUE(again->waitForAck(4, 2));
  again.reset();
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_THAT(storedValues("m"), SizeIs(2));
  EXPECT_GE(issueCount("store.refused"), 1);
}

// Previously, the batch whose arrival revealed that an earlier sync had failed was journaled, and then neither recorded nor accepted again.
TEST_F(HubTest, WhatWasJournaledWhenASyncHadFailedIsStored) {
  auto hub = serve();
  std::uint64_t sent = 0;
  (void)samplePayload(0);  // defines the series
  {
    RawAgent agent(hub->address());
    ASSERT_TRUE(agent.join(agent.hello()));
    agent.sendDefinitions(dictionary.recordsFrom(0));
    g_failing_syncs = 1;
    // Until the session ends: syncs are grouped.
    while (agent.send(RawAgent::batch(4, sent, samplePayload(static_cast<double>(sent))))) {
      ++sent;
      if (!agent.waitForAck(4, sent)) break;
    }
    EXPECT_EQ(g_failing_syncs, 0);
  }
  ASSERT_GT(sent, 0U);
  std::unique_ptr<RawAgent> again;
  ASSERT_TRUE(rejoins(*hub, again));
  again->sendDefinitions(dictionary.recordsFrom(0));
  again->send(RawAgent::batch(4, sent - 1, samplePayload(static_cast<double>(sent))));
  EXPECT_TRUE(again->waitForAck(4, sent));
  again.reset();
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_THAT(storedValues("m"), SizeIs(sent));
}

TEST_F(HubTest, StopsWithManyOpenStreamsInTime) {
  auto hub = serve();
  std::vector<std::unique_ptr<RawAgent>> agents;
  for (int i = 0; i < 100; ++i) {
    agents.push_back(std::make_unique<RawAgent>(hub->address()));
    ASSERT_TRUE(agents.back()->join(agents.back()->hello("s", "agent-" + std::to_string(i)))) << i;
  }
  EXPECT_EQ(hub->stats().agents, 100);
  EXPECT_TRUE(hub->stop().ok());
  EXPECT_EQ(agents[0]->finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace runglass
