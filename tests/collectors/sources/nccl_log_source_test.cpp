// SPDX-License-Identifier: Apache-2.0
// The source nccl_log on files as created by NCCL_DEBUG_FILE, one per process.
#include <gtest/gtest.h>

#include "collectors/sources/train_log/train_log_source.h"
#include "tests/collectors/sources/follow/scratch_folder.h"
#include "tests/support/memory_recorder.h"

namespace runglass::test {
namespace {

TEST(NcclLogSource, FilesOfKnownProcessesBelongToTheirRanksAndMakeNoRun) {
  ScratchFolder folder;
  folder.write("nccl.n1.11", "n1:11:12 [0] NCCL INFO Using network IB\nn1:11:12 [0] NCCL WARN odd\n");
  RankTable ranks;
  ranks.put({.pid = 11, .rank = {.attempt = AttemptId{4}, .rank = 3}});
  const toml::table config = toml::parse("paths = \"" + folder.file("nccl.*") + "\"");
  const SourceContext context{.node = {.uuid = "u1", .name = "n1"}, .now = monotonicNow, .config = &config, .ranks = &ranks};
  MemoryRecorder out;
  const auto source = makeNcclLogSource();
  EXPECT_EQ(source->name(), "nccl_log");
  ASSERT_TRUE(source->start(out, context).ok());
  source->poll(out, 1);
  source->stop(out);
  ASSERT_EQ(out.events.size(), 1U);
  EXPECT_EQ(out.events[0].kind, "nccl_warning");
  EXPECT_EQ(out.events[0].rank, 3);
  EXPECT_EQ(out.events[0].attempt, AttemptId{4});
  ASSERT_EQ(out.facts.size(), 1U);
  EXPECT_EQ(out.facts[0].node, out.events[0].node);
  EXPECT_EQ(out.nodes.size(), 1U) << "the host in the line is this node";
  EXPECT_TRUE(out.runs.empty());
}

}  // namespace
}  // namespace runglass::test
