// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: after the first failed write nothing more is written, and m_errno keeps its cause.
#include "app/cli/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace runglass::ctl {
namespace {

// Replaces control characters of ASCII and, in UTF-8, U+0080 to U+009F; `but` is kept.
void blank(std::string& text, char but) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool second = c == 0xc2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0U) == 0x80;
    if (second) text[i + 1] = ' ';
    if (second || ((c < 0x20 || c == 0x7f) && (text[i] != but || but == '\0'))) text[i] = ' ';
  }
}

Status cannotCreate(const std::string& path, int why) {
  const Code code = why == EEXIST ? Code::kAlreadyExists : why == ENOSPC ? Code::kResourceExhausted : Code::kPermissionDenied;
  return {code, "cannot create file: " + path + ": " + std::strerror(why)};
}

}  // namespace

Result<Output> Output::create(const std::string& path) {
  const std::string part = path + ".part";
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) return cannotCreate(path, EEXIST);
  std::FILE* file = std::fopen(part.c_str(), "wbx");
  if (!file) return cannotCreate(part, errno);
  return Output(file, path, part);
}

Output Output::spooled() {
  Output out = standard();
  out.m_buffered = std::size_t{64} << 20;
  out.m_spooled = true;
  return out;
}

Output::Output(Output&& other) noexcept
    : m_file(std::exchange(other.m_file, nullptr)),
      m_name(std::move(other.m_name)),
      m_part(std::exchange(other.m_part, {})),
      m_buffer(std::move(other.m_buffer)),
      m_buffered(other.m_buffered),
      m_spool(std::exchange(other.m_spool, nullptr)),
      m_spooled(other.m_spooled),
      m_errno(other.m_errno) {}

Output::~Output() {
  if (m_spool) std::fclose(m_spool);
  if (m_file && m_file != stdout) std::fclose(m_file);
  if (!m_part.empty()) ::unlink(m_part.c_str());
}

void Output::drain() {
  if (m_spooled && m_spool == nullptr && m_errno == 0 && (m_spool = std::tmpfile()) == nullptr) m_errno = errno;
  std::FILE* const to = m_spooled ? m_spool : m_file;
  if (m_errno == 0 && std::fwrite(m_buffer.data(), 1, m_buffer.size(), to) != m_buffer.size()) m_errno = errno ? errno : EIO;
  m_buffer.clear();
}

void Output::unspool() {
  m_spooled = false;
  if (m_spool == nullptr) return;
  const std::string last = std::exchange(m_buffer, std::string(64 * 1024, '\0'));
  const std::size_t chunk = m_buffer.size();
  std::rewind(m_spool);
  while (m_errno == 0) {
    m_buffer.resize(chunk);
    m_buffer.resize(std::fread(m_buffer.data(), 1, chunk, m_spool));
    if (std::ferror(m_spool) != 0) m_errno = EIO;
    if (m_buffer.empty()) break;
    drain();
  }
  m_buffer = last;
}

void Output::write(std::string_view text) {
  m_buffer.append(text);
  if (m_buffer.size() >= m_buffered) drain();
}

void Output::print(std::string text) {
  blank(text, '\n');
  write(text);
}

Status Output::finish() {
  if (m_spooled) unspool();
  drain();
  if (m_errno == 0 && std::fflush(m_file) != 0) m_errno = errno;
  if (m_errno == 0 && !m_part.empty()) {
    // link(), not rename(): it does not replace a file that was created meanwhile. Not every file system has links.
    const bool linked = ::link(m_part.c_str(), m_name.c_str()) == 0;
    if (!linked && errno == EEXIST) return cannotCreate(m_name, EEXIST);
    if (!linked && ::rename(m_part.c_str(), m_name.c_str()) != 0) m_errno = errno;
    if (linked) ::unlink(m_part.c_str());
    if (m_errno == 0) m_part.clear();
  }
  if (m_errno == 0) return {};
  return {m_errno == ENOSPC ? Code::kResourceExhausted : Code::kUnavailable, "cannot write: " + m_name + ": " + std::strerror(m_errno)};
}

std::string oneLine(std::string text) {
  blank(text, '\0');
  return text;
}

void appendDouble(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end.ptr);
}

void appendJsonString(std::string& json, std::string_view text) {
  json += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace runglass::ctl
