// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: the folder is removed with the last pointer to the RepairedFile, which a cancelled task or the session of the copy has.
#include "app/console/store_repair.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <filesystem>
#include <utility>

#include "app/cli/repaired_copy.h"
#include "app/console/gui_thread.h"
#include "widgets/core/shell_word.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

struct StoreRepairText {
  Q_DECLARE_TR_FUNCTIONS(StoreRepairText)
};

constexpr std::size_t kNamed = 3;

}  // namespace

RepairedFile::~RepairedFile() {
  std::error_code gone;
  if (!folder.empty()) std::filesystem::remove_all(folder, gone);
}

Status RepairedFile::makeFolder() {
  RG_ASSIGN(folder, makeCopyFolder());
  return roomForCopy(store, folder);
}

QString RepairedFile::line() const {
  const QString name = screenText(std::filesystem::path(store).filename().string(), 120);
  if (repair.lost.empty()) return StoreRepairText::tr("Repaired copy of %1: no row is missing.").arg(name);
  std::int64_t rows = 0;
  bool unknown = false;
  QStringList objects;
  for (const LostObject& lost : repair.lost) {
    rows += lost.rows.value_or(0);
    unknown = unknown || !lost.rows;
    if (static_cast<std::size_t>(objects.size()) < kNamed) objects << screenText(lost.object, 120);
  }
  QString named = objects.join(QStringLiteral(", "));
  if (repair.lost.size() > kNamed) named += QStringLiteral(" …");
  if (unknown) return StoreRepairText::tr("Repaired copy of %1: missing rows: unknown number (%2)").arg(name, named);
  return StoreRepairText::tr("Repaired copy of %1: missing rows: at most %2 (%3)").arg(name, formatCount(rows), named);
}

void StoreRepair::start(QObject* context, std::function<void(const QString&)> failed) {
  const auto refuse = onGuiThread<QString>(context, std::move(failed));
  if (!m_refusal.isEmpty()) return refuse(m_refusal);
  auto file = std::make_shared<RepairedFile>(m_store);
  if (const Status folder = file->makeFolder(); !folder.ok()) return refuse(screenText(folder.message(), 600));
  m_stop = {};
  m_part = file->path() + ".part";
  const auto made = onGuiThread<std::shared_ptr<const RepairedFile>>(context, m_made);
  m_pool.start([file = std::move(file), stop = m_stop.get_token(), made, refuse]() mutable {
    auto repair = repairStore(file->store, file->path(), stop);
    if (stop.stop_requested()) return refuse(StoreRepairText::tr("cancelled"));
    if (!repair.ok()) return refuse(screenText(repair.status().message(), 600));
    file->repair = *std::move(repair);
    made(std::move(file));
  });
}

std::int64_t StoreRepair::writtenBytes() const {
  std::error_code absent;
  const auto bytes = m_part.empty() ? 0 : std::filesystem::file_size(m_part, absent);
  return absent ? 0 : static_cast<std::int64_t>(bytes);
}

QString StoreRepair::command() const {
  return QStringLiteral("runglassctl repair --store %1 --to NEW.rgl").arg(shellWord(QString::fromStdString(m_store)));
}

}  // namespace runglass
