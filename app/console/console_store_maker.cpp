// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. A store that was created here and not finished is deleted; an existing one is only added to. 2. Callbacks are only
//             accessed on the GUI thread.
#include "app/console/console_store_maker.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QUrl>
#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "analysis/run_summary/open_finding.h"
#include "analysis/run_summary/run_summary.h"
#include "app/cli/run_findings.h"
#include "app/cli/service_import.h"
#include "app/cli/store_access.h"
#include "app/console/example_scenario.h"
#include "app/console/gui_thread.h"
#include "collectors/importers/session/import_preview.h"
#include "collectors/importers/session/import_session.h"
#include "collectors/services/slurm/slurm_service.h"
#include "collectors/sim/simulator.h"
#include "model/time_text.h"
#include "storage/open_store.h"
#include "storage/store_files.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

struct MakerText {
  Q_DECLARE_TR_FUNCTIONS(MakerText)
};

constexpr auto kProgressPeriod = std::chrono::milliseconds(100);

// Makes `call` callable on any thread; it does nothing once the context is destroyed or the work was stopped.
template <class Value>
std::function<void(const Value&)> whileWanted(QObject* context, std::stop_token stop, std::function<void(const Value&)> call) {
  return onGuiThread<Value>(context, [stop = std::move(stop), call = std::move(call)](const Value& value) {
    if (!stop.stop_requested()) call(value);
  });
}

// Runs the analyses on the store and stores their findings.
Result<std::size_t> analyse(const std::string& store, const StoreMaker::Progress& progress, const std::stop_token& stop) {
  std::vector<Finding> findings;
  {
    RG_ASSIGN(const auto reader, openStore(store).reader());
    RG_ASSIGN(const auto runs, reader->runs());
    for (const Run& run : runs) {
      progress({MakerText::tr("analysing %1").arg(screenText(run.name, 60)), std::nullopt});
      RG_ASSIGN(auto found, findAll(*reader, run, stop));
      std::ranges::move(found, std::back_inserter(findings));
    }
  }
  RG_ASSIGN(const auto writer, openStore(store).writer(writerOptions()));
  for (const Finding& finding : findings) writer->finding(finding);
  RG_TRY(writer->close());
  return findings.size();
}

ImportRow rowOf(const FileResult& result) {
  const bool left_out = result.status == ImportStatus::kFailed || result.status == ImportStatus::kSkipped;
  return {QString::fromStdString(result.path), left_out ? QString() : QString::fromStdString(result.kind),
          QString::fromStdString(result.reason), std::nullopt};
}

Result<MadeStore> importInto(const std::string& store, const QStringList& paths, const StoreMaker::Progress& progress,
                             const std::stop_token& stop) {
  std::vector<std::string> files;
  for (const QString& path : paths) files.push_back(path.toStdString());
  MadeStore made{.path = QString::fromStdString(store), .rows = {}};
  bool any = false;
  {
    RG_ASSIGN(const auto writer, openStore(store).writer(writerOptions()));
    ImportOptions options{.run_name = "", .on_file = {}, .stop = stop, .mapped = nullptr};
    options.on_file = [&](const std::string& path) { progress({QFileInfo(QString::fromStdString(path)).fileName(), std::nullopt}); };
    const auto results = ImportSession(*writer, options).import(files);
    RG_TRY(writer->close());
    RG_TRY(results.status());
    for (const FileResult& result : *results) {
      made.rows.push_back(rowOf(result));
      any = any || !made.rows.back().kind.isEmpty();
    }
  }
  if (!any) {
    const std::string why = made.rows.empty() ? "there is no file" : made.rows.front().reason.toStdString();
    return Status(Code::kInvalidArgument, "nothing was imported: " + why);
  }
  RG_ASSIGN(made.findings, analyse(store, progress, stop));
  return made;
}

ServiceQuestion questionOf(const MetricsQuestion& entered) {
  const auto text = [](const QString& value) { return value.trimmed().toStdString(); };
  return {.url = text(entered.url),
          .access_file = text(entered.access_file),
          .match = text(entered.match),
          .nodes = text(entered.nodes),
          .from = text(entered.from),
          .to = text(entered.to),
          .job = entered.job.trimmed().isEmpty() ? std::nullopt : std::optional<std::int64_t>(entered.job.trimmed().toLongLong())};
}

Result<SlurmJob> jobOf(const ServiceQuestion& question) {
  if (*question.job <= 0) return Status(Code::kInvalidArgument, "a Slurm job id is a positive number");
  return readSlurmJob(*question.job, slurmCommands());
}

Result<MetricsFound> found(const ServiceQuestion& question, const std::stop_token& stop) {
  RG_ASSIGN(ServiceImport wanted, serviceImport(question));
  wanted.stop = stop;
  if (question.job) {
    RG_ASSIGN(const SlurmJob job, jobOf(question));
    const std::vector<AttemptMetrics> attempts = attemptsWithMetrics(job);
    if (attempts.empty()) return Status(Code::kFailedPrecondition, "slurm: the job has not run on any node yet");
    wanted.range = attempts.back().range, wanted.places = attempts.back().places;
  }
  RG_ASSIGN(const MetricSource::Extent extent, findFromServices(wanted));
  return MetricsFound{.metrics = static_cast<std::int64_t>(extent.metrics),
                      .other_metrics = static_cast<std::int64_t>(extent.other_metrics),
                      .nodes = static_cast<std::int64_t>(extent.nodes),
                      .devices = static_cast<std::int64_t>(extent.devices)};
}

// "prom-9090" of http://prom:9090/prometheus.
QString serverName(const QString& url) {
  static const QRegularExpression kOther(QStringLiteral("[^A-Za-z0-9.-]+"));
  const QUrl parsed(url);
  QString name = parsed.host() + (parsed.port() > 0 ? u'-' + QString::number(parsed.port()) : QString());
  return name.replace(kOther, QStringLiteral("-"));
}

QString metricsStore(const MetricsQuestion& entered, const ServiceImport& wanted, const QString& folder) {
  const auto time = [](TimeNs ns) {
    return QDateTime::fromMSecsSinceEpoch(ns / kNsPerMs, Qt::UTC).toString(QStringLiteral("yyyyMMdd'T'HHmmss'Z'"));
  };
  const QString of_what = entered.job.trimmed().isEmpty() ? time(wanted.range.t0) + u'-' + time(wanted.range.t1)
                                                          : QStringLiteral("slurm-") + entered.job.trimmed();
  return folder + u'/' + serverName(entered.url.trimmed()) + u'-' + of_what + QStringLiteral(".rgl");
}

Result<MadeStore> metricsInto(const std::string& store, const ServiceQuestion& question, ServiceImport wanted,
                              const StoreMaker::Progress& progress, const std::stop_token& stop) {
  progress({MakerText::tr("looking for metrics at %1").arg(screenText(question.url, 60)), std::nullopt});
  wanted.store = store, wanted.stop = stop;
  wanted.on_progress = [&progress](std::size_t read, std::size_t all) {
    progress({MakerText::tr("metric %1 of %2").arg(read + 1).arg(all), static_cast<double>(read) / static_cast<double>(all)});
  };
  std::vector<FileResult> results;
  if (question.job) {
    RG_ASSIGN(const SlurmJob job, jobOf(question));
    RG_ASSIGN(results, importSlurmJob(job, std::move(wanted)));
  } else {
    wanted.run_name = question.url + " " + utcText(wanted.range.t0);
    RG_ASSIGN(results.emplace_back(), importFromServices(wanted));
  }
  MadeStore made{.path = QString::fromStdString(store), .rows = {}};
  for (const FileResult& result : results) made.rows.push_back(rowOf(result));
  RG_ASSIGN(made.findings, analyse(store, progress, stop));
  return made;
}

Result<MadeStore> exampleInto(const std::string& store, const StoreMaker::Progress& progress, const std::stop_token& stop) {
  RG_ASSIGN(const sim::Scenario scenario, sim::parseScenario(exampleTexts().front().text, exampleTexts().front().name));
  sim::PlayState state;
  std::jthread watcher([&](const std::stop_token& played) {
    while (!played.stop_requested()) {
      std::this_thread::sleep_for(kProgressPeriod);
      const std::int64_t step = state.step;
      progress({MakerText::tr("step %1 of %2").arg(step).arg(scenario.steps),
                static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(1, scenario.steps))});
    }
  });
  {
    RG_ASSIGN(const auto writer, openStore(store).writer(writerOptions()));
    sim::PlayOptions play{.start = wallNow() - sim::scenarioLength(scenario), .speed = 0, .stop = stop, .state = &state};
    const Status played = sim::play(scenario, *writer, play);
    RG_TRY(writer->close());
    RG_TRY(played);
  }
  watcher = {};
  MadeStore made{.path = QString::fromStdString(store), .rows = {}};
  RG_ASSIGN(made.findings, analyse(store, progress, stop));
  return made;
}

Result<MadeStore> made(const QString& store, const std::function<Result<MadeStore>(const std::string&)>& make) {
  const bool existed = QFileInfo::exists(store);
  QDir().mkpath(QFileInfo(store).absolutePath());
  Result<MadeStore> result = make(store.toStdString());
  // Including the files that SQLite and the Writer create for it.
  if (!result.ok() && !existed)
    for (const std::string& file : {store.toStdString(), journalPath(store.toStdString()), nextJournalPath(store.toStdString()),
                                    lockPath(store.toStdString()), store.toStdString() + "-wal", store.toStdString() + "-shm"})
      QFile::remove(QString::fromStdString(file));
  return result;
}

}  // namespace

BackgroundStoreMaker::BackgroundStoreMaker() {
  m_worker.setMaxThreadCount(1);
  m_glances.setMaxThreadCount(1);
}

BackgroundStoreMaker::~BackgroundStoreMaker() {
  m_stop.request_stop();
  m_ended.request_stop();
  m_glances.clear();
  m_glances.waitForDone();
  m_worker.waitForDone();
}

void BackgroundStoreMaker::cancel() { m_stop.request_stop(); }

std::stop_token BackgroundStoreMaker::begin() {
  m_stop.request_stop();
  m_stop = {};
  return m_stop.get_token();
}

void BackgroundStoreMaker::list(const QStringList& paths, QObject* context, std::function<void(const Result<ImportListing>&)> done) {
  const std::stop_token stop = begin();
  m_worker.start([paths, stop, answer = whileWanted<Result<ImportListing>>(context, stop, std::move(done))] {
    std::vector<std::string> files;
    for (const QString& path : paths) files.push_back(path.toStdString());
    const Result<ImportPreview> preview = previewImport(files, stop);
    if (!preview.ok()) return answer(preview.status());
    ImportListing listing{.rows = {}, .more = preview->more};
    for (const PreviewedFile& file : preview->files)
      listing.rows.push_back({QString::fromStdString(file.path), QString::fromStdString(file.kind), QString::fromStdString(file.reason),
                              file.bytes ? std::optional(static_cast<std::int64_t>(*file.bytes)) : std::nullopt});
    answer(listing);
  });
}

void BackgroundStoreMaker::glance(const QString& store, QObject* context, std::function<void(const Result<StoreGlance>&)> done) {
  const std::stop_token stop = m_ended.get_token();
  m_glances.start([store, stop, answer = whileWanted<Result<StoreGlance>>(context, stop, std::move(done))] {
    answer([&]() -> Result<StoreGlance> {
      RG_ASSIGN(const auto reader, openStore(store.toStdString()).reader());
      const Result<Run> run = chooseRun(*reader, {});
      if (run.status().code() == Code::kNotFound) return StoreGlance{};
      RG_TRY(run.status());
      RG_ASSIGN(const RunSummary summary, readRunSummary(*reader, *run, stop));
      return StoreGlance{.run = screenText(run->name, 80),
                         .state = QString::fromLatin1(stateWord(summary, wallNow()).word),
                         .findings = openCount(summary.open_findings).count};
    }());
  });
}

void BackgroundStoreMaker::import(const QStringList& paths, const QString& store, QObject* context, Progress progress, Made done) {
  const std::stop_token stop = begin();
  m_worker.start([paths, store, stop, said = whileWanted<MakeProgress>(context, stop, std::move(progress)),
                  answer = whileWanted<Result<MadeStore>>(context, stop, std::move(done))] {
    answer(made(store, [&](const std::string& path) { return importInto(path, paths, said, stop); }));
  });
}

void BackgroundStoreMaker::findMetrics(const MetricsQuestion& question, QObject* context,
                                       std::function<void(const Result<MetricsFound>&)> done) {
  const std::stop_token stop = begin();
  m_worker.start([asked = questionOf(question), stop, answer = whileWanted<Result<MetricsFound>>(context, stop, std::move(done))] {
    answer(found(asked, stop));
  });
}

void BackgroundStoreMaker::importMetrics(const MetricsQuestion& question, const QString& folder, QObject* context, Progress progress,
                                         Made done) {
  const std::stop_token stop = begin();
  m_worker.start([question, folder, stop, said = whileWanted<MakeProgress>(context, stop, std::move(progress)),
                  answer = whileWanted<Result<MadeStore>>(context, stop, std::move(done))] {
    const ServiceQuestion asked = questionOf(question);
    const Result<ServiceImport> wanted = serviceImport(asked);
    if (!wanted.ok()) return answer(wanted.status());
    answer(made(metricsStore(question, *wanted, folder),
                [&](const std::string& path) { return metricsInto(path, asked, *wanted, said, stop); }));
  });
}

void BackgroundStoreMaker::example(const QString& store, QObject* context, Progress progress, Made done) {
  const std::stop_token stop = begin();
  m_worker.start([store, stop, said = whileWanted<MakeProgress>(context, stop, std::move(progress)),
                  answer = whileWanted<Result<MadeStore>>(context, stop, std::move(done))] {
    answer(made(store, [&](const std::string& path) { return exampleInto(path, said, stop); }));
  });
}

QString BackgroundStoreMaker::exampleWords() const {
  const Result<sim::Scenario> scenario = sim::parseScenario(exampleTexts().front().text, exampleTexts().front().name);
  if (!scenario.ok()) return {};
  return MakerText::tr(
             "A simulated run of %1 GPUs on %2 nodes, %3 steps: one GPU computes slower for a while, later another falls off the bus and "
             "the job restarts.")
      .arg(scenario->world())
      .arg(scenario->nodes)
      .arg(scenario->steps);
}

}  // namespace runglass
