// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/stack_top.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

TEST(StackTop, IsTheInnermostFrameOfTheThreadThatTookTheSignal) {
  EXPECT_EQ(stackTop("Thread 0x00007f01 (most recent call first):\n"
                     "  File \"/usr/lib/python3.11/threading.py\", line 324 in wait\n\n"
                     "Current thread 0x00007f02 (most recent call first):\n"
                     "  File \"/opt/torch/distributed/distributed_c10d.py\", line 2501 in all_reduce\n"
                     "  File \"train.py\", line 97 in <module>\n"),
            "all_reduce (distributed_c10d.py:2501)");
}

TEST(StackTop, IsThatOfTheMainThreadWherePySpyNamesIt) {
  EXPECT_EQ(stackTop("Process 4711: python train.py\n\nThread 4713 (idle): \"loader\"\n    get (queue.py:171)\n"
                     "Thread 4711 (idle): \"MainThread\"\n    all_reduce (distributed_c10d.py:2501)\n    main (train.py:3)\n"),
            "all_reduce (distributed_c10d.py:2501)");
}

TEST(StackTop, IsNothingWhereNoThreadHasAFrame) {
  EXPECT_EQ(stackTop(""), "");
  EXPECT_EQ(stackTop("no stack at all\n"), "");
  EXPECT_EQ(stackTop("Current thread 0x00007f02 (most recent call first):\n"), "");
  EXPECT_EQ(stackTop("Current thread 0x00007f02 (most recent call first):\n<no Python frame>\n"), "");
  EXPECT_EQ(stackTop("Current thread 0x1 (most recent call first):\n  File \"cut"), "File \"cut");
}

}  // namespace
}  // namespace runglass
