// SPDX-License-Identifier: Apache-2.0
// Imports a text as a training log into a MemoryRecorder.
//
// Threading:  one thread.
// Ownership:  the result owns everything.
// Errors:     a failed import fails the test.
// Cost:       small texts.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "collectors/importers/train_log/train_log_importer.h"
#include "tests/support/memory_recorder.h"

namespace runglass::test {

class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string text, std::size_t piece = 1 << 20) : m_text(std::move(text)), m_piece(piece) {}
  Result<std::string_view> next(std::size_t max) override {
    const std::string_view view = std::string_view(m_text).substr(m_at, std::min(max, m_piece));
    m_at += view.size();
    return view;
  }
  std::uint64_t offset() const override { return m_at; }

 private:
  std::string m_text;
  std::size_t m_piece, m_at = 0;
};

struct Imported {
  MemoryRecorder out;
  ImportReport report;
};

inline std::shared_ptr<const train_log::RuleSet> builtinRuleSet() {
  static const auto kRules = train_log::RuleSet::compile(train_log::builtinRules());
  EXPECT_TRUE(kRules.ok()) << kRules.status().message();
  return *kRules;
}

inline Imported importLog(std::string text, ImportTarget target = {}, std::shared_ptr<const train_log::RuleSet> rules = builtinRuleSet(),
                          std::size_t piece = 1 << 20) {
  if (target.run_name.empty()) target.run_name = "run";
  if (target.file_name.empty()) target.file_name = "train.log";
  if (target.path.empty()) target.path = "logs/train.log";
  Imported imported;
  TextStream stream(std::move(text), piece);
  const Status status = makeTrainLogImporter(std::move(rules))->run(stream, target, imported.out, imported.report, {});
  EXPECT_TRUE(status.ok()) << status.message();
  return imported;
}

inline const SeriesKey* keyOf(const MemoryRecorder& out, std::string_view metric) {
  for (const auto& [id, key] : out.series_keys)
    if (key.metric == metric) return &key;
  return nullptr;
}

}  // namespace runglass::test
