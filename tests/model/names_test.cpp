// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/events.h"
#include "model/spans.h"
#include "model/topology.h"
#include "model/url_secrets.h"

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

TEST(Secrets, AreTakenOutOfAddressesAndNothingElseIs) {
  const std::pair<const char*, const char*> cases[] = {
      {"--data https://ada:pw@data.example/set", "--data https://***@data.example/set"},
      {"https://ghp_x@github.com/a/b.git", "https://***@github.com/a/b.git"},
      {"DB=postgres://ada:p@ss@db:5432/x, redis://:pw@r", "DB=postgres://***@db:5432/x, redis://***@r"},
      {"s3://b/x?token=abc&part=2#frag", "s3://b/x?token=***&part=2#frag"},
      {"https://h/b?sv=1&sig=abc%3D", "https://h/b?sv=1&sig=***"},
      {"https://h/b?X-Amz-Signature=abc&X-Amz-Date=1", "https://h/b?X-Amz-Signature=***&X-Amz-Date=1"},
      {"\"https://h?api_key=a\" x", "\"https://h?api_key=***\" x"},
      {"tcp://10.0.0.1:29500", "tcp://10.0.0.1:29500"},
      {"https://h/@scope/x?a=1&b", "https://h/@scope/x?a=1&b"},
      {"ada@example.org a://", "ada@example.org a://"},
      {"://", "://"},
      {"train.py --lr 3e-4", "train.py --lr 3e-4"}};
  for (const auto& [text, without] : cases) EXPECT_EQ(withoutUrlSecrets(text), without);
}

}  // namespace
}  // namespace runglass
