// SPDX-License-Identifier: Apache-2.0
// model/fields.h states whether a text may identify people or machines, or is a fixed word: a redacted store has none of the former and all
// of the latter.
#include <gtest/gtest.h>

#include "analysis/report/redacted_reader.h"
#include "storage/open_store.h"
#include "tests/support/filled_store.h"
#include "tests/support/temp_folder.h"

namespace runglass::report {
namespace {

template <class Record>
std::vector<std::string> redactedWords(const Record& record) {
  std::vector<std::string> words;
  eachField(record, [&words]<class T>(const char* name, const T& field, FieldRole role) {
    if constexpr (std::same_as<T, std::string>)
      if (role == FieldRole::kWord) words.push_back(std::string(name) + "=" + field);
  });
  return words;
}

TEST(RedactedFields, TextsOfEveryRecordAreRedactedAndWordsOfOursStay) {
  const test::TempFolder folder;
  const std::string store = folder.file("s.rgl");
  {
    auto writer = openStore(store).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    test::fillStore(**writer);
  }
  const auto opened = openStore(store).reader();
  ASSERT_TRUE(opened.ok());
  Redactor redactor({RedactClass::kHosts, RedactClass::kUsers});
  Reader& reader = **opened;
  ASSERT_TRUE(learnNames(reader, redactor).ok());
  RedactedReader redacted(reader, redactor);
  const test::Names names = test::namesIn(reader);
  // What the other Reader returned, in the same order.
  std::vector<std::vector<std::string>> words;
  std::size_t canaries = 0;
  test::eachRecordOf(reader, names, true, [&](const auto& record) {
    words.push_back(redactedWords(record));
    for (const std::string& value : test::valuesOf(record)) canaries += value.find(test::kCanary) != std::string::npos ? 1 : 0;
  });
  EXPECT_GT(canaries, 60U);
  std::size_t at = 0;
  test::eachRecordOf(redacted, names, true, [&]<class Record>(const Record& record) {
    ASSERT_LT(at, words.size());
    EXPECT_EQ(redactedWords(record), words[at++]);
    for (const std::string& value : test::valuesOf(record))
      EXPECT_EQ(value.find(test::kCanary), std::string::npos) << value << " of " << testing::internal::GetTypeName<Record>();
  });
  EXPECT_EQ(at, words.size());
  const auto alignment = redacted.alignment(names.attempt);
  ASSERT_TRUE(alignment.ok() && *alignment);
  EXPECT_EQ(redactedWords(**alignment), redactedWords(**reader.alignment(names.attempt)));
  for (const std::string& value : test::valuesOf(**alignment)) EXPECT_EQ(value.find(test::kCanary), std::string::npos) << value;
}

}  // namespace
}  // namespace runglass::report
