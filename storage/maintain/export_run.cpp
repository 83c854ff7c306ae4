// SPDX-License-Identifier: Apache-2.0
// Invariant: the new store is written under <to>.part and renamed when it is complete, so `to` is either a complete store or absent.
#include <algorithm>

#include "storage/maintain/new_store.h"
#include "storage/maintain/run_copy.h"
#include "storage/open_store.h"

namespace runglass {
namespace {

constexpr const char* kWhat = "cannot export";

Status writeStore(const std::string& part, Reader& reader, RunId run, RunSlice slice, const ExportWatch& watch) {
  RG_ASSIGN(auto writer, openStore(part).writer());
  RG_TRY(copyRun(reader, run, std::move(slice), *writer, part, watch));
  return writer->close();
}

Status exportSlice(Reader& reader, RunId run, RunSlice slice, const std::string& to, const ExportWatch& watch) {
  const std::string part = partOf(to);
  Status status = writeStore(part, reader, run, std::move(slice), watch);
  if (status.ok()) status = putInPlace(to, kWhat);
  if (!status.ok()) removeStore(part);
  return status;
}

}  // namespace

Status exportRun(const std::string& from, RunId run, TimeRange range, const std::string& to, const ExportWatch& watch) {
  RG_TRY(isFree(to, kWhat));
  RG_ASSIGN(auto reader, openStore(from).reader());
  return exportSlice(*reader, run, sliceOf(range), to, watch);
}

Status exportIncident(const std::string& from, std::string_view uuid, DurNs margin, const std::string& to, const ExportWatch& watch) {
  RG_TRY(isFree(to, kWhat));
  RG_ASSIGN(auto reader, openStore(from).reader());
  RG_ASSIGN(const Incident incident, reader->incident(uuid));
  RG_ASSIGN(auto its, reader->findings(incident.run));
  std::erase_if(its, [&](const Finding& one) { return std::ranges::find(incident.findings, one.id) == incident.findings.end(); });
  return exportSlice(*reader, incident.run, sliceOf(incident, its, margin), to, watch);
}

}  // namespace runglass
