// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/capture/process_look.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

namespace runglass {
namespace {

constexpr std::size_t kMaxThreads = 512;

std::string folderOf(const std::string& root, std::int32_t pid) { return root + "proc/" + std::to_string(pid); }

// Empty if it cannot be read.
std::string readSmall(const std::string& path, std::size_t most = 16U << 10) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t got = ::read(fd, text.data() + size, most - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  ::close(fd);
  text.resize(size);
  return text;
}

std::string fieldOf(const std::string& status, std::string_view name) {
  std::istringstream lines(status);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string oneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

Result<ProcessLook> lookAt(const std::string& root, std::int32_t pid) {
  const std::string status = readSmall(folderOf(root, pid) + "/status");
  if (status.empty()) return Status(Code::kNotFound, "process " + std::to_string(pid) + " is gone");
  ProcessLook look;
  look.state_words = fieldOf(status, "State");
  if (!look.state_words.empty()) look.state = look.state_words[0];
  std::istringstream(fieldOf(status, "Uid")) >> look.uid;
  std::istringstream pids(fieldOf(status, "NSpid"));
  for (std::int32_t one = 0; pids >> one;) look.pids.push_back(one);
  if (look.pids.empty()) look.pids.push_back(pid);
  const std::string caught = fieldOf(status, "SigCgt");
  std::from_chars(caught.data(), caught.data() + caught.size(), look.caught, 16);
  return look;
}

std::string processText(const std::string& root, std::int32_t pid) {
  const std::string folder = folderOf(root, pid);
  std::string text = readSmall(folder + "/status");
  if (text.empty()) return text;
  text += "wchan: " + oneLine(readSmall(folder + "/wchan")) + "\n";
  if (const std::string stack = readSmall(folder + "/stack"); !stack.empty()) text += "kernel stack:\n" + stack;
  std::error_code error;
  std::size_t threads = 0;
  for (auto at = std::filesystem::directory_iterator(folder + "/task", error); !error && at != std::filesystem::directory_iterator();
       at.increment(error)) {
    if (++threads > kMaxThreads) continue;
    const std::string task = at->path();
    const std::string state = fieldOf(readSmall(task + "/status"), "State");
    text += "thread " + at->path().filename().string() + " " + oneLine(readSmall(task + "/comm")) + ": " + state + ", wchan " +
            oneLine(readSmall(task + "/wchan")) + "\n";
  }
  if (threads > kMaxThreads) text += "and " + std::to_string(threads - kMaxThreads) + " more threads\n";
  return text;
}

std::optional<bool> holdsOpen(const std::string& root, std::int32_t pid, std::uint64_t device, std::uint64_t inode) {
  std::error_code error;
  auto at = std::filesystem::directory_iterator(folderOf(root, pid) + "/fd", error);
  if (error) return std::nullopt;
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    struct stat info {};
    if (::stat(at->path().c_str(), &info) == 0 && info.st_dev == device && info.st_ino == inode) return true;
  }
  return false;
}

std::map<std::string, std::string> environmentOf(const std::string& root, std::int32_t pid, const std::vector<std::string>& names) {
  std::map<std::string, std::string> found;
  std::istringstream all(readSmall(folderOf(root, pid) + "/environ", 1U << 20));
  for (std::string entry; std::getline(all, entry, '\0');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || std::ranges::find(names, entry.substr(0, equals)) == names.end()) continue;
    found[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return found;
}

}  // namespace runglass
