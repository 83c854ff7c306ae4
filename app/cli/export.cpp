// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl export: a slice of a run as a store, as CSV files or as a Chrome trace; the data that an incident needs as a store.
#include <filesystem>

#include "app/cli/chrome_trace.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/repaired_copy.h"
#include "app/cli/row_format.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"

namespace runglass::ctl {
namespace {

// One CSV file per relation. {run}, {t0} and {t1} are replaced by numbers; {in:COLUMN} by the condition for the range, or by nothing.
struct Table {
  const char* name;
  const char* sql;
};
constexpr Table kTables[] = {
    {"run", "SELECT * FROM run WHERE run_id = {run}"},
    {"attempt", "SELECT * FROM attempt WHERE run_id = {run} ORDER BY attempt"},
    {"attempt_fact", "SELECT * FROM attempt_fact WHERE run_id = {run}"},
    {"checkpoint", "SELECT * FROM checkpoint WHERE run_id = {run}{in:begin_ns}"},
    {"rank", "SELECT * FROM rank WHERE run_id = {run} ORDER BY attempt, rank"},
    {"node", "SELECT * FROM node WHERE node IN (SELECT node FROM rank WHERE run_id = {run})"},
    {"device", "SELECT * FROM device WHERE node IN (SELECT node FROM rank WHERE run_id = {run})"},
    {"series", "SELECT * FROM series WHERE run_id = {run} OR run_id IS NULL AND node IN (SELECT node FROM rank WHERE run_id = {run})"},
    {"sample",
     "SELECT s.series_id, p.time_ns, p.value FROM series s, sample(s.series_id, {t0}, {t1}) p WHERE s.kind <> 'scalar' AND "
     "(s.run_id = {run} OR s.run_id IS NULL AND s.node IN (SELECT node FROM rank WHERE run_id = {run}))"},
    {"scalar_all", "SELECT * FROM scalar_all WHERE run_id = {run}{in:time_ns}"},
    {"step", "SELECT * FROM step WHERE run_id = {run}{in:start_ns}"},
    {"step_part", "SELECT p.* FROM step_part p WHERE run_id = {run}"},
    {"progress", "SELECT * FROM progress WHERE run_id = {run}"},
    {"track", "SELECT * FROM track WHERE run_id = {run}"},
    {"span", "SELECT * FROM span WHERE run_id = {run}{in:start_ns}"},
    {"event", "SELECT * FROM event WHERE run_id = {run}{in:time_ns} ORDER BY time_ns"},
    {"log_line", "SELECT * FROM log_line WHERE run_id = {run}{in:time_ns} ORDER BY time_ns"},
    {"finding", "SELECT * FROM finding WHERE run_id = {run}"},
    {"label", "SELECT * FROM label WHERE run_id = {run}"},
    {"note", "SELECT * FROM note WHERE run_id = {run}"},
    {"incident", "SELECT * FROM incident WHERE run_id = {run}"},
    {"ingest_issue", "SELECT * FROM ingest_issue"},
};

void replaceAll(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

// SQL has no literal for the lowest int64: written as an expression.
std::string literal(std::int64_t number) {
  return number == std::numeric_limits<std::int64_t>::min() ? "(-9223372036854775807 - 1)" : std::to_string(number);
}

std::string fill(std::string sql, RunId run, TimeRange range) {
  replaceAll(sql, "{run}", std::to_string(run.value));
  replaceAll(sql, "{t0}", literal(range.t0));
  replaceAll(sql, "{t1}", literal(range.t1));
  for (std::size_t at = sql.find("{in:"); at != std::string::npos; at = sql.find("{in:")) {
    const std::size_t end = sql.find('}', at);
    const std::string column = sql.substr(at + 4, end - at - 4);
    sql.replace(at, end - at + 1,
                range == TimeRange{} ? "" : " AND " + column + " >= " + literal(range.t0) + " AND " + column + " < " + literal(range.t1));
  }
  return sql;
}

Status writeCsv(Reader& reader, RunId run, TimeRange range, const std::string& folder) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(folder, error);
  if (error) return {Code::kPermissionDenied, "cannot create folder: " + folder + ": " + error.message()};
  std::vector<std::string> made;
  const auto writeAll = [&]() -> Status {
    for (const Table& table : kTables) {
      const std::string path = folder + "/" + table.name + ".csv";
      RG_ASSIGN(Output out, Output::create(path));
      RG_TRY(printQuery(reader, fill(table.sql, run, range), "sheet", out));
      RG_TRY(out.finish());
      made.push_back(path);
    }
    return {};
  };
  Status written = writeAll();
  if (written.ok()) return {};
  for (const std::string& path : made) std::filesystem::remove(path, error);
  if (is_new) std::filesystem::remove(folder, error);
  return written;
}

class Export : public Command {
 public:
  const char* name() const override { return "export"; }
  const char* help() const override {
    return "Copy a run, its slice in time or what an incident needs into a store; a run also into CSV files or a Chrome trace";
  }
  const char* examples() const override {
    return "runglassctl export --store run.rgl --incident 3 --to incident.rgl\n"
           "runglassctl export --store run.rgl --run 1 --chrome-trace slice.json --t0 1700000000000000000 --t1 1700000060000000000\n"
           "runglassctl export --store run.rgl --run 1 --csv tables/\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    const Options what = options.exactlyOne("what", "What of it; exactly one");
    const Option run = what.add("--run", m_run, "The run's id, uuid or name");
    what.add("--incident", m_incident, "Export the data of this incident (id or uuid) into --to");
    const Options target = options.exactlyOne("target", "Where to; exactly one");
    target.add("--to", m_to, "A new store; never overwritten");
    target.add("--chrome-trace", m_trace, "A new Chrome trace JSON file of the run's spans").needs(run);
    target.add("--csv", m_csv, "A folder for one CSV file per relation; files are never overwritten").needs(run);
    options.add("--t0", m_range.t0, "Start of the slice, ns since 1970 (included)").needs(run);
    options.add("--t1", m_range.t1, "End of the slice, ns since 1970 (excluded)").needs(run);
    options.add("--margin", m_margin_s, "Seconds before and after the incident").range(0, 30 * 86'400).defaultShown().excludes(run);
  }
  Status run() override {
    if (m_range.t0 >= m_range.t1) return {Code::kInvalidArgument, "the slice is empty: --t0 must be less than --t1"};
    RG_ASSIGN(auto reader, openForReading(m_store));
    if (!m_incident.empty()) {
      RG_ASSIGN(const Incident incident, wantedIncident(*reader, m_store, m_incident));
      return exportIncident(readableStore(m_store), incident.uuid, m_margin_s * kNsPerSecond, m_to);
    }
    RG_ASSIGN(const Run wanted, wantedRun(*reader, m_store, m_run));
    const RunId run = wanted.id;
    if (!m_to.empty()) return exportRun(readableStore(m_store), run, m_range, m_to);
    if (!m_csv.empty()) return writeCsv(*reader, run, m_range, m_csv);
    RG_ASSIGN(Output out, Output::create(m_trace));
    return writeChromeTrace(*reader, run, m_range, out);
  }

 private:
  std::string m_store, m_run, m_incident, m_to, m_trace, m_csv;
  TimeRange m_range;
  std::int64_t m_margin_s = kIncidentMargin / kNsPerSecond;
};

}  // namespace

std::unique_ptr<Command> makeExport() { return std::make_unique<Export>(); }

}  // namespace runglass::ctl
