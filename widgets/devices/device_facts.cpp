// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/device_facts.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <map>
#include <set>

#include "widgets/core/units.h"
#include "widgets/devices/gpu_data.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxEvents = 20'000;

}  // namespace

Result<DeviceFacts> readDeviceFacts(Reader& reader, const std::function<QString(DeviceId)>& name_of) {
  DeviceFacts out;
  RG_ASSIGN(const auto events, reader.events({.kind = "device_facts", .limit = kMaxEvents}));
  std::map<QString, std::map<QString, std::set<DeviceId>>> facts;  // key, value, devices
  std::set<DeviceId> seen;
  for (const Event& event : events) {  // newest first
    if (!event.device || !seen.insert(event.device).second) continue;
    const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(event.message)).object();
    if (object.value(QLatin1String("mig")).toBool()) out.mig.push_back(event.device);
    for (auto it = object.begin(); it != object.end(); ++it)
      if (it.key() != QLatin1String("pci") && it.key() != QLatin1String("numa_node"))
        facts[it.key()][it.value().toVariant().toString()].insert(event.device);
  }
  std::ranges::sort(out.mig);
  const auto devicesText = [&](const std::set<DeviceId>& devices) {
    const QString name = devices.size() == 1 ? name_of(*devices.begin()) : QString();
    return name.isEmpty() ? QString::number(devices.size()) : name;
  };
  for (const auto& [key, values] : facts) {
    if (values.size() < 2) continue;
    const auto most = std::ranges::max_element(values, {}, [](const auto& value) { return value.second.size(); });
    for (auto value = values.begin(); value != values.end(); ++value) {
      if (value == most) continue;
      FactDifference difference{
          .text = DeviceText::tr("%1: %2 on %3, %4 on %5")
                      .arg(screenText(key.toStdString(), 40).replace(u'_', u' '), screenText(value->first.toStdString(), 40),
                           devicesText(value->second), screenText(most->first.toStdString(), 40))
                      .arg(most->second.size()),
          .odd = {value->second.begin(), value->second.end()}};
      out.differences.push_back(std::move(difference));
    }
  }
  return out;
}

}  // namespace runglass
