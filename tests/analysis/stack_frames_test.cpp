// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/stack_frames.h"

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

TEST(StackTop, OfANativeStackIsTheFunctionWithoutAddressAndArguments) {
  const auto frames = stackFrames(
      "Thread 1 (Thread 0x7f01 (LWP 4711)):\n#0  0x00007f2b in poll (fds=0x1, n=3) from /lib/x86_64/libc.so.6\n"
      "#1  0x00007f2c in wait_all (n=3) at src/transport/net.cc:812\n#2  main () at a.c:7\n\nThread 2:\n#0 other ()\n");
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frameText(frames[0]), "poll (libc.so.6)");
  EXPECT_EQ(frameText(frames[1]), "wait_all (net.cc:812)");
  EXPECT_EQ(frameText(frames[2]), "main (a.c:7)");
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
