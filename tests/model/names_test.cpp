// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/events.h"
#include "model/spans.h"
#include "model/topology.h"

namespace runglass {
namespace {

TEST(Names, OfSeveritiesAndCategoriesReadBack) {
  for (int i = 0; i <= static_cast<int>(Severity::kCritical); ++i) {
    const auto severity = static_cast<Severity>(i);
    EXPECT_EQ(severityFromName(severityName(severity)), severity);
  }
  for (int i = 0; i < kSpanCategoryCount; ++i) {
    const auto category = static_cast<SpanCategory>(i);
    EXPECT_EQ(spanCategoryFromName(spanCategoryName(category)), category);
  }
  EXPECT_EQ(severityFromName("loud"), std::nullopt);
  EXPECT_EQ(spanCategoryFromName("Compute"), std::nullopt);
}

TEST(Secrets, AreRecognisedByTheirVariableNames) {
  for (const char* name : {"WANDB_API_KEY", "HF_TOKEN", "aws_secret_access_key", "DB_PASSWORD", "SSH_PRIVATE_KEY", "NCCL_AUTH", "MY_KEY"})
    EXPECT_TRUE(looksSecret(name)) << name;
  for (const char* name : {"NCCL_DEBUG", "CUDA_VISIBLE_DEVICES", "TORCH_CUDNN_V8_API_ENABLED", "NCCL_IB_HCA", "KEYBOARD"})
    EXPECT_FALSE(looksSecret(name)) << name;
}

}  // namespace
}  // namespace runglass
