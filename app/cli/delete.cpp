// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl delete: deletes complete runs, with a preview.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "model/number_text.h"
#include "storage/maintain/delete_runs.h"
#include "storage/writer.h"

namespace runglass::ctl {
namespace {

// ns since 1970, or YYYY-MM-DD with or without THH:MM[:SS], UTC.
std::optional<TimeNs> timeFrom(const std::string& text) {
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
    try {
      return static_cast<TimeNs>(std::stoll(text));
    } catch (const std::out_of_range&) {
      return std::nullopt;
    }
  }
  int year = 0, hour = 0, minute = 0, second = 0, used = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &used) != 3) return std::nullopt;
  const std::string rest = text.substr(static_cast<std::size_t>(used));
  int end = 0;
  if (!rest.empty() && std::sscanf(rest.c_str(), "T%2d:%2d:%2dZ%n", &hour, &minute, &second, &end) != 3 &&
      std::sscanf(rest.c_str(), "T%2d:%2d:%2d%n", &hour, &minute, &second, &end) != 3 &&
      std::sscanf(rest.c_str(), "T%2d:%2d%n", &hour, &minute, &end) != 2)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const auto seconds =
      std::chrono::sys_seconds(std::chrono::sys_days(date)).time_since_epoch().count() + hour * 3600 + minute * 60 + second;
  return seconds * kNsPerSecond;
}

// Free pages that cannot be released because of damage only cost space: they are reused.
void warn(const std::string& not_given_back) {
  if (!not_given_back.empty()) std::fprintf(stderr, "warning: %s\n", oneLine(not_given_back).c_str());
}

class Delete : public Command {
 public:
  const char* name() const override { return "delete"; }
  const char* help() const override { return "Delete runs and give their space back; --dry-run prints what would go"; }
  const char* examples() const override {
    return "runglassctl delete --store cluster.rgl --run llm-70b --dry-run\n"
           "runglassctl delete --store cluster.rgl --before 2026-01-01\n";
  }
  void declare(Options options) override {
    options.add("--store,STORE", m_store, "The store, a .rgl file").required();
    const Option run = options.add("--run", m_run, "The run's id, uuid or name");
    const Option before = options.add("--before", m_before, "Runs that ended before: 2026-01-31, 2026-01-31T18:00 (UTC) or ns since 1970")
                              .check([](const std::string& text) { return timeFrom(text) ? std::string() : "not a time: " + text; });
    run.excludes(before);
    options.flag("--dry-run,--preview", m_dry_run, "Print what would be deleted, and delete nothing");
    options.flag("--json", m_json, "Print one JSON object");
    options.check([this] { return std::string(m_run.empty() && m_before.empty() ? "--run or --before is required" : ""); });
  }
  Status run() override {
    DeletionWanted wanted;
    {
      RG_ASSIGN(const auto reader, openItself(m_store));
      if (!m_run.empty()) {
        RG_ASSIGN(const Run run, wantedRun(*reader, m_store, m_run));
        wanted.run = run.id;
      }
    }
    if (!m_before.empty()) wanted.before = timeFrom(m_before);
    RG_ASSIGN(const Deletion done, m_dry_run ? previewDeletion(m_store, wanted) : deleteRuns(m_store, wanted, writerOptions()));
    RG_TRY(printAnswer(
        m_json, [&] { return json(done); }, [&] { return text(done); }));
    warn(done.not_given_back);
    return {};
  }

 private:
  nlohmann::ordered_json json(const Deletion& done) const {
    nlohmann::ordered_json rows = nlohmann::ordered_json::object();
    for (const auto& [table, count] : done.rows) rows[table] = count;
    return {{"path", m_store},
            {"dry_run", m_dry_run},
            {"runs", done.runs},
            {"rows", rows},
            {"data_bytes", done.data_bytes},
            {"file_bytes_before", done.file_bytes_before},
            {"file_bytes_after", done.file_bytes_after},
            {"not_given_back", done.not_given_back}};
  }
  std::string text(const Deletion& done) const {
    std::string lines = m_dry_run ? "would delete " : "deleted ";
    lines += std::to_string(done.runs.size()) + (done.runs.size() == 1 ? " run" : " runs") + ", " +
             bytesText(static_cast<double>(done.data_bytes)) + " of data\n";
    for (const std::string& run : done.runs) lines += "  " + oneLine(run) + "\n";
    for (const auto& [table, count] : done.rows) lines += "  " + std::to_string(count) + " " + table + "\n";
    if (!m_dry_run)
      lines += m_store + ": " + bytesText(static_cast<double>(done.file_bytes_before)) + " before, " +
               bytesText(static_cast<double>(done.file_bytes_after)) + " now\n";
    return lines;
  }

  std::string m_store, m_run, m_before;
  bool m_dry_run = false, m_json = false;
};

class Compact : public Command {
 public:
  const char* name() const override { return "compact"; }
  const char* help() const override { return "Give the free pages of a store back to the file system"; }
  const char* examples() const override { return "runglassctl compact --store cluster.rgl\n"; }
  void declare(Options options) override {
    options.add("--store,STORE", m_store, "The store, a .rgl file; no process may write it").required();
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_ASSIGN(const Compaction done, compactStore(m_store, writerOptions()));
    const auto json = [&] {
      return nlohmann::ordered_json{{"path", m_store},
                                    {"file_bytes_before", done.file_bytes_before},
                                    {"file_bytes_after", done.file_bytes_after},
                                    {"not_given_back", done.not_given_back}};
    };
    RG_TRY(printAnswer(m_json, json, [&] {
      return m_store + ": " + bytesText(static_cast<double>(done.file_bytes_before)) + " before, " +
             bytesText(static_cast<double>(done.file_bytes_after)) + " now\n";
    }));
    warn(done.not_given_back);
    return {};
  }

 private:
  std::string m_store;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeDelete() { return std::make_unique<Delete>(); }
std::unique_ptr<Command> makeCompact() { return std::make_unique<Compact>(); }

}  // namespace runglass::ctl
