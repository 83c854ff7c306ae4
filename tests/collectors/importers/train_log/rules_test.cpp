// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/issue_catalog.h"
#include "tests/collectors/importers/train_log/log_fixture.h"
#include "tests/support/temp_folder.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using train_log::RuleSet;
using train_log::RuleText;

std::string readFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class RuleFolder : public test::TempFolder {
 public:
  void write(const std::string& name, const std::string& toml) const { std::ofstream(file(name)) << toml; }
};

std::string errorOf(const std::string& toml) {
  const RuleText text{"mine.toml", toml};
  const auto rules = RuleSet::compile({&text, 1});
  return rules.ok() ? "" : rules.status().message();
}

TEST(BuiltinRules, CompileAndLeaveLinesWithoutTheirWordsAlone) {
  const auto rules = builtinRuleSet();
  EXPECT_GT(rules->rules().size(), 100U);
  EXPECT_THAT(rules->slowRules(), IsEmpty()) << "a rule without a literal of three bytes runs its regex on every line";
}

TEST(BuiltinRules, CanonicalNamesAreOfTheDocumentedList) {
  const std::string guide = readFile(std::filesystem::path(RG_SOURCE_DIR) / "docs/formats/log_rules.md");
  for (const auto& file : builtinRuleSet()->files())
    for (const auto& [key, metric] : file.metrics)
      if (!metric.canonical.empty()) {
        EXPECT_THAT(guide, HasSubstr("`" + metric.canonical + "`")) << file.name << ": " << key;
      }
}

TEST(UserRules, TheSkeletonOfTheGuideWorks) {
  RuleFolder folder;
  const std::string skeleton = readFile(std::filesystem::path(RG_TEST_DATA) / "skeleton_rule.toml");
  folder.write("mytrainer.toml", skeleton);
  const auto rules = RuleSet::withFolder(folder.path());
  ASSERT_THAT(rules->problems(), IsEmpty());
  const auto log = importLog("2026-01-02 03:04:05 batch 7 of 100: loss=2.5 lr=1e-3 dt=250ms\n", {}, rules);
  EXPECT_THAT(log.out.scalarsOf("loss").step, ElementsAre(7));
  EXPECT_THAT(log.out.scalarsOf("loss").value, ElementsAre(2.5));
  EXPECT_EQ(keyOf(log.out, "loss")->labels, R"({"canonical":"loss"})");
  EXPECT_THAT(log.out.scalarsOf("dt").value, ElementsAre(250e6));
  EXPECT_EQ(log.out.runs[0].framework, "My trainer");
  // The guide contains the same file.
  EXPECT_THAT(readFile(std::filesystem::path(RG_SOURCE_DIR) / "docs/formats/log_rules.md"),
              HasSubstr(skeleton.substr(skeleton.find("[about]"))));
}

TEST(UserRules, ABadFileIsNamedAndTheOthersStillWork) {
  RuleFolder folder;
  folder.write("bad.toml", "[[record]]\nmatch = 'loss (?P<loss>\\S+'\n");
  folder.write("broken.toml", "[[record\n");
  folder.write("good.toml", "[[record]]\nmatch = 'mine step (?P<step>\\d+) loss (?P<loss>\\S+)'\n");
  const auto rules = RuleSet::withFolder(folder.path());
  EXPECT_EQ(rules->problems().size(), 2U);
  const auto log = importLog("mine step 3 loss 0.5\n", {}, rules);
  EXPECT_THAT(log.out.scalarsOf("loss").value, ElementsAre(0.5));
  EXPECT_EQ(log.out.issueCount("train_log.bad_rule"), 2);
}

TEST(UserRules, AFileWithABuiltinNameReplacesIt) {
  RuleFolder folder;
  folder.write("llmc.toml", "[[record]]\nmatch = '^s:(?P<step>\\d+) trl:(?P<mine>\\S+)'\n");
  const auto log = importLog("s:0 trl:11.0 lr:0.1\n", {}, RuleSet::withFolder(folder.path()));
  EXPECT_THAT(log.out.scalarsOf("mine").value, ElementsAre(11));
  EXPECT_EQ(keyOf(log.out, "trl"), nullptr);
}

TEST(UserRules, ARuleWithoutAnyLiteralStillRuns) {
  const RuleText text{"mine.toml", "[[record]]\nmatch = '^(?P<step>\\d+) (?P<loss>\\d\\.\\d+)$'\n"};
  const auto rules = RuleSet::compile({&text, 1});
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ((*rules)->slowRules().size(), 1U);
  EXPECT_THAT(importLog("4 0.25\n5 0.125\n", {}, *rules).out.scalarsOf("loss").value, ElementsAre(0.25, 0.125));
}

TEST(RuleErrors, NameTheFileThePlaceAndTheReason) {
  EXPECT_THAT(errorOf("[[record]]\npairs = 'bars'\n"), HasSubstr("mine.toml: record 1: match is missing"));
  EXPECT_THAT(errorOf("[[record]]\nmatch = 'abc'\nstep = 'guess'\n"), HasSubstr("step cannot be \"guess\""));
  EXPECT_THAT(errorOf("[[record]]\nmatch = 'abc'\nmacth = 'x'\n"), HasSubstr("macth is not a field"));
  EXPECT_THAT(errorOf("[[record]]\nmatch = '(abc'\n"), HasSubstr("missing )"));
  EXPECT_THAT(errorOf("[[metric]]\nkey = 'x'\nunit = 'furlongs'\n"), HasSubstr("not a known unit"));
  EXPECT_THAT(errorOf("[[event]]\nmatch = 'abc'\n"), HasSubstr("event 1: kind is missing"));
  EXPECT_THAT(errorOf("[[event]]\nmatch = 'abc'\nkind = 'x'\nseverity = 'loud'\n"), HasSubstr("severity"));
  EXPECT_THAT(errorOf("[records]\n"), HasSubstr("unknown table records"));
  EXPECT_THAT(errorOf("[[record]]\nmatch = '" + std::string(17, '(') + "a" + std::string(17, ')') + "'\n"),
              HasSubstr("more than 16 groups"));
  EXPECT_THAT(errorOf("a = \n"), HasSubstr("mine.toml: line 1"));
}

TEST(LiteralIndex, FindsEveryWordOnceWhateverItsCase) {
  const train_log::LiteralIndex index({"abc", "bc", "cab", "", "xyz"});
  train_log::LiteralIndex::Hits hits;
  index.find("ABCABC", hits);
  std::sort(hits.words.begin(), hits.words.end());
  EXPECT_THAT(hits.words, ElementsAre(0, 1, 2));
  index.find("zzz", hits);
  EXPECT_THAT(hits.words, IsEmpty());
}

TEST(IssueCodes, OfTrainingLogsAreInTheCatalogue) {
  for (const char* code : {"train_log.long_line", "train_log.too_many_series", "train_log.too_many_restarts", "import.truncated"})
    EXPECT_NE(findIssue(code), nullptr) << code;
}

}  // namespace
}  // namespace runglass::test
