// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/followed_hubs.h"

#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QStandardPaths>
#include <QUrl>
#include <algorithm>

#include "model/shared_filesystem.h"
#include "storage/open_store.h"
#include "storage/reader.h"

namespace runglass {
namespace {

const QString kHubs = QStringLiteral("hubs");
const QString kToken = QStringLiteral("token_file"), kCa = QStringLiteral("tls_ca"), kCert = QStringLiteral("tls_cert"),
              kKey = QStringLiteral("tls_key"), kCopy = QStringLiteral("copy"), kUsed = QStringLiteral("used");
constexpr qsizetype kLongestName = 180, kShortUuid = 8;
constexpr std::size_t kMaxKept = 32;

// Escaped, because a path must not become a path of settings keys.
QString keyOf(const QString& address) { return QString::fromLatin1(QUrl::toPercentEncoding(address)); }

struct Kept {
  QString key, copy;
  qint64 used = 0;
  HubAddress hub;
};

std::vector<Kept> kept(const QSettings& settings) {
  std::vector<Kept> all;
  for (const QString& full : settings.allKeys()) {
    const QString key = full.section(u'/', 1, 1);
    if (!full.startsWith(kHubs + u'/') || (!all.empty() && all.back().key == key)) continue;
    const auto value = [&](const QString& name) { return settings.value(kHubs + u'/' + key + u'/' + name).toString(); };
    all.push_back({.key = key,
                   .copy = value(kCopy),
                   .used = value(kUsed).toLongLong(),
                   .hub = {QUrl::fromPercentEncoding(key.toLatin1()), value(kToken), value(kCa), value(kCert), value(kKey)}});
  }
  std::ranges::stable_sort(all, std::greater{}, &Kept::used);
  return all;
}

// Text from outside must not become a path.
QString asName(QString text) {
  for (QChar& c : text)
    if (!(c.isLetterOrNumber() && c.unicode() < 0x80) && c != u'.' && c != u'-') c = u'_';
  return text;
}

QString absolute(const QString& path) { return path.isEmpty() ? path : QFileInfo(path).absoluteFilePath(); }

}  // namespace

QString storesFolder() {
  // Home directories of clusters are on NFS, where no store can be written.
  if (!sharedFilesystem(QStandardPaths::writableLocation(QStandardPaths::HomeLocation).toStdString()).empty())
    return QStringLiteral("/var/tmp/runglass-") + QString::number(getuid());
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/runglass");
}

void forgetHub(QSettings& settings, const QString& address) { settings.remove(kHubs + u'/' + keyOf(address)); }

void rememberHub(QSettings& settings, const HubAddress& hub, const QString& copy) {
  const QString base = kHubs + u'/' + keyOf(hub.address) + u'/';
  settings.setValue(base + kToken, absolute(hub.token_file));
  settings.setValue(base + kCa, absolute(hub.tls_ca));
  settings.setValue(base + kCert, absolute(hub.tls_cert));
  settings.setValue(base + kKey, absolute(hub.tls_key));
  settings.setValue(base + kCopy, absolute(copy));
  settings.setValue(base + kUsed, QString::number(QDateTime::currentMSecsSinceEpoch()));
  const std::vector<Kept> all = kept(settings);
  for (std::size_t i = kMaxKept; i < all.size(); ++i) settings.remove(kHubs + u'/' + all[i].key);
}

KnownHubs knownHubs(const QSettings* settings) {
  KnownHubs known{.hubs = {}, .folder = storesFolder() + QStringLiteral("/hubs")};
  if (settings == nullptr) return known;
  for (Kept& one : kept(*settings)) known.hubs.push_back(std::move(one.hub));
  return known;
}

std::optional<HubAddress> hubOfCopy(const QSettings& settings, const QString& copy) {
  for (Kept& one : kept(settings))
    if (one.copy == absolute(copy)) return std::move(one.hub);
  return std::nullopt;
}

std::string copyFile(const QString& folder, const std::string& hub, const std::string& source_uuid) {
  const QString name = asName(QString::fromStdString(hub).left(kLongestName));
  const QDir dir(folder);
  const QFileInfoList copies =
      dir.entryInfoList({name + QStringLiteral(".rgl"), name + QStringLiteral("-????????.rgl")}, QDir::Files, QDir::Time);
  if (source_uuid.empty())
    return copies.isEmpty() ? dir.filePath(name + QStringLiteral(".rgl")).toStdString() : copies.front().filePath().toStdString();
  for (const QFileInfo& copy : copies) {
    const auto reader = openStore(copy.filePath().toStdString()).reader();
    const auto info = reader.ok() ? (*reader)->info() : Result<StoreInfo>(reader.status());
    if (info.ok() && info->mirror && info->mirror->source_uuid == source_uuid) return copy.filePath().toStdString();
  }
  const QString short_uuid = asName(QString::fromStdString(source_uuid).leftJustified(kShortUuid, u'0', true));
  return dir.filePath(name + u'-' + short_uuid + QStringLiteral(".rgl")).toStdString();
}

Result<ControlTarget> targetOf(const HubAddress& hub) {
  const ControlArguments arguments{.token_file = hub.token_file.toStdString(),
                                   .tls_ca = hub.tls_ca.toStdString(),
                                   .tls_cert = hub.tls_cert.toStdString(),
                                   .tls_key = hub.tls_key.toStdString()};
  RG_ASSIGN(ControlTarget target, arguments.target());
  target.hub = hub.address.toStdString();
  return target;
}

}  // namespace runglass
