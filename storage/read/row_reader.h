// SPDX-License-Identifier: Apache-2.0
// RowReader: events, log lines, issues, labels and captures: lists, pages, density, and the context of a line. Internal to storage; the
// calls are those of Reader. Invariant: the file's rows and the tail's are of one moment (ReaderFile::consistent()); nothing is cached
// between calls.
//
// Threading:  one thread, the Reader's.
// Errors:     as reader.h.
#pragma once

#include <stop_token>
#include <vector>

#include "storage/read/reader_file.h"
#include "storage/reader.h"

namespace runglass {

class RowReader {
 public:
  explicit RowReader(ReaderFile& file) : m_file(file) {}

  Result<std::vector<Event>> events(const EventFilter& filter);
  Result<std::vector<LogLine>> logs(const EventFilter& filter);
  Result<std::vector<Issue>> issues();
  Result<std::vector<Label>> labels(RunId run);
  Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts);
  // row_reader_search.cpp
  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop);
  Result<EventPage> searchEvents(const RowQuery& query, std::stop_token stop);
  Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop);
  // row_reader_context.cpp
  Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop);

 private:
  ReaderFile& m_file;
};

}  // namespace runglass
