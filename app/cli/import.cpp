// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl import: imports files and folders of other tools into a store.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/service_arguments.h"
#include "app/cli/service_import.h"
#include "app/cli/store_access.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/importers/session/import_session.h"
#include "collectors/services/slurm/slurm_service.h"
#include "storage/open_store.h"

namespace runglass::ctl {
namespace {

const char* statusName(ImportStatus status) {
  switch (status) {
    case ImportStatus::kOk:
      return "ok";
    case ImportStatus::kPartial:
      return "partial";
    case ImportStatus::kFailed:
      return "failed";
    case ImportStatus::kSkipped:
      return "skipped";
  }
  return "";
}

class Import : public Command {
 public:
  const char* name() const override { return "import"; }
  const char* help() const override {
    return "Import files and folders (TensorBoard, logs, traces, telemetry, ...; .gz .bz2 .zst .xz .tar too), metrics of a Prometheus, or "
           "a Slurm job";
  }
  const char* examples() const override {
    return "runglassctl import --store night.rgl logs/ runs/ trace_rank0.json.gz\n"
           "runglassctl import --store night.rgl --map site.toml telemetry.csv\n"
           "runglassctl import --store night.rgl --prometheus http://prom:9090 --from 2026-11-20T21:00:00Z\n"
           "runglassctl import --store night.rgl --slurm 4711 --prometheus http://prom:9090\n";
  }
  void declare(Options options) override {
    options.add("--store,--out", m_store, "The store, a .rgl file; made if it is missing").required();
    options.add("--run", m_run, "Put everything into the run of this name");
    options.add("--map", m_map, "Read CSV files by the layouts in this TOML file (docs/formats/import_csv.md)");
    options.flag("--json", m_json, "Print one JSON object");
    options.add("PATH", m_paths, "Files and folders");
    m_services.declare(options);
    m_services.declareWindow(options);
    options.check([this]() -> std::string {
      const ServiceQuestion& question = m_services.question();
      const bool service = !question.url.empty() || question.job;
      if (m_paths.empty() != service) return "PATH, --prometheus or --slurm is required";
      if (m_paths.empty() && !m_map.empty()) return "--map needs PATH";
      if (question.job && !m_run.empty()) return "--slurm: the job has a name, a time and nodes of its own";
      return m_services.wrongWindow();
    });
  }

  Status run() override {
    if (m_services.question().job) return importJob();
    if (!m_services.question().url.empty()) return importMetrics();
    ImportOptions options{.run_name = m_run};
    if (!m_map.empty()) {
      RG_ASSIGN(options.mapped, mappedImporter());
    }
    Result<std::vector<FileResult>> results = missingPaths();
    // If there is nothing to read, no empty store must be created.
    if (results->size() < m_paths.size()) results = importInto(std::move(options));
    if (!results.ok()) return results.status();
    RG_TRY(print(*results));
    const auto failed =
        std::count_if(results->begin(), results->end(), [](const FileResult& r) { return r.status == ImportStatus::kFailed; });
    if (failed == 0) return {};
    const auto first =
        std::find_if(results->begin(), results->end(), [](const FileResult& r) { return r.status == ImportStatus::kFailed; });
    if (results->size() == 1) return {Code::kInvalidArgument, first->reason};
    return {Code::kInvalidArgument,
            std::to_string(failed) + " of " + std::to_string(results->size()) + " files failed, the first: " + first->reason};
  }

 private:
  Status importMetrics() const {
    RG_ASSIGN(ServiceImport wanted, serviceImport(m_services.question()));
    wanted.store = m_store, wanted.run_name = m_run;
    RG_ASSIGN(const FileResult result, importFromServices(wanted));
    return print({result});
  }

  Status importJob() const {
    RG_ASSIGN(ServiceImport wanted, serviceImport(m_services.question()));
    wanted.store = m_store;
    RG_ASSIGN(const SlurmJob job, readSlurmJob(*m_services.question().job, slurmCommands()));
    RG_ASSIGN(const std::vector<FileResult> results, importSlurmJob(job, std::move(wanted)));
    return print(results);
  }

  std::vector<FileResult> missingPaths() const {
    std::vector<FileResult> missing;
    std::error_code error;
    for (const std::string& path : m_paths)
      if (std::filesystem::symlink_status(path, error).type() == std::filesystem::file_type::not_found)
        missing.push_back({.path = path, .reason = "no such file or folder: " + path, .status = ImportStatus::kFailed});
    return missing;
  }

  Result<std::vector<FileResult>> importInto(ImportOptions options) const {
    RG_ASSIGN(auto writer, openStore(m_store).writer(writerOptions()));
    if (const auto& mirror = writer->mirror())
      return Status(Code::kFailedPrecondition, "cannot import into " + m_store + ": it is a replica of the hub at " + mirror->from +
                                                   "; import into another store, or at the hub");
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (terminal) options.on_file = [](const std::string& path) { std::fprintf(stderr, "\r\033[K%s", oneLine(path).c_str()); };
    auto results = ImportSession(*writer, std::move(options)).import(m_paths);
    if (terminal) std::fputs("\r\033[K", stderr);
    const Status closed = writer->close();
    if (results.ok()) RG_TRY(closed);
    return results;
  }

  Result<std::shared_ptr<Importer>> mappedImporter() const {
    constexpr std::size_t kMax = std::size_t{1} << 20;
    std::ifstream file(m_map, std::ios::binary);
    std::string toml(kMax + 1, '\0');
    file.read(toml.data(), static_cast<std::streamsize>(toml.size()));
    toml.resize(static_cast<std::size_t>(file.gcount()));
    if (!file.is_open() || file.bad()) return Status(Code::kNotFound, "cannot read the layouts: " + m_map);
    if (toml.size() > kMax) return Status(Code::kInvalidArgument, "the layouts are larger than 1 MiB: " + m_map);
    RG_ASSIGN(std::unique_ptr<Importer> importer, makeMappedCsvImporter(m_map, toml));
    return std::shared_ptr<Importer>(std::move(importer));
  }

  Status print(const std::vector<FileResult>& results) const {
    return printAnswer(
        m_json, [&] { return json(results); }, [&] { return text(results); });
  }

  static nlohmann::ordered_json json(const std::vector<FileResult>& results) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array(), runs = nlohmann::ordered_json::array();
    for (const FileResult& r : results) {
      const nlohmann::ordered_json run = r.run ? nlohmann::ordered_json(r.run.value) : nlohmann::ordered_json();
      if (r.run && std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
      nlohmann::ordered_json issues = nlohmann::ordered_json::array();
      for (const auto& [code, count] : r.issues) issues.push_back({{"code", code}, {"count", count}});
      files.push_back({{"path", r.path},
                       {"kind", r.kind.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(r.kind)},
                       {"run_id", run},
                       {"status", statusName(r.status)},
                       {"reason", r.reason},
                       {"points", r.points},
                       {"spans", r.spans},
                       {"events", r.events},
                       {"issues", issues}});
    }
    return {{"run_id", runs.empty() ? nlohmann::ordered_json() : runs[0]}, {"runs", runs}, {"files", files}};
  }

  static std::string text(const std::vector<FileResult>& results) {
    std::string out;
    for (const FileResult& r : results) {
      out += std::string(statusName(r.status)) + "  " + oneLine(r.path);
      if (!r.kind.empty()) out += "  (" + r.kind + ")";
      if (r.points > 0) out += "  " + std::to_string(r.points) + " points";
      if (r.spans > 0) out += "  " + std::to_string(r.spans) + " spans";
      if (r.events > 0) out += "  " + std::to_string(r.events) + " events";
      for (const auto& [code, count] : r.issues) out += "  " + code + " x" + std::to_string(count);
      if (!r.reason.empty()) out += "  " + oneLine(r.reason);
      out += "\n";
    }
    return out;
  }

  std::string m_store, m_run, m_map;
  ServiceArguments m_services;
  bool m_json = false;
  std::vector<std::string> m_paths;
};

}  // namespace

std::unique_ptr<Command> makeImport() { return std::make_unique<Import>(); }

}  // namespace runglass::ctl
