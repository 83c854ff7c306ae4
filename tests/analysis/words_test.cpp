// SPDX-License-Identifier: Apache-2.0
// A finding's sentence is a message of the catalogue: the rendered text is the stored English, and the stored JSON renders to the same.
#include "analysis/words/sentences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/words/render.h"

namespace runglass::words {
namespace {

std::optional<std::string> rendered(std::string_view text, Args args) {
  const auto sentence = [text](std::string_view id) {
    return std::string(id == "t" ? text : id == "clause" ? std::string_view("of {n}") : templateOf(id));
  };
  return render({.id = "t", .args = std::move(args)}, {.sentence = sentence, .term = {}});
}

TEST(Render, AnotherLanguageHasItsTemplatesTermsSeparatorAndOnePluralForm) {
  const Phrases phrases{.sentence = [](std::string_view id) -> std::string {
                          if (id == "t") return "{r} 个 [，{what}]{n|# 步}";
                          if (id == "list_separator") return "、";
                          return id == "ranks_more" ? "{ranks} 等 {count} 个" : "";
                        },
                        .term = [](std::string_view english) { return english == "power limit" ? "功率上限" : std::string(english); }};
  const Ranks ranks{.ranges = {{0, 3}}, .count = 20};
  EXPECT_EQ(render({.id = "t", .args = {{"r", ranks}, {"n", 1}, {"what", Arg::List{Term{"power limit"}, "x"}}}}, phrases),
            "0-3 等 20 个 个 ，功率上限、x1 步");
}

TEST(Render, FillsArgumentsOfEveryKind) {
  EXPECT_EQ(rendered("{a} at {b}", {{"a", "n1"}, {"b", 12'345}}), "n1 at 12345");
  EXPECT_EQ(rendered("{a}", {{"a", ratio(0.075)}}), "7.5 %");
  EXPECT_EQ(rendered("{a}", {{"a", number(0.57771)}}), "0.5777");
  EXPECT_EQ(rendered("{a}", {{"a", number(0.9, 2)}}), "0.90");
  EXPECT_EQ(rendered("{a}", {{"a", duration(130 * kNsPerSecond)}}), "2 min 10 s");
  EXPECT_EQ(rendered("{a}", {{"a", shortDuration(312'000'000)}}), "312 ms");
  EXPECT_EQ(rendered("{a}", {{"a", ranksOf({9, 0, 1, 2, 7, 8})}}), "0-2, 7-9");
  EXPECT_EQ(rendered("{a}", {{"a", ranksOf({0, 2, 4, 6, 8, 10, 12, 13})}}), "0, 2, 4, 6, 8, 10, ... (8 in all)");
  EXPECT_EQ(rendered("{a}", {{"a", Term{"power limit"}}}), "power limit");
  EXPECT_EQ(rendered("{a}", {{"a", Arg::List{"x", 2, Term{"y"}}}}), "x, 2, y");
  EXPECT_EQ(rendered("all {a}", {{"a", Message{"clause", {{"n", 3}}}}}), "all of 3");
}

TEST(Render, ChoosesThePluralForm) {
  constexpr std::string_view kText = "{n|one step|# steps} {n|is|are} late";
  EXPECT_EQ(rendered(kText, {{"n", 1}}), "one step is late");
  EXPECT_EQ(rendered(kText, {{"n", 2}}), "2 steps are late");
  EXPECT_EQ(rendered(kText, {{"n", 0}}), "0 steps are late");
}

TEST(Render, LeavesOutPartsWhoseArgumentsAreAbsent) {
  constexpr std::string_view kText = "late[ at step {step}][ ({a}, {b})]";
  EXPECT_EQ(rendered(kText, {}), "late");
  EXPECT_EQ(rendered(kText, {{"step", std::optional<std::int64_t>()}, {"a", "x"}}), "late");
  EXPECT_EQ(rendered(kText, {{"step", std::optional<std::int64_t>(7)}, {"a", "x"}, {"b", "y"}}), "late at step 7 (x, y)");
}

TEST(Render, RefusesWhatIsIncomplete) {
  EXPECT_EQ(rendered("{a}", {}), std::nullopt);
  EXPECT_EQ(rendered("{a}", {{"a", Message{"unknown", {}}}}), std::nullopt);
  EXPECT_EQ(rendered("{a}", {{"a", Message{"clause", {}}}}), std::nullopt);
  EXPECT_EQ(rendered("{a|x|y}", {{"a", "text"}}), std::nullopt) << "a plural form needs a count";
  for (const char* text : {"{a", "a}", "[a", "a]", "[a [b]]", "{a{b}}"})
    EXPECT_EQ(rendered(text, {{"a", 1}, {"b", 1}}), std::nullopt) << text;
}

TEST(Render, TextsOfOthersAreNoTemplates) { EXPECT_EQ(rendered("{a}", {{"a", "{b} [x] |#"}}), "{b} [x] |#"); }

TEST(StoredMessage, ComesBackFromJson) {
  const Message message{"t",
                        {{"text", "n\"1\n"},
                         {"count", std::numeric_limits<std::int64_t>::min()},
                         {"ratio", ratio(0.1)},
                         {"number", number(-HUGE_VAL)},
                         {"nan", number(std::nan(""))},
                         {"fixed", number(0.905, 2)},
                         {"length", duration(std::numeric_limits<DurNs>::max())},
                         {"short", shortDuration(1)},
                         {"ranks", ranksOf({0, 2, 4, 6, 8, 10, 12, 13})},
                         {"term", Term{"ECC mode"}},
                         {"list", Arg::List{"x", Message{"clause", {{"n", 1}}}}},
                         {"clause", Message{"clause", {}}},
                         {"absent", Arg()}}};
  const std::string json = print(message);
  const auto back = parse(json);
  ASSERT_TRUE(back);
  EXPECT_EQ(print(*back), json);
  EXPECT_EQ(json.find("absent"), std::string::npos);
  EXPECT_NE(json.find(R"("ranks":{"ranks":[0,0,2,2,4,4,6,6,8,8,10,10],"count":8})"), std::string::npos) << json;
  constexpr std::string_view kText = "{text} {count} {ratio} {number} {nan} {fixed} {length} {short} {ranks} {term} {list}";
  EXPECT_EQ(rendered(kText, back->args), rendered(kText, message.args));
}

TEST(StoredMessage, IsBounded) {
  EXPECT_EQ(print({"t", {{"a", std::string(kMaxMessageBytes, 'x')}}}), "");
  Finding finding;
  setMessage(finding, Message{"hang_in", {{"op", std::string(kMaxMessageBytes, 'x')}}});
  EXPECT_EQ(finding.message, "");
  EXPECT_EQ(finding.summary.size(), kMaxMessageBytes + 3) << "the English is whole";
  EXPECT_EQ(*rendered("{a}", {{"a", messageOf(finding)}}), finding.summary) << "and stands in for the message";
}

TEST(StoredMessage, OfHostileJsonIsNone) {
  std::string deep = R"("x")";
  for (int i = 0; i < 100; ++i) deep = "[" + deep + "]";
  for (const std::string& json :
       {std::string(), std::string("[]"), std::string("{"), std::string("{}"), std::string(R"({"id":7})"),
        std::string(R"({"id":"t","args":[1]})"), std::string(R"({"id":"t","args":{"a":1.5}})"),
        std::string(R"({"id":"t","args":{"a":null}})"), std::string(R"({"id":"t","args":{"a":{"unknown":1}}})"),
        std::string(R"({"id":"t","args":{"a":{"ratio":"x"}}})"), std::string(R"({"id":"t","args":{"a":{"ranks":[1]}}})"),
        std::string(R"({"id":"t","args":{"a":{"duration_ns":0.5}}})"), std::string(R"({"id":"t","args":{"a":{"id":{}}}})"),
        R"({"id":"t","args":{"a":)" + deep + "}}", R"({"id":")" + std::string(kMaxMessageBytes, 'x') + R"("})"})
    EXPECT_FALSE(parse(json)) << json.substr(0, 80);
}

// A value for every argument of a template, nested clauses as text.
Args argsOf(std::string_view text, std::int64_t count, bool with_optional) {
  Args args;
  std::set<std::string_view> counted;
  const auto places = *placeholdersOf(text);
  for (const Placeholder& one : places)
    if (!one.plurals.empty()) counted.insert(one.name);
  for (const Placeholder& one : places)
    if (with_optional || !one.optional)
      args.emplace_back(one.name, counted.contains(one.name) ? Arg(count) : Arg("<" + std::string(one.name) + ">"));
  return args;
}

TEST(Catalogue, EveryTemplateIsWellFormed) {
  for (const Template& one : catalogue()) {
    const auto places = placeholdersOf(one.english);
    ASSERT_TRUE(places) << one.id;
    for (const Placeholder& place : *places) {
      EXPECT_FALSE(place.name.empty()) << one.id;
      for (const char c : place.name) EXPECT_TRUE(std::islower(static_cast<unsigned char>(c)) != 0 || c == '_') << one.id;
      EXPECT_TRUE(place.plurals.empty() || place.plurals.size() == 2) << one.id << ": English has two plural forms";
    }
    for (const bool with_optional : {false, true}) {
      const auto text = render({.id = std::string(one.id), .args = argsOf(one.english, 2, with_optional)}, englishPhrases());
      ASSERT_TRUE(text) << one.id;
      EXPECT_EQ(text->find_first_of("{}[]|#"), one.id == "hang_last_completed" || one.id == "hang_operation" || one.id == "hang_still_in"
                                                   ? text->find('#')
                                                   : std::string::npos)
          << *text;
      EXPECT_EQ(text->find("  "), std::string::npos) << *text;
    }
  }
}

TEST(Catalogue, PluralFormsDifferBetweenOneAndTwo) {
  for (const Template& one : catalogue()) {
    const auto places = *placeholdersOf(one.english);
    if (std::ranges::none_of(places, [](const Placeholder& place) { return !place.plurals.empty(); })) continue;
    const std::string single = *render({.id = std::string(one.id), .args = argsOf(one.english, 1, true)}, englishPhrases());
    EXPECT_EQ(single.find("1 ranks"), std::string::npos) << single;
    for (const Placeholder& place : places) {
      if (place.plurals.empty()) continue;
      EXPECT_NE(place.plurals[0], place.plurals[1]) << one.id;
      EXPECT_TRUE(place.plurals[0].starts_with("One ") ||
                  (place.plurals[0].find('#') == std::string_view::npos) == (place.plurals[1].find('#') == std::string_view::npos))
          << one.id;
    }
  }
}

TEST(Catalogue, AFindingStoresItsMessageAndItsEnglish) {
  Finding finding;
  setMessage(finding, Message{"stall_now", {{"length", duration(90 * kNsPerSecond)}, {"step", 150}}});
  EXPECT_EQ(finding.summary, "No step has ended for 1 min 30 s since step 150");
  EXPECT_EQ(finding.message, R"({"id":"stall_now","args":{"length":{"duration_ns":90000000000},"step":150}})");
  setMessage(finding,
             Message{"machine_added", {{"what", messageOf(finding)}, {"machine", Message{"machine_fault", {{"event", "xid 79"}}}}}});
  EXPECT_EQ(finding.summary, "No step has ended for 1 min 30 s since step 150; its machine reported xid 79");
}

}  // namespace
}  // namespace runglass::words
