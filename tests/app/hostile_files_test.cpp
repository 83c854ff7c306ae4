// SPDX-License-Identifier: GPL-3.0-or-later
// Malicious files in the shipped `runglassctl import`: nothing is written outside the store, and memory and time stay near those of an
// ordinary import.
#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <set>

#include "tests/app/ctl_fixture.h"
#include "tests/support/sanitized.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr double kMaxGrowthMib = 256, kMaxSeconds = 10;
constexpr std::uint64_t kMiB = 1 << 20;

const std::string kLog = "iter 0: loss 4.2, time 135.11ms, mfu 17.50%\niter 1: loss 4.1, time 135.11ms, mfu 17.50%\n";

// A tar written header by header, so that it can contain what no archiver would write.
class Tar {
 public:
  // `claimed`: the size in the header; absent: the content's.
  Tar& add(const std::string& name, char type, const std::string& content, std::optional<std::uint64_t> claimed = {},
           const std::string& link = "") {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, std::string_view text, std::size_t room) {
      header.replace(at, std::min(text.size(), room), text.substr(0, room));
    };
    put(0, name, 100);
    put(100, "0000644", 8);
    put(108, "0000000", 8);
    put(116, "0000000", 8);
    header[124] = static_cast<char>(0x80);  // base 256, for any size
    const std::uint64_t size = claimed.value_or(content.size());
    for (int i = 0; i < 8; ++i) header[static_cast<std::size_t>(135 - i)] = static_cast<char>(size >> (8 * i));
    put(136, "00000000000", 12);
    put(148, "        ", 8);
    header[156] = type;
    put(157, link, 100);
    put(257,
        std::string_view("ustar\0"
                         "00",
                         8),
        8);
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    char octal[8];
    std::snprintf(octal, sizeof octal, "%06o", sum);
    put(148, std::string_view(octal, 7), 7);
    m_bytes += header + content + std::string((512 - content.size() % 512) % 512, '\0');
    return *this;
  }
  std::string end() const { return m_bytes + std::string(1024, '\0'); }
  const std::string& cut() const { return m_bytes; }

 private:
  std::string m_bytes;
};

// A Zstandard frame of raw blocks and of blocks that repeat one byte: 128 KiB in four bytes.
class Zstd {
 public:
  Zstd& raw(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), kBlock))) {
      const std::string_view part = text.substr(0, kBlock);
      block(0, part.size());
      m_bytes += part;
    }
    return *this;
  }
  Zstd& repeat(char byte, std::uint64_t bytes) {
    for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, kBlock)) {
      block(1, std::min<std::uint64_t>(bytes, kBlock));
      m_bytes += byte;
    }
    return *this;
  }
  // Followed by this many bytes that decode to nothing: the limits of the ratio are those of a larger file.
  std::string end(std::uint32_t idle) const {
    std::string bytes = m_bytes + std::string("\x01\0\0", 3) + "\x50\x2A\x4D\x18";
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(idle >> (8 * i));
    return bytes + std::string(idle, 'x');
  }

 private:
  static constexpr std::size_t kBlock = 128 << 10;
  void block(unsigned type, std::uint64_t size) {
    const std::uint64_t header = size << 3 | type << 1;
    for (int i = 0; i < 3; ++i) m_bytes += static_cast<char>(header >> (8 * i));
  }
  std::string m_bytes = std::string("\x28\xB5\x2F\xFD\x00\x38", 6);
};

struct Measured {
  Outcome outcome;
  double mib = 0, seconds = 0;  // of processor time: other processes may use the machine too
};

class HostileFiles : public CtlFixture {
 protected:
  // The imports run in in/here, so that names that lead out of it stay within the test's folder.
  void SetUp() override {
    m_before = fs::current_path();
    fs::create_directories(m_folder.file("in/here"));
    fs::current_path(m_folder.file("in/here"));
  }
  void TearDown() override { fs::current_path(m_before); }
  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(m_folder.file("in/" + name), std::ios::binary) << content;
    return m_folder.file("in/" + name);
  }
  Measured import(const std::string& path) {
    const pid_t child = start({"import", "--store", m_store, path});
    int status = 0;
    rusage used{};
    EXPECT_EQ(::wait4(child, &status, 0, &used), child);
    const auto of = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
    return {
        .outcome = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(m_folder.file("stdout")), contentOf(m_folder.file("stderr"))},
        .mib = static_cast<double>(used.ru_maxrss) / 1024,
        .seconds = of(used.ru_utime) + of(used.ru_stime)};
  }
  // An exit of 0 or 1, in time, with at most one line on stderr and little more memory than an ordinary file takes.
  Outcome expectBounded(const std::string& path) {
    static const double ordinary = [this] {
      const std::string log = put("ordinary.log", kLog);
      const double mib = import(log).mib;
      fs::remove(log);
      return mib;
    }();
    const Measured got = import(path);
    const std::string name = fs::path(path).filename();
    EXPECT_TRUE(got.outcome.exit == 0 || got.outcome.exit == 1) << name << ": " << got.outcome.exit << ": " << got.outcome.err;
    EXPECT_LE(std::count(got.outcome.err.begin(), got.outcome.err.end(), '\n'), 1) << name << ": " << got.outcome.err;
    if (!test::kSanitized) {
      EXPECT_LE(got.mib - ordinary, kMaxGrowthMib) << name;
      EXPECT_LE(got.seconds, kMaxSeconds) << name;
    }
    return got.outcome;
  }
  // All files below the test's folder, except those of the store and of the output.
  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(m_folder.path()))
      if (const std::string path = entry.path();
          !path.starts_with(m_store) && path != m_folder.file("stdout") && path != m_folder.file("stderr"))
        found.insert(path);
    return found;
  }

 private:
  fs::path m_before;
};

TEST_F(HostileFiles, AnArchiveWritesNothingWhereItsNamesLead) {
  fs::create_directory(m_folder.file("target"));
  std::ofstream(m_folder.file("target/file.log")) << "mine";
  Tar tar;
  for (const std::string& name : {std::string("../escaped.log"), std::string("../../escaped.log"), std::string("a/../../../escaped.log"),
                                  m_folder.file("absolute.log"), std::string("/../escaped.log"), std::string("..\\escaped.log"),
                                  std::string("\x1b[2J.log"), std::string("C:\\x.log"), std::string("./a//b/./c.log"), std::string("")})
    tar.add(name, '0', kLog);
  tar.add("link", '2', "", {}, m_folder.file("target")).add("link/file.log", '0', kLog).add("link/new.log", '0', kLog);
  tar.add("hard", '1', "", {}, m_folder.file("target/file.log")).add("hard", '0', kLog);
  tar.add("device", '3', "").add("pipe", '6', "").add("../folder", '5', "");
  tar.add("long", 'L', std::string(100'000, 'x') + "/../../../escaped.log").add("short", '0', kLog);
  const std::string path = put("names.tar", tar.end());
  const std::set<std::string> before = files();
  const Outcome done = expectBounded(path);
  EXPECT_EQ(files(), before);
  EXPECT_EQ(contentOf(m_folder.file("target/file.log")), "mine");
  EXPECT_EQ(done.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(query("SELECT count(*) > 0 AS some FROM run").out, "some\n1\n") << "members are read whatever they are called";
}

TEST_F(HostileFiles, SizesThatAnArchiveClaimsAreNotBelieved) {
  const auto damaged = [this](const std::string& name, const std::string& bytes, const std::string& why) {
    const Outcome done = expectBounded(put(name, bytes));
    EXPECT_THAT(done.err + done.out, HasSubstr(name));
    EXPECT_THAT(done.err + done.out, HasSubstr(why)) << name;
  };
  damaged("eight_eib.tar", Tar().add("a.log", '0', kLog, std::uint64_t{1} << 62).cut(), "damaged or cut off after 512");
  damaged("negative.tar", Tar().add("a.log", '0', kLog, ~std::uint64_t{0}).cut(), "size overflow");
  damaged("long_name.tar", Tar().add("a", 'L', "name", std::uint64_t{8} << 30).cut(), "too large");
  damaged("pax.tar", Tar().add("a", 'x', "30 path=b\n", std::uint64_t{8} << 30).cut(), "too large");
  // A hole of a tebibyte before a few bytes.
  std::string sparse = Tar().add("a.log", 'S', kLog).cut();
  const auto put12 = [&](std::size_t at, const char* octal) { sparse.replace(at, 12, std::string_view(octal, 12)); };
  put12(386, "17777777777");
  put12(398, "00000000200");
  put12(483, "20000000000");
  std::string sum(8, ' ');
  sparse.replace(148, 8, sum);
  unsigned total = 0;
  for (std::size_t i = 0; i < 512; ++i) total += static_cast<unsigned char>(sparse[i]);
  std::snprintf(sum.data(), sum.size(), "%06o", total);
  sparse.replace(148, 7, sum.substr(0, 7));
  expectBounded(put("sparse.tar", sparse + std::string(1024, '\0')));
}

TEST_F(HostileFiles, MembersBeyondTheLimitAreRefused) {
  // In a separate scope, freed before the measurement: a child process begins with the memory of its parent.
  const auto archive = [](int members, char type) {
    Tar tar;
    for (int i = 0; i < members; ++i) tar.add("m" + std::to_string(i), type, "", {}, "x");
    return tar.end();
  };
  const Outcome many = expectBounded(put("many.tar", archive(100'000, '0')));
  EXPECT_EQ(many.exit, 1);
  EXPECT_THAT(many.out + many.err, HasSubstr("holds more than 10000 files"));
  const Outcome linked = expectBounded(put("links.tar", archive(110'000, '2')));
  EXPECT_EQ(linked.exit, 1);
  EXPECT_THAT(linked.out + linked.err, HasSubstr("links.tar: holds more than"));
}

// A skipped member is decompressed all the same, to find the next one.
TEST_F(HostileFiles, AMemberThatIsPassedOverMayBeABombToo) {
  constexpr std::uint64_t kBytes = 64ULL << 30;
  const std::string path =
      put("passed.tar.zst",
          Zstd().raw(Tar().add("noise.bin", '0', "", kBytes).cut()).repeat('\xFF', kBytes).raw(Tar().add("b.log", '0', kLog).end()).end(0));
  const Outcome done = expectBounded(path);
  EXPECT_EQ(done.exit, 1);
  EXPECT_THAT(done.out + done.err, HasSubstr("decompresses to more than"));
}

TEST_F(HostileFiles, AZipIsRefusedInOneLineAndNotUnpacked) {
  // One stored member "../escaped.log" with a claimed size of 4 GiB.
  std::string zip("PK\x03\x04\x0A\0\0\0\0\0\0\0\0\0", 14);
  zip += std::string("\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x0E\0\0\0", 16) + "../escaped.log" + kLog;
  const std::string path = put("x.zip", zip);
  const std::set<std::string> before = files();
  const Outcome done = expectBounded(path);
  EXPECT_THAT(done.out + done.err, HasSubstr("x.zip"));
  EXPECT_EQ(files(), before);
}

TEST_F(HostileFiles, ASmallFileThatGrowsBeyondReasonIsRefused) {
  const Outcome log = expectBounded(put("log.zst", Zstd().raw(kLog).repeat('\n', 320 * kMiB).end(0)));
  EXPECT_THAT(log.out + log.err, HasSubstr("decompresses to more than 2000 times its size"));
  const Outcome state =
      expectBounded(put("state.zst", Zstd().raw(R"({"global_step": 2, "log_history": [{"x": ")").repeat('a', 320 * kMiB).end(0)));
  EXPECT_EQ(state.exit, 1);
  EXPECT_THAT(state.err, HasSubstr("decompresses to more than 2000 times its size"));
}

struct Bomb {
  const char* name;
  std::string head;
  char repeated;
  std::uint64_t mib = 320;  // of the repeated byte
  friend void PrintTo(const Bomb& bomb, std::ostream* out) { *out << bomb.name; }
};

class Bombs : public HostileFiles, public testing::WithParamInterface<Bomb> {};

// A repeated byte after content that an importer recognises. The file is as large as the ratio limit requires, 200 KB.
TEST_P(Bombs, TakeLittleMemoryAndTime) {
  const Bomb& bomb = GetParam();
  expectBounded(put(std::string(bomb.name) + ".zst", Zstd().raw(bomb.head).repeat(bomb.repeated, bomb.mib * kMiB).end(200'000)));
}

const std::string kTrace =
    R"({"schemaVersion": 1, "baseTimeNanoseconds": 1759300074000000000, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2},)";

const std::string kState = R"({"global_step": 2, "log_history": [{"loss": 1.5, "step": 1, "epoch": 0.1}, {)";
const std::string kDump = R"({"version": "2.9", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}, "entries": [)";

INSTANTIATE_TEST_SUITE_P(Of, Bombs,
                         testing::Values(Bomb{"log_line", kLog + "iter 2: loss ", '1'}, Bomb{"log_lines", kLog, '\n', 40},
                                         Bomb{"kernel_log", "[  100.000000] NVRM: Xid (PCI:0000:9b:00): 13, pid=1, ", 'x'},
                                         Bomb{"trace_name", kTrace + R"({"ph": "X", "name": ")", 'a'},
                                         Bomb{"trace_depth", kTrace + R"({"ph": "X", "args": )", '['},
                                         Bomb{"trace_number", kTrace + R"({"ph": "X", "ts": )", '7'}, Bomb{"trace_space", kTrace, ' ', 100},
                                         Bomb{"trainer_state", kState + R"("x": ")", 'a'},
                                         Bomb{"trainer_state_text", kState + R"("x": ")", 'a', 230},
                                         Bomb{"trainer_state_number", kState + R"("x": NaN, "y": )", '1', 230},
                                         Bomb{"trainer_state_space", kState + R"("x": NaN, "y":)", ' ', 230},
                                         Bomb{"flight_recorder_text", kDump + "\"", 'a', 230},
                                         Bomb{"flight_recorder_space", kDump, ' ', 230}, Bomb{"flight_recorder", kDump, '['},
                                         Bomb{"csv_line", "timestamp, index, power.draw [W]\n2025/01/21 04:41:44.000, 0, 1", '1'},
                                         Bomb{"csv_cells", "timestamp, index, power.draw [W]\n2025/01/21 04:41:44.000, 0", ','},
                                         Bomb{"prometheus", "# TYPE a gauge\na{b=\"c\"} 1\nd{e=\"", 'f'}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace runglass
