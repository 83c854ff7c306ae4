// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_choice.h"

#include <algorithm>
#include <charconv>

#include "analysis/run_summary/run_summary.h"

namespace runglass {
namespace {

constexpr std::size_t kMinPrefix = 4;  // of a uuid

Status notFound(const std::string& store, const std::string& what) {
  return {Code::kNotFound, (store.empty() ? std::string() : store + ": ") + what};
}

std::optional<std::uint64_t> idOf(const std::string& wanted) {
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), id);
  return error == std::errc() && end == wanted.data() + wanted.size() ? std::optional(id) : std::nullopt;
}

}  // namespace

Result<Run> wantedRun(Reader& reader, const std::string& store, const std::string& wanted) {
  if (wanted.empty()) return chooseRun(reader, {});
  if (const auto id = idOf(wanted))
    if (auto run = reader.run(RunId{*id}); run.status().code() != Code::kNotFound) return run;
  RG_ASSIGN(const auto runs, reader.runs());
  for (const auto member : {&Run::uuid, &Run::name})
    if (const auto run = std::ranges::find(runs, wanted, member); run != runs.end()) return *run;
  return notFound(store, "there is no run " + wanted);
}

Result<Incident> wantedIncident(Reader& reader, const std::string& store, const std::string& wanted) {
  RG_ASSIGN(const auto incidents, reader.incidents(std::nullopt));
  const auto id = idOf(wanted);
  const auto found = std::ranges::find_if(
      incidents, [&](const Incident& one) { return one.uuid == wanted || (id && one.id == static_cast<std::int64_t>(*id)); });
  if (found != incidents.end()) return *found;
  const auto begins = [&](const Incident& one) { return wanted.size() >= kMinPrefix && one.uuid.starts_with(wanted); };
  const auto first = std::ranges::find_if(incidents, begins);
  if (first == incidents.end()) return notFound(store, "there is no incident " + wanted);
  if (std::find_if(first + 1, incidents.end(), begins) != incidents.end())
    return notFound(store, "several incidents begin with " + wanted + ": say more of it");
  return *first;
}

Result<Attempt> wantedAttempt(Reader& reader, const std::string& store, const Run& run, std::optional<std::int32_t> number) {
  RG_ASSIGN(const auto attempts, reader.attempts(run.id));
  const auto attempt = number ? std::ranges::find(attempts, *number, &Attempt::number) : attempts.end() - (attempts.empty() ? 0 : 1);
  if (attempt != attempts.end()) return *attempt;
  return notFound(store, "run " + std::to_string(run.id.value) + " has no attempt" + (number ? " " + std::to_string(*number) : ""));
}

}  // namespace runglass
