// SPDX-License-Identifier: Apache-2.0
// The capture source with real processes: what it captures, what it refuses, and that it never ends a process.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include "collectors/sources/capture/capture_source.h"
#include "collectors/sources/capture/kernel_tail.h"
#include "collectors/sources/capture/process_look.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A Python process without torch that has registered and now waits in a function whose name is in its stack.
constexpr const char* kTrainer = R"(
import os, signal, sys, time
sys.path.insert(0, os.environ["RG_PYTHON"])
import runglass as rg
def inside_the_collective():
    print("ready", flush=True)
    while True:
        time.sleep(0.05)
assert rg.init(run="r", rank=int(os.environ["RANK"]), world=2)
if "UNARM" in os.environ:
    signal.signal(signal.SIGURG, signal.SIG_DFL)
inside_the_collective()
)";

class PythonTrainer {
 public:
  PythonTrainer(const TempFolder& dir, std::int32_t rank, std::vector<std::pair<std::string, std::string>> more = {}) {
    std::array<int, 2> ends{};
    RG_CHECK(pipe(ends.data()) == 0);
    m_pid = fork();
    if (m_pid == 0) {
      dup2(ends[1], 1);
      close(ends[0]);
      setenv("RG_PYTHON", RG_SOURCE_DIR "/collectors/client/python", 1);
      setenv("RUNGLASS_DIR", dir.path().c_str(), 1);
      setenv("RANK", std::to_string(rank).c_str(), 1);
      for (const auto& [name, value] : more) setenv(name.c_str(), value.c_str(), 1);
      execlp("python3", "python3", "-c", kTrainer, nullptr);
      _exit(127);
    }
    close(ends[1]);
    char line[8] = {};
    EXPECT_GT(read(ends[0], line, sizeof line), 0) << "no python3, or it failed";
    m_output = ends[0];  // open as long as it may print
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      if (entry.path().filename().string().starts_with(std::to_string(m_pid) + "-") && entry.path().extension() == ".ring")
        m_ring = entry.path();
    m_rank = rank;
  }
  ~PythonTrainer() {
    kill(m_pid, SIGKILL);
    waitpid(m_pid, nullptr, 0);
    close(m_output);
  }
  PythonTrainer(const PythonTrainer&) = delete;
  bool lives() const { return waitpid(m_pid, nullptr, WNOHANG) == 0; }
  // It has registered before it sleeps in its collective.
  void waitAsleep() const {
    EXPECT_TRUE(waitUntil([&] { return lookAt("/", m_pid)->state == 'S'; }));
  }
  std::string stackFile() const { return std::filesystem::path(m_ring).replace_extension(".stack"); }
  pid_t pid() const { return m_pid; }
  const std::string& ring() const { return m_ring; }
  std::int32_t rank() const { return m_rank; }

 private:
  pid_t m_pid = 0;
  int m_output = -1;
  std::int32_t m_rank = 0;
  std::string m_ring;
};

class CaptureSourceTest : public testing::Test {
 protected:
  CaptureSourceTest() {
    m_context.node = {.uuid = "node-uuid", .name = "n0"};
    m_context.now = [] { return wallNow(); };
    m_context.config = &m_config;
    m_context.ranks = &m_ranks;
    m_context.orders = &m_orders;
    m_config.insert("kernel_log", "");
    m_config.insert("nvidia_smi", "");
    m_config.insert("py_spy", "");
    m_config.insert("nccl_ras", "127.0.0.1:1");  // no process listens there
  }
  void know(const PythonTrainer& trainer) {
    const AttemptId attempt = m_out.attempt({.run = m_out.run({.name = "r"}), .key = "a"});
    m_ranks.put({.pid = trainer.pid(),
                 .rank = {.attempt = attempt, .rank = trainer.rank(), .pid = trainer.pid()},
                 .run = "r",
                 .attempt_key = "a",
                 .ring = trainer.ring()});
  }
  // Starts a capture and returns the answer; then polls until the capture's event is recorded.
  OrderQueue::Answer capture(std::vector<std::int32_t> ranks = {}) {
    if (!std::exchange(m_started, true)) {
      EXPECT_TRUE(m_source->start(m_out, m_context).ok());
    }
    m_orders.ask({.id = ++m_order, .order = {.kind = OrderKind::kCapture, .run = "r", .ranks = std::move(ranks), .number = 1}});
    OrderQueue::Answer answer;
    const std::size_t events = m_out.events.size();
    EXPECT_TRUE(waitUntil([&] {
      m_source->poll(m_out, wallNow());
      for (OrderQueue::Answer& one : m_orders.answers()) answer = std::move(one);
      return m_out.events.size() > events || (answer.id != 0 && !answer.status.ok());
    }));
    return answer;
  }
  std::vector<Capture> of(std::string_view kind) const {
    std::vector<Capture> found;
    for (const Capture& capture : m_out.captures)
      if (capture.kind == kind) found.push_back(capture);
    return found;
  }

  TempFolder m_dir;
  toml::table m_config;
  RankTable m_ranks;
  OrderQueue m_orders;
  SourceContext m_context;
  MemoryRecorder m_out;
  std::unique_ptr<Source> m_source = makeCaptureSource();
  bool m_started = false;
  std::uint64_t m_order = 0;
};

TEST_F(CaptureSourceTest, TakesThePythonStackAndTheProcessStateOfEveryTrainer) {
  const PythonTrainer zero(m_dir, 0), one(m_dir, 1);
  know(zero), know(one);
  zero.waitAsleep(), one.waitAsleep();
  const auto answer = capture();
  EXPECT_TRUE(answer.status.ok()) << answer.status.message();
  EXPECT_THAT(answer.ranks, ElementsAre(0, 1));
  EXPECT_THAT(answer.note, AllOf(HasSubstr("process 2, stack 2"), HasSubstr("nccl_ras: 127.0.0.1:1"), HasSubstr("no debug pipe")));
  ASSERT_THAT(of("stack"), SizeIs(2));
  for (const Capture& stack : of("stack")) {
    EXPECT_THAT(stack.text, HasSubstr("in inside_the_collective"));
    EXPECT_EQ(stack.source, "faulthandler");
    EXPECT_EQ(stack.reason, "stall");
    EXPECT_TRUE(stack.attempt);
  }
  ASSERT_THAT(of("process"), SizeIs(2));
  EXPECT_THAT(of("process")[0].text, AllOf(HasSubstr("State:\tS (sleeping)"), HasSubstr("wchan: "), HasSubstr("thread ")));
  EXPECT_TRUE(zero.lives() && one.lives());
  ASSERT_THAT(m_out.events, SizeIs(1));
  EXPECT_EQ(m_out.events[0].kind, "capture");
  EXPECT_EQ(m_out.events[0].code, "stall");
  m_out.captures.clear();
  EXPECT_THAT(capture({1}).ranks, ElementsAre(1));
  ASSERT_THAT(of("stack"), SizeIs(1));
  EXPECT_EQ(of("stack")[0].rank, 1);
  EXPECT_THAT(of("stack")[0].text, Not(HasSubstr("runglass stacks"))) << "only what this capture asked for";
}

TEST_F(CaptureSourceTest, AStoppedProcessGetsNoSignalAndIsNamedAsStopped) {
  const PythonTrainer zero(m_dir, 0);
  know(zero);
  ASSERT_EQ(kill(zero.pid(), SIGSTOP), 0);
  ASSERT_TRUE(waitUntil([&] { return lookAt("/", zero.pid())->stopped(); }));
  const auto answer = capture();
  EXPECT_THAT(answer.note, HasSubstr("stack: the process cannot answer, it is in state T (stopped) (rank 0)"));
  EXPECT_THAT(of("stack"), IsEmpty());
  ASSERT_THAT(of("process"), SizeIs(1));
  EXPECT_THAT(of("process")[0].text, HasSubstr("State:\tT (stopped)"));
  kill(zero.pid(), SIGCONT);
  zero.waitAsleep();  // a pending signal would already have been handled
  EXPECT_TRUE(zero.lives());
  EXPECT_THAT(std::filesystem::file_size(zero.stackFile()), testing::Lt(100u)) << "nothing was pending";
}

TEST_F(CaptureSourceTest, AProcessInUninterruptibleSleepIsLookedAtAgainAfterTwoSeconds) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[1]);
    // Until its child ends, which waits for this end of the pipe, the parent is in state D.
    char byte = 0;
    if (vfork() == 0) {
      (void)!read(ends[0], &byte, 1);
      _exit(0);
    }
    _exit(0);
  }
  close(ends[0]);
  ASSERT_TRUE(waitUntil([&] { return lookAt("/", parent)->state == 'D'; }));
  const AttemptId attempt = m_out.attempt({.run = m_out.run({.name = "r"}), .key = "a"});
  m_ranks.put(
      {.pid = parent, .rank = {.attempt = attempt, .rank = 0, .pid = parent}, .run = "r", .attempt_key = "a", .ring = "/none.ring"});
  capture();
  const auto process = of("process");
  EXPECT_THAT(process, SizeIs(2));
  for (const Capture& one : process) EXPECT_THAT(one.text, HasSubstr("State:\tD (disk sleep)"));
  if (process.size() == 2) EXPECT_GE(process[1].time - process[0].time, 2 * kNsPerSecond);
  close(ends[1]);
  waitpid(parent, nullptr, 0);
}

TEST_F(CaptureSourceTest, PySpyIsAskedWhereFaulthandlerCannotAnswer) {
  const PythonTrainer zero(m_dir, 0);
  know(zero);
  const std::string spy = m_dir.file("spy");
  std::ofstream(spy) << "#!/bin/sh\necho spied \"$@\"\n";
  std::filesystem::permissions(spy, std::filesystem::perms::owner_all);
  m_config.insert_or_assign("py_spy", spy);
  capture();
  ASSERT_THAT(of("stack"), SizeIs(1));
  EXPECT_EQ(of("stack")[0].source, "faulthandler") << "not where it is not needed";
  m_out.captures.clear();
  kill(zero.pid(), SIGSTOP);
  ASSERT_TRUE(waitUntil([&] { return lookAt("/", zero.pid())->stopped(); }));
  capture();
  ASSERT_THAT(of("stack"), SizeIs(1));
  EXPECT_EQ(of("stack")[0].source, "py-spy");
  EXPECT_EQ(of("stack")[0].text, "spied dump --nonblocking --pid " + std::to_string(zero.pid()) + "\n");
}

TEST_F(CaptureSourceTest, OneThatDidNotArmIsNeverSignalled) {
  const PythonTrainer zero(m_dir, 0, {{"RUNGLASS_STACKS", "off"}});
  know(zero);
  EXPECT_THAT(capture().note, HasSubstr("its Python did not arm faulthandler (rank 0)"));
  // A file of another user, a link, a file that is not a dump's, one that another process armed: none of them causes a signal.
  const PythonTrainer one(m_dir, 1);
  const auto refusal = [&] {
    const std::string note = capture().note;
    EXPECT_TRUE(zero.lives());
    EXPECT_THAT(of("stack"), IsEmpty());
    std::filesystem::remove(zero.stackFile());
    return note;
  };
  std::filesystem::create_symlink(one.stackFile(), zero.stackFile());
  EXPECT_THAT(refusal(), HasSubstr("Too many levels of symbolic links"));
  std::ofstream(zero.stackFile()) << "hello\n";
  EXPECT_THAT(refusal(), HasSubstr("is not what this process armed"));
  std::filesystem::copy_file(one.stackFile(), zero.stackFile());
  EXPECT_THAT(refusal(), HasSubstr("is not what this process armed"));
  std::ofstream(zero.stackFile()) << "runglass stacks 1 pid " << zero.pid() << " signal 10\n";  // SIGUSR1 would end the process
  EXPECT_THAT(refusal(), HasSubstr("is not what this process armed"));
  std::ofstream(zero.stackFile()) << "runglass stacks 1 pid " << zero.pid() << " signal 23\n";
  EXPECT_THAT(refusal(), HasSubstr("does not hold its stack file open"));
  std::filesystem::create_hard_link(one.stackFile(), zero.stackFile());
  EXPECT_THAT(refusal(), HasSubstr("is not a file of the trainer's own"));
  EXPECT_TRUE(one.lives());
}

TEST_F(CaptureSourceTest, OneThatArmedButLostItsHandlerOrHasOneOfItsOwnIsNotSignalled) {
  const PythonTrainer zero(m_dir, 0, {{"UNARM", "1"}});
  know(zero);
  EXPECT_THAT(capture().note, HasSubstr("it does not catch the signal that it armed (rank 0)"));
  EXPECT_TRUE(zero.lives());
  EXPECT_THAT(std::filesystem::file_size(zero.stackFile()), testing::Lt(100u));
}

TEST_F(CaptureSourceTest, AnOrderThatFitsNobodyIsRefusedAndSoIsASecondCaptureMeanwhile) {
  EXPECT_EQ(capture().status.code(), Code::kNotFound);
  const PythonTrainer zero(m_dir, 0);
  know(zero);
  for (std::uint64_t id = 100; id < 102; ++id) m_orders.ask({.id = id, .order = {.kind = OrderKind::kCapture, .run = "r"}});
  m_source->poll(m_out, wallNow());
  const auto answers = m_orders.answers();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].id, 101u);
  EXPECT_EQ(answers[0].status.code(), Code::kResourceExhausted);
}

TEST_F(CaptureSourceTest, APieceBeyondTheHoursBudgetIsLeftOutAndReported) {
  const std::string log = m_dir.file("kmsg");
  std::ofstream(log) << std::string(1000 << 10, 'k') << "\n";
  m_config.insert_or_assign("kernel_log", log);
  m_config.insert_or_assign("kernel_log_kib", 1024);
  m_config.insert_or_assign("hourly_mib", 1);
  const PythonTrainer zero(m_dir, 0);
  know(zero);
  EXPECT_THAT(capture().note, HasSubstr("kernel_log 1"));
  EXPECT_THAT(capture().note, HasSubstr("refused: kernel_log: the node's budget of this hour is used up"));
  EXPECT_EQ(m_out.issueCount("capture.over_budget"), 1);
}

TEST_F(CaptureSourceTest, TheKernelsLogIsItsTailAsDmesgPrintsIt) {
  const std::string log = m_dir.file("kmsg");
  {
    std::ofstream out(log);
    for (int i = 0; i < 5000; ++i) out << "6," << i << "," << 1'000'000 + i << ",-;line " << i << "\n";
    out << "3,5000,7000042,-;NVRM: Xid (PCI:0000:9b:00): 79\n";
  }
  m_config.insert_or_assign("kernel_log", log);
  m_config.insert_or_assign("kernel_log_kib", 4);
  const PythonTrainer zero(m_dir, 0);
  know(zero);
  capture();
  ASSERT_THAT(of("kernel_log"), SizeIs(1));
  const Capture tail = of("kernel_log")[0];
  EXPECT_TRUE(tail.text.ends_with("[    7.000042] <3> NVRM: Xid (PCI:0000:9b:00): 79\n")) << tail.text.substr(tail.text.size() - 80);
  EXPECT_LE(tail.text.size(), 4096u);
  EXPECT_GT(tail.truncated_bytes, 100'000);
  EXPECT_FALSE(tail.rank);
}

TEST_F(CaptureSourceTest, TheTailOfALargeFileIsItsEndInWholeLines) {
  const std::string log = m_dir.file("kern.log");
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += std::to_string(100'000'000 + i) + std::string(91, 'k') + "\n";
  std::ofstream(log) << lines;  // 20 MB
  const auto tail = kernelTail(log, 4000);
  ASSERT_TRUE(tail.ok());
  EXPECT_EQ(tail->text.size(), 4000u);
  EXPECT_TRUE(lines.ends_with(tail->text)) << tail->text.substr(tail->text.size() - 200);
  EXPECT_EQ(tail->truncated_bytes, static_cast<std::int64_t>(lines.size()) - 4000);
  const auto odd = kernelTail(log, 19'999);
  EXPECT_EQ(odd->text.size(), 19'999u);
  EXPECT_EQ(odd->truncated_bytes, static_cast<std::int64_t>(lines.size()) - 19'999);
  std::ofstream(log) << std::string(10'000, 'x');
  EXPECT_EQ(kernelTail(log, 4000)->text, std::string(3999, 'x') + "\n") << "a line that is longer than the tail";
}

TEST_F(CaptureSourceTest, AToolThatHangsIsGivenUpAndOneThatFailsIsNamed) {
  const std::string tool = m_dir.file("smi");
  std::ofstream(tool) << "#!/bin/sh\necho no devices were found; exit 6\n";
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  m_config.insert_or_assign("nvidia_smi", tool);
  const PythonTrainer zero(m_dir, 0);
  know(zero);
  EXPECT_THAT(capture().note, HasSubstr("nvml: nvidia-smi -q failed: no devices were found"));
  std::ofstream(tool, std::ios::trunc) << "#!/bin/sh\nexec sleep 600\n";
  const TimeNs began = monotonicNow();
  EXPECT_THAT(capture().note, HasSubstr("on its way: nvml 1")) << "the answer does not wait for it";
  EXPECT_LT(std::chrono::nanoseconds(monotonicNow() - began), kDeadline);
  EXPECT_THAT(m_out.events.back().message, HasSubstr("nvml: nvidia-smi -q did not end in time"));
}

TEST_F(CaptureSourceTest, NcclRasIsAskedWhereItListensAndNeverElsewhereForATrainer) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  ASSERT_EQ(listen(listener, 1), 0);
  std::string asked(64, '\0');
  std::jthread ras([&] {
    const int peer = accept(listener, nullptr, nullptr);
    const ssize_t got = recv(peer, asked.data(), asked.size(), 0);
    asked.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    const std::string_view words = "NCCL version 2.26.2\nJob summary\n#0-3 INCOMPLETE\n";
    EXPECT_GT(send(peer, words.data(), words.size(), 0), 0);
    close(peer);
  });
  m_config.erase("nccl_ras");
  {
    const PythonTrainer zero(m_dir, 0, {{"NCCL_RAS_ADDR", "127.0.0.1:" + std::to_string(ntohs(address.sin_port))}});
    know(zero);
    capture();
    ras.join();
    close(listener);
    EXPECT_EQ(asked, "verbose status\n");
    ASSERT_THAT(of("nccl_ras"), SizeIs(1));
    EXPECT_THAT(of("nccl_ras")[0].text, HasSubstr("INCOMPLETE"));
    m_ranks.drop(zero.pid());
  }
  const PythonTrainer far(m_dir, 1, {{"NCCL_RAS_ADDR", "192.0.2.1:80"}});
  know(far);
  EXPECT_THAT(capture().note, HasSubstr("refused: nccl_ras: 192.0.2.1:80: not on this machine"));
}

// PyTorch's side: a pipe that is read, and a dump that is written after a byte arrives.
class FlightRecorderTest : public CaptureSourceTest {
 protected:
  void start(const std::string& pipe_prefix) {
    m_trainer.emplace(m_dir, 0,
                      std::vector<std::pair<std::string, std::string>>{{"TORCH_NCCL_DEBUG_INFO_PIPE_FILE", pipe_prefix},
                                                                       {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", m_dump_prefix}});
    know(*m_trainer);
  }
  void writeDumpOnPoke(std::string bytes) {
    ASSERT_EQ(mkfifo((m_pipe_prefix + "0.pipe").c_str(), 0600), 0);
    m_reader = open((m_pipe_prefix + "0.pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(m_reader, 0);
    m_writer = std::jthread([this, bytes = std::move(bytes)](const std::stop_token& stop) {
      for (char byte = 0; !stop.stop_requested(); usleep(5000)) {
        if (read(m_reader, &byte, 1) != 1) continue;
        ++m_pokes;
        // In two parts, like on a slow disk.
        std::ofstream out(m_dump_prefix + "0", std::ios::binary | std::ios::trunc);
        out << bytes.substr(0, bytes.size() / 2) << std::flush;
        usleep(100'000);
        out << bytes.substr(bytes.size() / 2) << std::flush;
      }
    });
  }
  void TearDown() override {
    m_writer = {};
    if (m_reader >= 0) close(m_reader);
  }
  static std::string dump(int completed) {
    std::string entries;
    for (int i = 1; i <= completed + 1; ++i) {
      const bool done = i <= completed;
      entries += (i == 1 ? "" : ",") + std::string(R"({"record_id":)") + std::to_string(i) +
                 R"(,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":)" + std::to_string(i) +
                 R"(,"op_id":1,"profiling_name":"nccl:all_reduce","time_created_ns":)" +
                 std::to_string(1'700'000'000'000'000'000 + i * 1000) + R"(,"input_sizes":[[1024]],"input_dtypes":["Float"],"state":")" +
                 (done ? "completed" : "scheduled") + R"(")" +
                 (done ? R"(,"time_discovered_completed_ns":)" + std::to_string(1'700'000'000'000'000'500 + i * 1000) : "") + "}";
    }
    return R"({"version":"2.4","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"pg_status":{"0":{"last_enqueued_collective":)" +
           std::to_string(completed + 1) + R"(,"last_started_collective":1,"last_completed_collective":)" + std::to_string(completed) +
           R"(}},"entries":[)" + entries + "]}";
  }
  std::size_t spans() const {
    std::size_t count = 0;
    for (const auto& [track, batches] : m_out.span_batches)
      for (const SpanColumns& columns : batches) count += columns.size();
    return count;
  }

  std::string m_pipe_prefix = m_dir.file("pipe"), m_dump_prefix = m_dir.file("trace_rank_");
  std::optional<PythonTrainer> m_trainer;
  int m_reader = -1;
  std::atomic<int> m_pokes = 0;
  std::jthread m_writer;
};

TEST_F(FlightRecorderTest, OneByteMakesTheTrainerDumpAndTheDumpIsPartOfItsRun) {
  start(m_pipe_prefix);
  writeDumpOnPoke(dump(3));
  capture();
  EXPECT_EQ(m_pokes, 1);
  ASSERT_THAT(of("flight_recorder"), SizeIs(1)) << m_out.events.back().message;
  EXPECT_THAT(of("flight_recorder")[0].text, AllOf(HasSubstr("3 collectives"), HasSubstr("last_completed_collective\":3")));
  EXPECT_EQ(spans(), 3u) << "the one that waits is the progress";
  EXPECT_THAT(m_out.groups, SizeIs(1));
  EXPECT_THAT(m_out.runs, SizeIs(1)) << "the trainer's own run";
  EXPECT_EQ(m_out.runs[0].end, std::nullopt) << "it lives";
  EXPECT_THAT(m_out.attempts, SizeIs(1));
  ASSERT_THAT(m_out.progresses, SizeIs(1));
  EXPECT_EQ(m_out.progresses[0].seq, 4);
  capture();
  EXPECT_EQ(m_pokes, 2);
  EXPECT_EQ(spans(), 3u) << "the same dump again adds nothing";
}

TEST_F(FlightRecorderTest, APipeThatNobodyReadsOrThatIsNoneIsNotWrittenTo) {
  const std::string pipe = m_pipe_prefix + "0.pipe";
  start(m_pipe_prefix);
  EXPECT_THAT(capture().note, HasSubstr("flight_recorder: " + pipe + ": No such file"));
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(capture().note, HasSubstr("flight_recorder: " + pipe + ": no process reads it"));
  std::filesystem::remove(pipe);
  std::ofstream(pipe) << "precious";
  EXPECT_THAT(capture().note, HasSubstr("refused: flight_recorder: " + pipe + ": is no pipe"));
  std::filesystem::rename(pipe, m_dir.file("file"));
  std::filesystem::create_symlink(m_dir.file("file"), pipe);
  EXPECT_THAT(capture().note, HasSubstr("refused: flight_recorder: " + pipe + ": is no pipe"));
  EXPECT_EQ(std::filesystem::file_size(m_dir.file("file")), 8u);
}

TEST_F(FlightRecorderTest, ADumpThatWouldRunSomethingIsRefusedAndCounted) {
  start(m_pipe_prefix);
  writeDumpOnPoke(std::string("\x80\x02") + "cos\nsystem\nq\x00X\x04\x00\x00\x00" + "true\x85R.");
  capture();
  EXPECT_THAT(m_out.events.back().message, AllOf(HasSubstr("refused: flight_recorder"), HasSubstr("nothing of it was executed")));
  EXPECT_EQ(m_out.issueCount("capture.bad_dump"), 1);
  EXPECT_EQ(spans(), 0u);
}

TEST_F(FlightRecorderTest, ADumpTooLargeIsNotReadAndALinkNeitherAndOneOfTheWatchdogsIsTaken) {
  start("");  // no pipe: the watchdog's dump, written on its timeout
  std::ofstream(m_dump_prefix + "0").put('\x80');
  std::filesystem::resize_file(m_dump_prefix + "0", 65LL << 20);
  EXPECT_THAT(capture().note, HasSubstr("larger than 64 MiB"));
  EXPECT_EQ(m_out.issueCount("capture.bad_dump"), 1);
  std::filesystem::rename(m_dump_prefix + "0", m_dir.file("other"));
  std::ofstream(m_dir.file("elsewhere")) << dump(2);
  std::filesystem::create_symlink(m_dir.file("elsewhere"), m_dump_prefix + "0");
  capture();
  EXPECT_EQ(spans(), 0u);
  std::filesystem::remove(m_dump_prefix + "0");
  std::ofstream(m_dump_prefix + "0") << dump(2);
  capture();
  EXPECT_EQ(spans(), 2u) << m_out.events.back().message;
}

TEST_F(FlightRecorderTest, ACollectiveThatSeveralDumpsHaveIsRecordedOnceAlsoByTheNextAgent) {
  const TempFolder state;
  m_context.state_dir = state.path();
  start("");
  const auto recordedAfter = [&](int completed) {
    std::ofstream(m_dump_prefix + "0") << dump(completed);
    capture();
    return spans();
  };
  EXPECT_EQ(recordedAfter(2), 2u) << m_out.events.back().message;
  EXPECT_EQ(recordedAfter(4), 4u) << "the third was open in the dump before";
  m_source = makeCaptureSource();
  ASSERT_TRUE(m_source->start(m_out, m_context).ok());
  RankTable nobody_yet;
  m_context.ranks = &nobody_yet;
  m_source->poll(m_out, wallNow());
  m_context.ranks = &m_ranks;
  capture();
  EXPECT_THAT(m_out.events.back().message, HasSubstr("no debug pipe")) << "it was read before";
  EXPECT_EQ(recordedAfter(5), 5u);
  for (const auto& [track, batches] : m_out.span_batches)
    for (const SpanColumns& columns : batches) EXPECT_THAT(columns.dur, testing::Each(500));
}

TEST_F(CaptureSourceTest, AtAStopItTakesWhatAsksNothingOfATrainer) {
  const PythonTrainer zero(m_dir, 0);
  know(zero);
  ASSERT_TRUE(m_source->start(m_out, m_context).ok());
  m_source->stop(m_out);
  ASSERT_THAT(m_out.captures, SizeIs(1));
  EXPECT_EQ(m_out.captures[0].kind, "process");
  EXPECT_EQ(m_out.captures[0].reason, "sigterm");
  EXPECT_THAT(std::filesystem::file_size(zero.stackFile()), testing::Lt(100u));
}

}  // namespace
}  // namespace runglass::test
