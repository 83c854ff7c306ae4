// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
// 1. After the first failed write nothing more is written, and m_errno keeps its reason.
#include "app/ctl/output.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace runglass::ctl {

Result<Output> Output::create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wbx");
  if (!file) {
    const int why = errno;
    return Status(why == EEXIST ? Code::kAlreadyExists : Code::kPermissionDenied,
                  "cannot create file: " + path + ": " + std::strerror(why));
  }
  return Output(file, path);
}

Output::Output(Output&& other) noexcept
    : m_file(std::exchange(other.m_file, nullptr)),
      m_name(std::move(other.m_name)),
      m_buffer(std::move(other.m_buffer)),
      m_errno(other.m_errno) {}

Output::~Output() {
  if (m_file && m_file != stdout) std::fclose(m_file);
}

void Output::drain() {
  if (m_errno == 0 && std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file) != m_buffer.size()) m_errno = errno ? errno : EIO;
  m_buffer.clear();
}

void Output::write(std::string_view text) {
  m_buffer.append(text);
  if (m_buffer.size() >= 64 * 1024) drain();
}

Status Output::finish() {
  drain();
  if (m_errno == 0 && std::fflush(m_file) != 0) m_errno = errno;
  if (m_errno == 0) return {};
  return {m_errno == ENOSPC ? Code::kResourceExhausted : Code::kUnavailable, "cannot write: " + m_name + ": " + std::strerror(m_errno)};
}

std::string oneLine(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
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
