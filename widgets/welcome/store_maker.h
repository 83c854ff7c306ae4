// SPDX-License-Identifier: GPL-3.0-or-later
// StoreMaker: how the start page creates a store from files or the example, and previews an import.
//
// Threading:  GUI thread; the work runs elsewhere, `progress` and `done` are called on the GUI thread. One job at a time: a new one stops
//             the previous one, whose `done` is not called.
// Ownership:  the program owns it; it outlives the page. `context` dead: nothing is called, the work stops.
// Units:      bytes.
// Errors:     the Status names file and reason. An unfinished new store is deleted, an existing one is left unchanged.
// Cost:       one thread while a job runs.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "model/result.h"

namespace runglass {

struct ImportRow {
  QString path;
  QString kind;    // empty: skipped, `reason` has the cause
  QString reason;  // why it was skipped or imported in part
  std::optional<std::int64_t> bytes;
};

struct ImportListing {
  std::vector<ImportRow> rows;
  bool more = false;  // the listing is truncated, the import is not
};

struct MakeProgress {
  QString doing;                // "trace_rank3.json", "step 120"
  std::optional<double> share;  // 0..1; absent: unknown
};

struct MadeStore {
  QString path;
  std::vector<ImportRow> rows;  // of an import: the result for each file
  std::size_t findings = 0;
};

// The data that the list of recent stores shows for one store.
struct StoreGlance {
  QString run;       // the newest; empty: none
  QString state;     // "finished"; empty without a run
  int findings = 0;  // open, of severity warning and above
};

// Metrics of a Prometheus to make a store from, as the user enters them.
struct MetricsQuestion {
  QString url, access_file, match;
  QString nodes, from, to;  // empty: all; the last hour
  QString job;              // id of a Slurm job, which has nodes and times of its own; empty: none
};

// What the server has of that time.
struct MetricsFound {
  std::int64_t metrics = 0, other_metrics = 0, nodes = 0, devices = 0;  // other: not of GPUs, hosts, ports or collectives
};

class StoreMaker {
 public:
  using Progress = std::function<void(const MakeProgress&)>;
  using Made = std::function<void(const Result<MadeStore>&)>;

  virtual ~StoreMaker() = default;
  virtual void list(const QStringList& paths, QObject* context, std::function<void(const Result<ImportListing>&)> done) = 0;
  virtual void import(const QStringList& paths, const QString& store, QObject* context, Progress progress, Made done) = 0;
  virtual void findMetrics(const MetricsQuestion& question, QObject* context, std::function<void(const Result<MetricsFound>&)> done) = 0;
  // Into a store in the folder, whose name is that of the job, or server and window.
  virtual void importMetrics(const MetricsQuestion& question, const QString& folder, QObject* context, Progress progress, Made done) = 0;
  // A simulated run, marked as such on every screen.
  virtual void example(const QString& store, QObject* context, Progress progress, Made done) = 0;
  virtual void glance(const QString& store, QObject* context, std::function<void(const Result<StoreGlance>&)> done) = 0;
  virtual void cancel() = 0;
  // The content of the example, in a sentence.
  virtual QString exampleWords() const = 0;
};

}  // namespace runglass
