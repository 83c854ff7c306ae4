// SPDX-License-Identifier: Apache-2.0
// SmallDisk: runs a program that writes to a disk of a given size in KiB, which is full if the program needs more.
//
// The disk is a tmpfs in a mount namespace of the program: it disappears when the program ends.
//
// Threading:  one thread.
// Ownership:  a temporary folder, on which the disk is mounted.
// Units:      KiB.
// Errors:     possible(): false if this user cannot create such a namespace.
// Cost:       a shell and the program per call.
#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/emulated.h"
#include "tests/support/temp_folder.h"

namespace runglass::test {

class SmallDisk {
 public:
  struct Outcome {
    int exit = -1;
    std::string errors;             // lines on stderr
    std::vector<std::string> left;  // paths on the disk afterwards, relative to it; folders too
    std::int64_t used_kib = 0;
  };

  static bool possible() { return std::system("unshare --user --map-root-user --mount true > /dev/null 2>&1") == 0; }
  const std::string& path() const { return m_disk; }

  Outcome run(std::int64_t kib, std::vector<std::string> command) const {
    command = runnable(std::move(command));
    std::string line = "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=" + std::to_string(kib) + "k none " + m_disk +
                       " || exit 99; \"$@\" > " + m_folder.file("out") + " 2> " + m_folder.file("errors") + "; code=$?; cd " + m_disk +
                       "; find . -mindepth 1 | sort > " + m_folder.file("left") + "; du -sk . | cut -f1 > " + m_folder.file("used") +
                       "; exit $code' sh";
    for (const std::string& argument : command) line += " '" + argument + "'";
    const int status = std::system(line.c_str());
    Outcome outcome{.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .errors = textOf("errors")};
    std::istringstream left(textOf("left"));
    for (std::string path; std::getline(left, path);) outcome.left.push_back(path);
    outcome.used_kib = std::atoll(textOf("used").c_str());
    return outcome;
  }

  // For every disk that is too small, by more or less, the command fails with one line about that and leaves nothing; where it succeeds, it
  // leaves the same files as on a large disk.
  void expectAllOrNothing(const std::vector<std::string>& command) const {
    constexpr std::int64_t kPlenty = 256 * 1024;
    constexpr int kPoints = 12;
    const Outcome whole = run(kPlenty, command);
    ASSERT_EQ(whole.exit, 0) << whole.errors;
    ASSERT_FALSE(whole.left.empty());
    int refused = 0;
    for (int i = 0; i < kPoints; ++i) {
      const std::int64_t kib = std::max<std::int64_t>(4, whole.used_kib * i / kPoints / 4 * 4);
      const Outcome outcome = run(kib, command);
      const std::string where = command.front() + " on " + std::to_string(kib) + " of " + std::to_string(whole.used_kib) + " KiB";
      if (outcome.exit == 0) {
        EXPECT_EQ(outcome.left, whole.left) << where;
        continue;
      }
      ++refused;
      EXPECT_EQ(outcome.exit, 1) << where;
      EXPECT_THAT(outcome.left, testing::IsEmpty()) << where;
      EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << where << ": " << outcome.errors;
      EXPECT_THAT(outcome.errors, testing::AnyOf(testing::HasSubstr("No space left on device"), testing::HasSubstr("disk is full"),
                                                 testing::HasSubstr("the disk has")))
          << where;
    }
    EXPECT_GT(refused, kPoints / 2);
  }

 private:
  std::string textOf(const char* name) const {
    std::ifstream file(m_folder.file(name));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  const TempFolder m_folder, m_mount;
  const std::string m_disk = m_mount.path();
};

}  // namespace runglass::test
