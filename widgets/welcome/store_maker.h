// SPDX-License-Identifier: GPL-3.0-or-later
// StoreMaker: how the start page makes a store of files or of the example, and what it would take.
//
// Threading:  GUI thread; the work is done elsewhere, `progress` and `done` come back on the GUI thread. One piece of work at a time: a new
//             one stops the one before, whose `done` is not called.
// Ownership:  the program owns it; it outlives the page. `context` dead: nothing is called, the work stops.
// Units:      bytes.
// Errors:     the Status names file and reason. A store that was begun and failed is deleted, one that existed before is left as it was.
// Cost:       one thread while something is being made.
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
  QString kind;    // empty: left out, `reason` says why
  QString reason;  // of what was left out, or taken in part
  std::optional<std::int64_t> bytes;
};

struct ImportListing {
  std::vector<ImportRow> rows;
  bool more = false;  // the listing is cut, the import is not
};

struct MakeProgress {
  QString doing;                // "trace_rank3.json", "step 120"
  std::optional<double> share;  // 0..1; absent: nobody can tell
};

struct MadeStore {
  QString path;
  std::vector<ImportRow> rows;  // of an import: what came of each file
  std::size_t findings = 0;
};

// What the list of recent stores shows of one.
struct StoreGlance {
  QString run;       // the newest; empty: none
  QString state;     // "finished"; empty without a run
  int findings = 0;  // open, from warning on
};

class StoreMaker {
 public:
  using Progress = std::function<void(const MakeProgress&)>;
  using Made = std::function<void(const Result<MadeStore>&)>;

  virtual ~StoreMaker() = default;
  virtual void list(const QStringList& paths, QObject* context, std::function<void(const Result<ImportListing>&)> done) = 0;
  virtual void import(const QStringList& paths, const QString& store, QObject* context, Progress progress, Made done) = 0;
  // A simulated run, marked as such on every screen.
  virtual void example(const QString& store, QObject* context, Progress progress, Made done) = 0;
  virtual void glance(const QString& store, QObject* context, std::function<void(const Result<StoreGlance>&)> done) = 0;
  virtual void cancel() = 0;
  // What the example plays, in a sentence.
  virtual QString exampleWords() const = 0;
};

}  // namespace runglass
