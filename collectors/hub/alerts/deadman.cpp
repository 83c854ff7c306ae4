// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/alerts/deadman.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "model/mutex.h"
#include "net/http_client.h"

namespace runglass {
namespace {

Status touch(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  // The monitor that checks its age is another user; the file has no content.
  if (fd >= 0) (void)::fchmod(fd, 0644);
  const bool done = fd >= 0 && ::futimens(fd, nullptr) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (done) return {};
  return {Code::kPermissionDenied, "deadman: " + path + ": " + std::strerror(why)};
}

Status ask(HttpClient& http, const DeadmanOptions& options, const std::stop_token& stop) {
  constexpr std::size_t kMax = 64U << 10;
  HttpRequest request{.url = options.url, .method = options.method, .headers = {}, .body = "", .timeout = options.timeout};
  request.most_bytes = kMax;
  request.secret_path = true;
  request.environment_proxy = true;
  RG_ASSIGN(const HttpAnswer answer, http.request(request, stop));
  if (answer.status >= 200 && answer.status < 300) return {};
  return {Code::kUnavailable, "deadman: " + shownHost(options.url) + ": HTTP status " + std::to_string(answer.status)};
}

}  // namespace

Deadman::Deadman(DeadmanOptions options, std::function<Status()> alive, std::function<void(const std::string&)> say)
    : m_options(std::move(options)), m_alive(std::move(alive)), m_say(std::move(say)) {
  m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Deadman::run(const std::stop_token& stop) {
  HttpClient http;
  std::string said;
  while (!stop.stop_requested()) {
    Status status = m_alive();
    if (status.ok()) status = m_options.file.empty() ? ask(http, m_options, stop) : touch(m_options.file);
    if (stop.stop_requested()) return;
    if (status.message() != said) m_say(said = status.message());
    sleepUnlessStopped(stop, m_options.every);
  }
}

}  // namespace runglass
