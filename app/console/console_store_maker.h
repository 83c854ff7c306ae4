// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks of the start page: importing files or metrics into a store, playing the example into one, and analysing them before they are
// shown.
//
// Threading:  GUI thread; one worker.
// Ownership:  the Console owns it; its destructor stops the work and waits for it.
// Units:      as StoreMaker.
// Errors:     as StoreMaker.
// Cost:       as ImportSession and findAll(); the example plays some 40 simulated minutes of 64 GPUs.
#pragma once

#include <QThreadPool>
#include <stop_token>

#include "widgets/welcome/store_maker.h"

namespace runglass {

class BackgroundStoreMaker final : public StoreMaker {
 public:
  BackgroundStoreMaker();
  ~BackgroundStoreMaker() override;

  void list(const QStringList& paths, QObject* context, std::function<void(const Result<ImportListing>&)> done) override;
  void import(const QStringList& paths, const QString& store, QObject* context, Progress progress, Made done) override;
  void findMetrics(const MetricsQuestion& question, QObject* context, std::function<void(const Result<MetricsFound>&)> done) override;
  void importMetrics(const MetricsQuestion& question, const QString& folder, QObject* context, Progress progress, Made done) override;
  void example(const QString& store, QObject* context, Progress progress, Made done) override;
  void glance(const QString& store, QObject* context, std::function<void(const Result<StoreGlance>&)> done) override;
  void cancel() override;
  QString exampleWords() const override;
  bool busy() const { return m_worker.activeThreadCount() > 0; }

 private:
  std::stop_token begin();

  std::stop_source m_stop;
  QThreadPool m_worker;
  std::stop_source m_ended;
  QThreadPool m_glances;  // separate, because an import may take minutes
};

}  // namespace runglass
