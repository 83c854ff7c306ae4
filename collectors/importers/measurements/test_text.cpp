// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/measurements/test_text.h"

#include <algorithm>
#include <charconv>

#include "collectors/importers/input/read_pieces.h"
#include "collectors/text/line_splitter.h"

namespace runglass {

Status readTestText(ByteStream& in, const ImportTarget& target, ImportReport& report, const std::stop_token& stop, TestResults& results,
                    const std::function<void(std::string_view)>& line, const std::function<void()>& end) {
  report.committed_offset = target.resume_at;
  // Results are whole only at the end of the test.
  if (!target.final) return {};
  train_log::LineSplitter lines;
  std::uint64_t read = 0;  // end of the last line that was passed on
  const auto take = [&](std::string_view text, std::uint64_t offset) {
    if (stop.stop_requested()) return;
    read = offset + text.size();
    // A cut last line was read up to its cut; with its end it is another line.
    results.recording = read > target.resume_at;
    line(text);
  };
  const Status status = readPieces(in, target, stop, [&](std::string_view piece) { lines.push(piece, take); });
  if (status.ok() && !lines.partial().empty()) take(lines.partial(), lines.lineStart());
  end();
  results.finish(report);
  report.committed_offset = std::max(status.ok() ? lines.offset() : read, target.resume_at);
  return endOfImport(status, report);
}

std::vector<std::string_view> wordsOf(std::string_view line) {
  constexpr std::size_t kMax = 1'024;
  std::vector<std::string_view> all;
  for (std::size_t at = 0; all.size() < kMax;) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end;
  }
  return all;
}

std::optional<double> decimal(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace runglass
