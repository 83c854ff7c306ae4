// SPDX-License-Identifier: Apache-2.0
// TrainerProcess: a forked child that acts as the trainer, and the ring directory it writes to.
//
// Threading:  the test's thread; fork before starting threads.
// Ownership:  kills and reaps the child, and removes the directory.
// Errors:     gtest failures.
// Cost:       one fork.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "collectors/client/runglass.h"
#include "collectors/sources/client/ring_reader.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass::test {

class RingDirectory : public TempFolder {
 public:
  // Waits for the single ring in this directory.
  std::string ring() const {
    std::string found;
    EXPECT_TRUE(waitUntil([&] {
      for (const auto& entry : std::filesystem::directory_iterator(path()))
        if (entry.path().extension() == ".ring") found = entry.path();
      return !found.empty();
    }));
    return found;
  }
};

class TrainerProcess {
 public:
  explicit TrainerProcess(const std::function<void()>& body) {
    m_pid = fork();
    if (m_pid == 0) {
      body();
      std::exit(0);  // runs the library's exit hook, as a trainer would
    }
  }
  ~TrainerProcess() { kill(); }
  void kill() {
    if (m_pid > 0) ::kill(m_pid, SIGKILL);
    wait();
  }
  int wait() {
    int status = -1;
    if (m_pid > 0) waitpid(m_pid, &status, 0);
    m_pid = 0;
    return status;
  }
  pid_t pid() const { return m_pid; }

 private:
  pid_t m_pid = 0;
};

inline void initIn(const RingDirectory& dir, const char* run = "test", std::int64_t rank = 0, std::int64_t world = 1) {
  rg_options options = RG_OPTIONS_INIT;
  options.run = run;
  options.attempt = "a";
  options.dir = dir.path().c_str();
  options.rank = rank;
  options.world = world;
  if (rg_init(&options) != 0) _exit(3);
}

}  // namespace runglass::test
