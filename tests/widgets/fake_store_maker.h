// SPDX-License-Identifier: GPL-3.0-or-later
// FakeStoreMaker: records the requests; the test answers them later.
//
// Threading:  GUI thread.
#pragma once

#include <map>

#include "widgets/welcome/store_maker.h"

namespace runglass::test {

class FakeStoreMaker final : public StoreMaker {
 public:
  void list(const QStringList& paths, QObject*, std::function<void(const Result<ImportListing>&)> done) override {
    listed = paths, on_listed = std::move(done);
  }
  void import(const QStringList& paths, const QString& store, QObject*, Progress progress, Made done) override {
    imported = paths, into = store, on_progress = std::move(progress), on_made = std::move(done);
  }
  void findMetrics(const MetricsQuestion& question, QObject*, std::function<void(const Result<MetricsFound>&)> done) override {
    question_found = question, on_found = std::move(done);
  }
  void importMetrics(const MetricsQuestion& question, const QString& folder, QObject*, Progress progress, Made done) override {
    question_imported = question, into = folder, on_progress = std::move(progress), on_made = std::move(done);
  }
  void example(const QString& store, QObject*, Progress progress, Made done) override {
    into = store, on_progress = std::move(progress), on_made = std::move(done);
  }
  void glance(const QString& store, QObject*, std::function<void(const Result<StoreGlance>&)> done) override {
    glances[store] = std::move(done);
  }
  void cancel() override { ++cancelled; }
  QString exampleWords() const override { return QStringLiteral("A simulated run of 64 GPUs."); }

  std::map<QString, std::function<void(const Result<StoreGlance>&)>> glances;
  QStringList listed, imported;
  QString into;
  std::function<void(const Result<ImportListing>&)> on_listed;
  Progress on_progress;
  Made on_made;
  std::optional<MetricsQuestion> question_found, question_imported;
  std::function<void(const Result<MetricsFound>&)> on_found;
  int cancelled = 0;
};

}  // namespace runglass::test
