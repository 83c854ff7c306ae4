// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the shipped runglassctl as a script does.
//
// Threading:  one thread.
// Ownership:  a temporary folder, removed at the end.
// Errors:     expectFails() requires exit 1 and one clear line.
// Cost:       one process per call.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/storage/sample_store.h"
#include "tests/support/emulated.h"
#include "tests/support/wait_until.h"

namespace runglass {

struct Outcome {
  int exit = -1;
  std::string out, err;
};

inline std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class CtlFixture : public ::testing::Test {
 protected:
  // Starts runglassctl with its output in the files stdout and stderr.
  pid_t start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RG_BIN_DIR "/runglassctl");
    arguments = test::runnable(std::move(arguments));
    const std::string out = m_folder.file("stdout"), err = m_folder.file("stderr");
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int to = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int errors = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(to, 1);
    ::dup2(errors, 2);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  // The address of a started `serve`, once it listens; `log` is its output.
  static std::string hubAddress(const std::string& log) {
    constexpr std::string_view kListening = "listening on ";
    std::string text;
    std::size_t at = std::string::npos, end = std::string::npos;
    EXPECT_TRUE(test::waitUntil([&] {
      text = contentOf(log);
      at = text.find(kListening);
      end = at == std::string::npos ? at : text.find('\n', at);
      return end != std::string::npos;
    })) << text;
    return end == std::string::npos ? "" : text.substr(at + kListening.size(), end - at - kListening.size());
  }
  Outcome ctl(std::vector<std::string> arguments) {
    int status = 0;
    ::waitpid(start(std::move(arguments)), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(m_folder.file("stdout")), contentOf(m_folder.file("stderr"))};
  }
  Outcome query(const std::string& sql, const std::string& format = "csv") {
    return ctl({"query", "--store", m_store, "--format", format, sql});
  }
  // Fails with exit 1 and exactly one line that contains `words`.
  void expectFails(const Outcome& outcome, const std::string& words) {
    EXPECT_EQ(outcome.exit, 1) << outcome.out << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(words));
  }

  test::TempFolder m_folder;
  std::string m_store = m_folder.file("s.rgl");
};

}  // namespace runglass
