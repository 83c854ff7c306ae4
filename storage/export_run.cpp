// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. The new store is written under <to>.part and renamed when it is complete: `to` is a whole store or not there.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "storage/run_copy.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

void removeStore(const std::string& path) {
  std::error_code ignored;
  for (const std::string& file : {path, path + "-wal", path + "-shm", lockPath(path), journalPath(path), nextJournalPath(path)})
    std::filesystem::remove(file, ignored);
}

Status writeStore(const std::string& part, Reader& reader, RunId run, RunSlice slice, const ExportWatch& watch) {
  RG_ASSIGN(auto writer, Writer::open(part));
  RG_TRY(copyRun(reader, run, std::move(slice), *writer, part, watch));
  return writer->close();
}

// On disk before the name appears, so that a power cut leaves no half store under the final name.
Status putInPlace(const std::string& part, const std::string& to) {
  const auto failed = [&](const char* what) {
    return Status(Code::kUnavailable, std::string(what) + ": " + to + ": " + std::strerror(errno));
  };
  const int file = ::open(part.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed("cannot finish export");
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  if (!synced) return failed("cannot finish export");
  // link, not rename: it never replaces what somebody else made meanwhile.
  if (::link(part.c_str(), to.c_str()) != 0) {
    if (errno == EEXIST) return {Code::kAlreadyExists, "cannot export: " + to + ": the file is there already"};
    if (::rename(part.c_str(), to.c_str()) != 0) return failed("cannot finish export");
  }
  removeStore(part);
  return {};
}

Status exportSlice(Reader& reader, RunId run, RunSlice slice, const std::string& to, const ExportWatch& watch) {
  std::error_code error;
  const std::string part = to + ".part";
  if (std::filesystem::exists(part, error))
    return {Code::kAlreadyExists, "cannot export: " + part + ": left by an export that was interrupted; delete it first"};
  Status status = writeStore(part, reader, run, std::move(slice), watch);
  if (status.ok()) status = putInPlace(part, to);
  if (!status.ok()) removeStore(part);
  return status;
}

// Before anything is read: the usual mistake.
Status isFree(const std::string& to) {
  std::error_code error;
  if (std::filesystem::exists(to, error)) return {Code::kAlreadyExists, "cannot export: " + to + ": the file is there already"};
  return {};
}

}  // namespace

Status exportRun(const std::string& from, RunId run, TimeRange range, const std::string& to, const ExportWatch& watch) {
  RG_TRY(isFree(to));
  RG_ASSIGN(auto reader, Reader::open(from));
  return exportSlice(*reader, run, sliceOf(range), to, watch);
}

Status exportIncident(const std::string& from, std::string_view uuid, DurNs margin, const std::string& to, const ExportWatch& watch) {
  RG_TRY(isFree(to));
  RG_ASSIGN(auto reader, Reader::open(from));
  RG_ASSIGN(const Incident incident, reader->incident(uuid));
  RG_ASSIGN(auto its, reader->findings(incident.run));
  std::erase_if(its, [&](const Finding& one) { return std::ranges::find(incident.findings, one.id) == incident.findings.end(); });
  return exportSlice(*reader, incident.run, sliceOf(incident, its, margin), to, watch);
}

}  // namespace runglass
