// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/guarded_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace runglass {
namespace {

constexpr std::size_t kMaxFile = 1U << 20;

}  // namespace

Result<std::string> readGuarded(const std::string& path, const char* what, bool secret) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": " + std::strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_size > static_cast<off_t>(kMaxFile))
    return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": not a small regular file");
  if (secret && (info.st_mode & 077U) != 0)
    return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": readable by others; chmod 600 it");
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Status(Code::kInvalidArgument, std::string(what) + ": " + path + ": cannot be read");
  return std::move(text).str();
}

Result<std::string> readToken(const std::string& path) {
  RG_ASSIGN(const std::string text, readGuarded(path, "token file", true));
  std::istringstream lines(text);
  std::string token;
  while ((token.empty() || token.front() == '#') && std::getline(lines, token))
    while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.empty() || token.front() == '#') return Status(Code::kInvalidArgument, "token file: " + path + ": holds no token");
  if (token.find(' ') != std::string::npos)
    return Status(Code::kInvalidArgument,
                  "token file: " + path + ": is a hub's list of who may connect; a client's file holds its token alone");
  return token;
}

Status replaceGuarded(const std::string& path, std::string_view text, bool secret) {
  const std::string next = path + ".new";
  const auto failed = [&] { return Status(Code::kUnavailable, "cannot write " + path + ": " + std::strerror(errno)); };
  ::unlink(next.c_str());
  const int fd = ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, secret ? 0600 : 0644);
  if (fd < 0) return failed();
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  const bool good = done == text.size() && ::fsync(fd) == 0;
  const Status why = good ? Status() : failed();
  ::close(fd);
  if (good && ::rename(next.c_str(), path.c_str()) == 0) return {};
  const Status status = good ? failed() : why;
  ::unlink(next.c_str());
  return status;
}

}  // namespace runglass
