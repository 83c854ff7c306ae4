// SPDX-License-Identifier: Apache-2.0
// A program that runs during a test, with its output in a file; killed with the object.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace runglass {

class Program {
 public:
  Program(std::vector<std::string> arguments, const std::string& log, std::vector<std::pair<std::string, std::string>> environment = {}) {
    m_pid = ::fork();
    if (m_pid != 0) return;
    const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(to, 1);
    ::dup2(to, 2);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ~Program() {
    signal(SIGKILL);
    wait();
  }
  Program(const Program&) = delete;
  pid_t pid() const { return m_pid; }
  void signal(int number) const {
    if (m_pid > 0) ::kill(m_pid, number);
  }
  int wait() {
    int status = 0;
    if (m_pid > 0) ::waitpid(m_pid, &status, 0);
    m_pid = 0;
    return status;
  }

 private:
  pid_t m_pid = 0;
};

}  // namespace runglass
