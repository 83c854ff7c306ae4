// SPDX-License-Identifier: GPL-3.0-or-later
// StoreRepair: a repaired copy of the store that the console shows, in a private folder that goes with the copy's last user.
//
// Threading:  GUI thread; the copy is made on a thread of the pool.
// Ownership:  the pool outlives it and waits for a copy that was cancelled.
// Errors:     those of repairStore(), one line.
#pragma once

#include <QThreadPool>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "storage/maintain/repair_store.h"
#include "widgets/frame/repair_port.h"

namespace runglass {

struct RepairedFile {
  explicit RepairedFile(std::string damaged) : store(std::move(damaged)) {}
  ~RepairedFile();
  RepairedFile(const RepairedFile&) = delete;
  RepairedFile& operator=(const RepairedFile&) = delete;
  Status makeFolder();
  std::string path() const { return folder + "/copy.rgl"; }
  // "Repaired copy of FILE: missing rows: at most 23 (rows 178 to 200 of rg_event)"
  QString line() const;

  const std::string store;
  std::string folder;
  Repair repair;
};

class StoreRepair : public RepairPort {
 public:
  // `refusal`: why no copy can be made; empty: it can.
  StoreRepair(std::string store, QString refusal, QThreadPool& pool, std::function<void(std::shared_ptr<const RepairedFile>)> made)
      : m_store(std::move(store)), m_refusal(std::move(refusal)), m_pool(pool), m_made(std::move(made)) {}
  ~StoreRepair() override { m_stop.request_stop(); }

  void start(QObject* context, std::function<void(const QString&)> failed) override;
  void cancel() override { m_stop.request_stop(); }
  std::int64_t writtenBytes() const override;
  QString command() const override;

 private:
  const std::string m_store;
  const QString m_refusal;
  QThreadPool& m_pool;
  const std::function<void(std::shared_ptr<const RepairedFile>)> m_made;
  std::stop_source m_stop;
  std::string m_part;  // being written
};

}  // namespace runglass
