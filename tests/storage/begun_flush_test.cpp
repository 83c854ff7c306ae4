// SPDX-License-Identifier: Apache-2.0
// A flush in three parts: data journaled between its begin and its end is neither lost nor duplicated, whenever the writer is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "storage/open_store.h"
#include "storage/store_files.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using testing::IsEmpty;

constexpr std::size_t kPerBatch = 20;
const StreamKey kStream{"agent", "session", 4};
const StreamKey kOther{"agent", "session", 5};
const StreamKey kOnce{"agent", "session", 6};  // a stream of one batch

// Records batches of two streams, like a hub: a batch can be decoded only after a dictionary, which the first batch of each epoch contains.
class Sender {
 public:
  explicit Sender(Writer& writer) : m_writer(writer) {}

  // Journals the next batch of both streams.
  Status say() { return say({&kStream, &kOther}); }
  Status say(std::initializer_list<const StreamKey*> streams) {
    for (const StreamKey* stream : streams) {
      const std::uint64_t seq = m_writer.resumeFrom(*stream);
      const bool fresh = m_epoch != m_writer.journalEpoch();
      m_epoch = m_writer.journalEpoch();
      const std::string payload = std::string(fresh ? "dictionary " : "") + "batch";
      RG_TRY(m_writer.journal(*stream, seq, payload).status());
      m_said.push_back({stream, seq});
    }
    return {};
  }
  void record() {
    for (const auto& [stream, seq] : m_said) recordBatch(m_writer, *stream, seq);
    m_said.clear();
  }
  Status sayAndRecord(int batches) {
    for (int i = 0; i < batches; ++i) {
      RG_TRY(say());
      record();
    }
    return {};
  }

  static SeriesId seriesOf(Recorder& out, const StreamKey& stream) {
    return out.series({.node = out.node({.uuid = "n", .name = "n"}), .metric = "m" + std::to_string(stream.stream)});
  }
  static void recordBatch(Writer& writer, const StreamKey& stream, std::uint64_t seq) {
    std::vector<TimeNs> time;
    std::vector<double> value;
    for (std::size_t i = 0; i < kPerBatch; ++i) {
      time.push_back(static_cast<TimeNs>(seq * kPerBatch + i));
      value.push_back(static_cast<double>(seq * kPerBatch + i));
    }
    writer.samples(seriesOf(writer, stream), time, value);
    // Long enough to fill a store that may not grow.
    writer.event(
        {.time = static_cast<TimeNs>(seq), .kind = "batch", .code = std::to_string(stream.stream), .message = std::string(4'000, '.')});
  }
  static JournalReplay replay() {
    return [defined = false](const StreamKey& stream, std::uint64_t seq, std::string_view payload, Writer& writer) mutable -> Status {
      defined = defined || payload.starts_with("dictionary ");
      if (!defined) return {Code::kDataLoss, "batch " + std::to_string(seq) + " without a dictionary"};
      recordBatch(writer, stream, seq);
      return {};
    };
  }

 private:
  Writer& m_writer;
  std::uint64_t m_epoch = 0;
  std::vector<std::pair<const StreamKey*, std::uint64_t>> m_said;
};

// Every batch up to the marks is in the store once, and there are at least `said` of each of the two streams.
void expectWhole(const std::string& store, std::uint64_t said) {
  auto writer = openStore(store).writer({.replay = Sender::replay()});
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  std::int64_t batches = 0;
  for (const StreamKey* stream : {&kStream, &kOther, &kOnce}) {
    const std::uint64_t marked = (*writer)->resumeFrom(*stream);
    EXPECT_GE(marked, stream == &kOnce ? 0 : said);
    batches += static_cast<std::int64_t>(marked);
    const auto reader = openStore(store).reader({.live = (*writer)->liveTail()});
    const std::vector<Series> known = *(*reader)->series({.metric = "m" + std::to_string(stream->stream)});
    if (known.empty() && marked == 0) continue;
    ASSERT_EQ(known.size(), 1U) << "stream " << stream->stream;
    const auto samples = *(*reader)->samples(known[0].id, {});
    ASSERT_EQ(samples.size(), marked * kPerBatch) << "stream " << stream->stream;
    for (std::size_t i = 0; i < samples.size(); ++i) ASSERT_EQ(samples.value[i], static_cast<double>(i)) << "stream " << stream->stream;
  }
  ASSERT_TRUE((*writer)->close().ok());
  const auto reader = openStore(store).reader();
  EXPECT_EQ((*reader)->events({.limit = 1'000'000})->size(), static_cast<std::size_t>(batches));
  EXPECT_THAT(*(*reader)->verify(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(journalPath(store)));
  EXPECT_FALSE(std::filesystem::exists(nextJournalPath(store)));
}

TEST(BegunFlush, TakesBatchesWhileItRunsAndStoresThemLater) {
  const TempStore store;
  std::uint64_t said = 0;
  {
    auto writer = store.writer().value();
    Sender sender(*writer);
    for (int round = 0; round < 20; ++round) {
      ASSERT_TRUE(sender.sayAndRecord(50).ok());
      ASSERT_TRUE(writer->beginFlush().ok());
      std::atomic<bool> ran = false;
      std::thread runner([&] {
        writer->runBegun();
        ran = true;
      });
      std::uint64_t meanwhile = 0;
      for (; meanwhile < 5 || (!ran && meanwhile < 200); ++meanwhile) EXPECT_TRUE(sender.say().ok());
      runner.join();
      EXPECT_TRUE(writer->endBegun().value());
      sender.record();
      said += 50 + meanwhile;
    }
    EXPECT_EQ(writer->resumeFrom(kStream), said);
  }
  expectWhole(store.path(), said);
}

enum class Killed { kAfterBegin, kMeanwhile, kAfterRun, kAfterRunAndMore, kAfterEnd, kAfterRecording, kAfterTheNext };
class KilledFlush : public ::testing::TestWithParam<Killed> {};
INSTANTIATE_TEST_SUITE_P(At, KilledFlush,
                         ::testing::Values(Killed::kAfterBegin, Killed::kMeanwhile, Killed::kAfterRun, Killed::kAfterRunAndMore,
                                           Killed::kAfterEnd, Killed::kAfterRecording, Killed::kAfterTheNext));

[[noreturn]] void childUntil(Killed moment, const std::string& store, std::int64_t max_pages) {
  auto writer = openStore(store).writer({.replay = Sender::replay(), .max_pages = max_pages});
  Sender sender(**writer);
  const auto end_at = [&](Killed here) {
    if (moment == here) ::raise(SIGKILL);
  };
  const auto must = [](const Status& status) {
    if (!status.ok()) ::_exit(1);
  };
  if ((*writer)->resumeFrom(kOnce) == 0) must(sender.say({&kOnce}));
  must(sender.sayAndRecord(10));
  must((*writer)->beginFlush());
  end_at(Killed::kAfterBegin);
  for (int i = 0; i < 10; ++i) must(sender.say());
  end_at(Killed::kMeanwhile);
  (*writer)->runBegun();
  end_at(Killed::kAfterRun);
  for (int i = 0; i < 10; ++i) must(sender.say());
  end_at(Killed::kAfterRunAndMore);
  const bool stored = (*writer)->endBegun().ok();
  if (stored != (max_pages == 0)) ::_exit(2);
  end_at(Killed::kAfterEnd);
  sender.record();
  must(sender.sayAndRecord(10));
  end_at(Killed::kAfterRecording);
  if (max_pages > 0) (*writer)->setMaxPages(1'000'000);
  must((*writer)->beginFlush());
  for (int i = 0; i < 10; ++i) must(sender.say());
  (*writer)->runBegun();
  must((*writer)->endBegun().status());
  sender.record();
  must(sender.sayAndRecord(10));
  end_at(Killed::kAfterTheNext);
  ::_exit(3);
}

std::uint64_t saidBy(Killed moment) {
  switch (moment) {
    case Killed::kAfterBegin:
      return 10;
    case Killed::kMeanwhile:
    case Killed::kAfterRun:
      return 20;
    case Killed::kAfterRunAndMore:
    case Killed::kAfterEnd:
      return 30;
    case Killed::kAfterRecording:
      return 40;
    case Killed::kAfterTheNext:
      return 60;
  }
  return 0;
}

TEST_P(KilledFlush, LosesAndDoublesNothing) {
  const TempStore store;
  for (std::uint64_t life = 1; life <= 3; ++life) {
    const pid_t child = ::fork();
    if (child == 0) childUntil(GetParam(), store.path(), 0);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);
    EXPECT_TRUE(needsRecovery(store.path()));
    if (life == 3) expectWhole(store.path(), life * saidBy(GetParam()));
  }
}

TEST_P(KilledFlush, ThatFailsLosesAndDoublesNothing) {
  const TempStore store;
  ASSERT_TRUE((*store.writer())->close().ok());
  const pid_t child = ::fork();
  if (child == 0) childUntil(GetParam(), store.path(), 1);  // no page more than it has
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself with " << WEXITSTATUS(status);
  expectWhole(store.path(), saidBy(GetParam()));
}

TEST(BegunFlush, WithoutASecondFileAppendsToTheFirstAndGivesTheRoomBackLater) {
  const TempStore store;
  const std::string next = nextJournalPath(store.path());
  auto writer = store.writer().value();
  Sender sender(*writer);
  const auto journal_bytes = [&] { return std::filesystem::file_size(journalPath(store.path())); };
  const auto empty = journal_bytes();
  ASSERT_TRUE(sender.sayAndRecord(10).ok());
  std::filesystem::create_directory(next);
  ASSERT_TRUE(writer->beginFlush().ok());
  ASSERT_TRUE(sender.say().ok());
  writer->runBegun();
  ASSERT_TRUE(writer->endBegun().ok());
  sender.record();
  EXPECT_GT(journal_bytes(), empty) << "what came meanwhile is not stored yet";
  std::filesystem::remove(next);
  EXPECT_TRUE(test::waitUntil([&] { return writer->flush().ok() && journal_bytes() == empty; })) << "once the commit is on the disk";
  ASSERT_TRUE(sender.sayAndRecord(10).ok());
  writer.reset();
  expectWhole(store.path(), 21);
}

TEST(BegunFlush, OfAPowerSafeStoreKeepsBothFiles) {
  const TempStore store;
  {
    auto writer = store.writer({.power_safe = true}).value();
    Sender sender(*writer);
    ASSERT_TRUE(sender.sayAndRecord(10).ok());
    ASSERT_TRUE(writer->beginFlush().ok());
    EXPECT_TRUE(std::filesystem::exists(nextJournalPath(store.path())));
    ASSERT_TRUE(sender.say().ok());
    ASSERT_TRUE(writer->syncJournal().ok());
    writer->runBegun();
    ASSERT_TRUE(writer->endBegun().ok());
    sender.record();
  }
  expectWhole(store.path(), 11);
}

TEST(BegunFlush, RetentionRunsInPartsToo) {
  const TempStore store;
  auto writer = store.writer().value();
  Sender sender(*writer);
  ASSERT_TRUE(sender.sayAndRecord(10).ok());
  ASSERT_TRUE(writer->beginRetention({}, kNsPerSecond).ok());
  ASSERT_TRUE(sender.say().ok());
  writer->runBegun();
  EXPECT_TRUE(writer->endBegun().value());
  sender.record();
  writer.reset();
  expectWhole(store.path(), 11);
}

TEST(BegunFlush, RecordingMeanwhileIsOurBug) {
  const TempStore store;
  auto writer = store.writer().value();
  writer->event({.kind = "one"});
  ASSERT_TRUE(writer->beginFlush().ok());
  EXPECT_DEATH(writer->event({.kind = "two"}), "");
  EXPECT_DEATH(writer->node({.uuid = "n"}), "");
  writer->runBegun();
  ASSERT_TRUE(writer->endBegun().ok());
}

}  // namespace
}  // namespace runglass
