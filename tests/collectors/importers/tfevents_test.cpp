// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "collectors/importers/tfevents/tfevents_parser.h"
#include "model/crc32c.h"
#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::importText;

std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U; }
template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string record(const std::string& data) {
  const std::string length = raw<std::uint64_t>(data.size());
  return length + raw(masked(crc32c(length))) + data + raw(masked(crc32c(data)));
}
std::string eventWith(double seconds, std::int64_t step, const std::string& value) {
  return record("\x09" + raw(seconds) + "\x10" + varint(static_cast<std::uint64_t>(step)) + field(5, field(1, value)));
}
std::string simple(const std::string& tag, float value) { return field(1, tag) + "\x15" + raw(value); }
std::string header() { return record("\x09" + raw(1700000000.0) + field(3, "brain.Event:2")); }

TEST(TfeventsImporter, KeepsValuesStepsAndTimesBitEqual) {
  const std::vector<float> values = {0.1F, -0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min(), NAN};
  std::string file = header();
  for (std::size_t i = 0; i < values.size(); ++i)
    file += eventWith(1700000000.25 + static_cast<double>(i), static_cast<std::int64_t>(i) - 1, simple("loss", values[i]));
  const auto result = importText(file);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  const auto points = result.recorder.scalarsOf("loss");
  ASSERT_EQ(points.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double widened = values[i];
    EXPECT_EQ(std::bit_cast<std::uint64_t>(points.value[i]), std::bit_cast<std::uint64_t>(widened)) << i;
    EXPECT_EQ(points.step[i], static_cast<std::int64_t>(i) - 1);
    EXPECT_EQ(points.time[i], 1700000000250000000LL + static_cast<TimeNs>(i) * kNsPerSecond);
  }
  EXPECT_EQ(result.report.committed_offset, file.size());
  EXPECT_EQ(result.recorder.issues.size(), 0U);
}

TEST(TfeventsImporter, ReadsScalarTensorsOfEveryNumericType) {
  const auto tensor = [](int dtype, const std::string& rest) {
    return field(8, "\x08" + varint(static_cast<std::uint64_t>(dtype)) + rest);
  };
  const std::string file =
      header() + eventWith(1, 1, field(1, "float_val") + tensor(1, field(5, raw(1.5F)))) +
      eventWith(1, 1, field(1, "content") + tensor(1, field(4, raw(2.5F)))) +
      eventWith(1, 1, field(1, "double") + tensor(2, field(6, raw(3.5)))) +
      eventWith(1, 1, field(1, "int64") + tensor(9, field(10, varint(static_cast<std::uint64_t>(-7))))) +
      eventWith(1, 1, field(1, "half") + tensor(19, field(13, varint(0x3E00)))) +
      eventWith(1, 1, field(1, "bfloat16") + tensor(14, field(4, raw<std::uint16_t>(0x40A0)))) +
      eventWith(1, 1, field(1, "vector") + tensor(1, field(2, field(2, "\x08\x03")) + field(4, std::string(12, '\0'))));
  const auto result = importText(file);
  EXPECT_EQ(result.recorder.scalarsOf("float_val").value, std::vector<double>{1.5});
  EXPECT_EQ(result.recorder.scalarsOf("content").value, std::vector<double>{2.5});
  EXPECT_EQ(result.recorder.scalarsOf("double").value, std::vector<double>{3.5});
  EXPECT_EQ(result.recorder.scalarsOf("int64").value, std::vector<double>{-7});
  EXPECT_EQ(result.recorder.scalarsOf("half").value, std::vector<double>{1.5});
  EXPECT_EQ(result.recorder.scalarsOf("bfloat16").value, std::vector<double>{5});
  EXPECT_EQ(result.recorder.scalarsOf("vector").size(), 0U);
  EXPECT_EQ(result.recorder.issueCount("tfevents.not_scalar"), 1);
}

TEST(TfeventsImporter, GivesTheSameWhateverThePiecesAre) {
  std::string file = header();
  for (int i = 0; i < 500; ++i) file += eventWith(i, i, simple(i % 2 ? "a" : "b", static_cast<float>(i)));
  for (const std::size_t piece : {1UL, 7UL, 100UL, 4096UL}) {
    const auto result = importText(file, {}, piece);
    EXPECT_EQ(result.recorder.scalarsOf("a").size(), 250U) << piece;
    EXPECT_EQ(result.recorder.scalarsOf("b").value[249], 498) << piece;
    EXPECT_EQ(result.report.committed_offset, file.size());
  }
}

TEST(TfeventsImporter, SkipsARecordWithABadChecksumAndCountsIt) {
  const std::string good = eventWith(1, 1, simple("loss", 1)), last = eventWith(3, 3, simple("loss", 3));
  std::string bad = eventWith(2, 2, simple("loss", 2));
  bad[bad.size() - 6] ^= 1;
  const auto result = importText(header() + good + bad + last);
  EXPECT_EQ(result.recorder.scalarsOf("loss").step, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(result.recorder.issueCount("tfevents.bad_data_crc"), 1);
}

TEST(TfeventsImporter, StopsAtADamagedLengthAndSaysWhere) {
  const std::string begin = header() + eventWith(1, 1, simple("loss", 1));
  std::string bad = eventWith(2, 2, simple("loss", 2));
  bad[3] ^= 0x40;
  const auto result = importText(begin + bad + eventWith(3, 3, simple("loss", 3)));
  EXPECT_EQ(result.recorder.scalarsOf("loss").step, std::vector<std::int64_t>{1});
  EXPECT_NE(result.report.partial_reason.find("byte " + std::to_string(begin.size())), std::string::npos) << result.report.partial_reason;
  EXPECT_EQ(result.recorder.issueCount("tfevents.bad_length_crc"), 1);
}

TEST(TfeventsImporter, TakesACutTailForAFileStillBeingWritten) {
  const std::string begin = header() + eventWith(1, 1, simple("loss", 1)), next = eventWith(2, 2, simple("loss", 2));
  const auto result = importText(begin + next.substr(0, 20));
  EXPECT_EQ(result.report.committed_offset, begin.size());
  EXPECT_EQ(result.recorder.issueCount("import.truncated"), 1);
  const auto followed = importText(begin + next.substr(0, 20), {.final = false});
  EXPECT_EQ(followed.recorder.issues.size(), 0U) << "while following, a cut tail is normal";
  const auto grown = importText(begin + next, {.resume_at = result.report.committed_offset});
  EXPECT_EQ(grown.recorder.scalarsOf("loss").step, std::vector<std::int64_t>{2}) << "what was imported before is not imported again";
}

TEST(TfeventsImporter, PassesOverHugeRecordsWithoutKeepingThem) {
  const std::string huge = record(field(4, std::string(17 << 20, 'g')));
  const auto result = importText(header() + huge + eventWith(1, 1, simple("loss", 1)), {}, 1 << 16);
  EXPECT_EQ(result.recorder.scalarsOf("loss").size(), 1U);
  EXPECT_EQ(result.recorder.issueCount("tfevents.record_too_large"), 1);
  EXPECT_EQ(result.report.partial_reason, "");
}

TEST(TfeventsImporter, SaysThatAFileEndsInsideAHugeRecord) {
  const std::string huge = record(field(4, std::string(17 << 20, 'g')));
  const auto result = importText(header() + eventWith(1, 1, simple("loss", 1)) + huge.substr(0, 1 << 20));
  EXPECT_EQ(result.recorder.scalarsOf("loss").size(), 1U);
  EXPECT_NE(result.report.partial_reason.find("more than 16 MiB"), std::string::npos) << result.report.partial_reason;
  EXPECT_EQ(result.recorder.issueCount("import.truncated"), 1);
}

TEST(TfeventsImporter, CutsEndlessTagsAndKeepsThemApart) {
  const std::string tag(5000, 't');
  const auto result = importText(header() + eventWith(1, 1, simple(tag + "a", 1)) + eventWith(1, 1, simple(tag + "b", 2)));
  ASSERT_EQ(result.recorder.series_keys.size(), 2U);
  for (const auto& [id, key] : result.recorder.series_keys) EXPECT_LT(key.metric.size(), 1100U);
}

TEST(TfeventsImporter, StoresTagsThatCanBePrinted) {
  const auto result = importText(header() + eventWith(1, 1, simple("a\xff\n\x1b[31mb", 1)) +
                                 eventWith(1, 1, simple("a\xfe\n\x1b[31mb", 2)) + eventWith(1, 1, simple(" loss \xC3\xA9", 3)));
  std::set<std::string> names;
  for (const auto& [id, key] : result.recorder.series_keys) names.insert(key.metric);
  ASSERT_EQ(names.size(), 3U);
  EXPECT_TRUE(names.contains(" loss \xC3\xA9")) << "good names stay as they are";
  for (const std::string& name : names)
    for (const char c : name) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0xFE) << name;
}

// SessionLog { status: START } at a step: TensorBoard discards older points from that step on.
TEST(TfeventsImporter, AStartInsideAFileIsAnotherAttempt) {
  const auto start = [](double time, std::int64_t step) {
    return record("\x09" + std::string(reinterpret_cast<const char*>(&time), 8) + "\x10" + static_cast<char>(step) + field(7, "\x08\x01"));
  };
  const std::string before = header() + start(1, 0) + eventWith(1, 1, simple("loss", 1)) + eventWith(2, 2, simple("loss", 2));
  const std::string goes_on = start(3, 2);  // as written by an Estimator after each evaluation
  const std::string after = goes_on + start(10, 1) + eventWith(11, 2, simple("loss", 2.5)) + eventWith(12, 3, simple("loss", 3));
  const auto whole = importText(before + after, {.attempt_key = "0"});
  std::map<std::string, Attempt> attempts;
  for (const Attempt& attempt : whole.recorder.attempts) attempts[attempt.key] = attempt;
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts["0"].start, 1 * kNsPerSecond);
  EXPECT_EQ(attempts["0"].end, 2 * kNsPerSecond);
  EXPECT_EQ(attempts["0#2"].resumed_from_step, 1);
  EXPECT_EQ(attempts["0#2"].end, 12 * kNsPerSecond);
  EXPECT_EQ(whole.recorder.runs.back().end, 12 * kNsPerSecond) << "a run has the times of its points";
  const auto rest = importText(before + after, {.attempt_key = "0", .resume_at = before.size()});
  EXPECT_EQ(rest.recorder.attempts.back().key, "0#2") << "a later import meets the same attempts";
  EXPECT_EQ(rest.recorder.scalarsOf("loss").step, (std::vector<std::int64_t>{2, 3}));
}

TEST(TfeventsImporter, SurvivesRandomDamage) {
  std::string file = header();
  for (int i = 0; i < 50; ++i) file += eventWith(i, i, simple("loss", static_cast<float>(i)));
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = file.substr(0, header().size());
    std::string rest = file.substr(header().size(), random() % file.size());
    for (int flips = 0; flips < 4 && !rest.empty(); ++flips) rest[random() % rest.size()] ^= static_cast<char>(1 << (random() % 8));
    const auto result = importText(damaged + rest);
    for (const double value : result.recorder.scalarsOf("loss").value)
      EXPECT_TRUE(value >= 0 && value < 50) << "a damaged value got through its checksum";
  }
}

TEST(TfeventsImporter, MeetsTheFactsOfTheSharedRealFiles) {
  const std::filesystem::path root(RG_SHARED_DATA);
  if (!std::filesystem::exists(root / "facts.json")) GTEST_SKIP() << "no shared data at " << root;
  const auto facts = nlohmann::json::parse(std::ifstream(root / "facts.json"));
  for (const auto& [file, fact] : facts["kinds"]["tfevents"].items()) {
    const auto result = test::importFile(root / "tfevents" / file);
    ASSERT_TRUE(result.status.ok()) << file << ": " << result.status.message();
    EXPECT_EQ(result.kind, "tfevents") << file;
    for (const auto& [tag, wanted] : fact["per_tag"].items()) {
      const auto points = result.recorder.scalarsOf(tag);
      ASSERT_EQ(points.size(), wanted.value("scalar_n", 0U)) << file << " " << tag;
      if (points.size() == 0 || !wanted["last"].is_array() || !wanted["last"][1].is_number()) continue;
      EXPECT_EQ(points.step.back(), wanted["last"][0]) << file << " " << tag;
      EXPECT_EQ(points.value.back(), wanted["last"][1]) << file << " " << tag;
    }
  }
}

}  // namespace
}  // namespace runglass
