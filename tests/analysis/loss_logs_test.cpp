// SPDX-License-Identifier: Apache-2.0
// Losses that are not finite in training logs, from the text to the finding.
#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "analysis/loss_health/loss_health.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/collectors/importers/train_log/log_fixture.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

std::string iteration(int at, const std::string& values) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(),
                " iteration %8d/    5000 | consumed samples: %12d | elapsed time per iteration (ms): 1241.3 | learning rate: "
                "1.500E-04 | global batch size:    16 | %s |\n",
                at, 16 * at, values.c_str());
  return text.data();
}

// A step of Megatron-LM, fp16; on an overflow it has no loss.
std::string megatron(int at, double scale, bool skipped = false, const std::string& loss = "") {
  std::array<char, 300> text{};
  const std::string own = loss.empty() ? std::to_string(2 + 6.0 / at) : loss;
  std::snprintf(text.data(), text.size(),
                "%sloss scale: %.1f | grad norm: %s | number of skipped iterations: %3d | number of nan iterations:   0",
                skipped ? "" : ("lm loss: " + own + " | ").c_str(), scale, skipped ? "inf" : "1.263", skipped ? 1 : 0);
  return iteration(at, text.data());
}

std::string deepSpeed(int at, const std::string& loss, const std::string& grad) {
  return " " + std::to_string(at / 10) + "%|#         | " + std::to_string(at) + "/1000 [00:10<08:40,  1.69it/s]\n{'loss': " + loss +
         ", 'grad_norm': " + grad + ", 'learning_rate': 1e-05, 'epoch': " + std::to_string(0.001 * at) + "}\n";
}
std::string overflow(const std::string& scale, const std::string& then) {
  return "[2023-04-18 01:46:53,259] [INFO] [loss_scaler.py:181:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss "
         "scale: " +
         scale + ", reducing to " + then + "\n";
}

class LossLogs : public ::testing::Test {
 protected:
  std::vector<Finding> findingsOf(const std::string& text) {
    const std::string path = m_folder.file(std::to_string(m_stores++) + ".rgl");
    auto writer = openStore(path).writer().value();
    test::TextStream stream(text);
    ImportTarget target;
    target.run_name = "run", target.file_name = "train.log", target.path = "train.log";
    ImportReport report;
    EXPECT_TRUE(makeTrainLogImporter(test::builtinRuleSet())->run(stream, target, *writer, report, {}).ok());
    EXPECT_TRUE(writer->close().ok());
    auto reader = openStore(path).reader().value();
    auto found = makeLossHealth()->look({.reader = *reader, .run = reader->runs()->front().id, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok());
    return found.ok() ? *found : std::vector<Finding>{};
  }
  static std::string words(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& one : findings) text += std::string(severityName(one.severity)) + ": " + one.subject + ": " + one.summary + "\n";
    return text;
  }
  static Severity worst(const std::vector<Finding>& findings) {
    Severity worst = Severity::kDebug;
    for (const Finding& one : findings) worst = std::max(worst, one.severity);
    return worst;
  }
  test::TempFolder m_folder;
  int m_stores = 0;
};

TEST_F(LossLogs, OverflowsOfMegatronThatSkipAStepAreInfo) {
  std::string text;
  double scale = 4294967296.0;
  int at = 1;
  for (; at <= 17; ++at) text += megatron(at, scale /= 2, true);  // the initial search for a loss scale
  for (; at <= 900; ++at) {
    const bool skips = at % 300 == 0;
    if (skips) scale /= 2;
    text += megatron(at, scale, skips);
    if (skips) {  // live: the next step is not known yet
      const auto live = findingsOf(text);
      EXPECT_EQ(worst(live), Severity::kInfo) << words(live);
    }
  }
  const auto findings = findingsOf(text);
  EXPECT_EQ(worst(findings), Severity::kInfo) << words(findings);
}

TEST_F(LossLogs, OverflowsOfDeepSpeedThatSkipAStepAreInfo) {
  std::string text;
  for (int at = 1; at <= 5; ++at) text += overflow("65536", "32768") + deepSpeed(at, "2.81", "inf");
  for (int at = 6; at <= 600; ++at) {
    const bool skips = at == 350;
    if (skips) text += overflow("8192", "4096");
    text += deepSpeed(at, "2.31", skips ? "nan" : "0.71");
    if (skips) {
      const auto live = findingsOf(text);
      EXPECT_EQ(worst(live), Severity::kInfo) << words(live);
    }
  }
  const auto findings = findingsOf(text);
  EXPECT_EQ(worst(findings), Severity::kInfo) << words(findings);
}

TEST_F(LossLogs, AnOverflowWithoutASkippedStepIsCritical) {
  std::string text;
  for (int at = 1; at <= 300; ++at) text += deepSpeed(at, "2.31", at == 300 ? "inf" : "0.71");
  EXPECT_EQ(worst(findingsOf(text)), Severity::kCritical);
}

TEST_F(LossLogs, AScaleThatIsLoweredAgainAndAgainIsNoInfo) {
  std::string text;
  double scale = 65536;
  for (int at = 1; at <= 400; ++at) {
    const bool skips = at > 300 && at % 10 == 0;
    if (skips) scale /= 2;
    text += megatron(at, scale, skips);
  }
  EXPECT_GE(worst(findingsOf(text)), Severity::kWarning);
}

TEST_F(LossLogs, ANaNIsFoundInTheLineThatHasIt) {
  std::string text;
  for (int at = 1; at < 300; ++at) text += megatron(at, 1);
  EXPECT_TRUE(findingsOf(text).empty());
  text += megatron(300, 1, false, "nan");
  const auto findings = findingsOf(text);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(worst(findings), Severity::kCritical) << words(findings);
  EXPECT_EQ(findings.front().first_step, 300);
}

TEST_F(LossLogs, ACheckThatEndsTheRunNamesRankAndPlace) {
  std::string text;
  for (int at = 1; at < 300; ++at) text += megatron(at, 1);
  text += "Rank 5: found NaN in local grad norm in backward pass before data-parallel communication collective. Device: 5, node: n3\n";
  const auto findings = findingsOf(text);
  ASSERT_EQ(findings.size(), 1U) << words(findings);
  EXPECT_EQ(findings[0].severity, Severity::kError);
  const auto evidence = nlohmann::json::parse(findings[0].evidence);
  EXPECT_EQ(evidence["first_rank"], 5);
  EXPECT_EQ(evidence["layer"], "local grad norm in backward pass before data-parallel communication collective");
}

TEST_F(LossLogs, ALayerThatTheLogNamesIsPartOfTheLossFinding) {
  std::string text;
  for (int at = 1; at < 300; ++at) text += megatron(at, 1);
  text += "NaN detected in output of decoder.layers.3.fc1, shape: torch.Size([512, 4, 4096]), forward input max: 12.1, input min: -11.2\n";
  for (int at = 300; at < 303; ++at) text += megatron(at, 1, false, "nan");
  const auto findings = findingsOf(text);
  ASSERT_FALSE(findings.empty());
  EXPECT_NE(findings[0].summary.find("decoder.layers.3.fc1"), std::string::npos) << words(findings);
  EXPECT_EQ(nlohmann::json::parse(findings[0].evidence)["layer"], "decoder.layers.3.fc1");
}

// A falling loss that is logged every tenth step and rises by 7.5 sigma at step 1200, where 8 are a spike of its own.
TEST_F(LossLogs, ARiseTogetherWithTheGradientNormIsASpike) {
  const auto text = [](double rise, double grad) {
    std::string out;
    for (int step = 10; step <= 3000; step += 10) {
      const double wobble = 0.012 * std::sin(2.4 * step), away = step < 1200 ? 0 : std::exp(-(step - 1200) / 20.0);
      const double loss = (1.9 + 9.1 * std::pow(1 + step / 40.0, -0.6)) * (1 + wobble + rise * away);
      out += "Step " + std::to_string(step) + " | loss:" + std::to_string(loss) +
             " lr:0.0003 grad_norm:" + std::to_string(0.4 * (1 + 10 * wobble) * (1 + grad * away)) + "\n";
    }
    return out;
  };
  const auto both = findingsOf(text(0.12, 3));
  ASSERT_EQ(both.size(), 1U) << words(both);
  EXPECT_EQ(both[0].severity, Severity::kWarning) << words(both);
  EXPECT_EQ(both[0].first_step, 1200);
  EXPECT_TRUE(findingsOf(text(0, 0)).empty());
}

}  // namespace
}  // namespace runglass
