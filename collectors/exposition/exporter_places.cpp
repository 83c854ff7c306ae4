// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/exporter_places.h"

#include <utility>

#include "collectors/text/display_name.h"
#include "model/device_catalog.h"

namespace runglass {

std::string hostOfInstance(std::string_view instance) {
  if (const std::size_t scheme = instance.find("://"); scheme != std::string_view::npos) instance.remove_prefix(scheme + 3);
  instance = instance.substr(0, instance.find('/'));
  if (instance.starts_with('[')) return displayName(instance.substr(1, instance.find(']') - 1));
  // More than one colon: an IPv6 address without a port.
  if (instance.find(':') == instance.rfind(':')) instance = instance.substr(0, instance.find(':'));
  return displayName(instance);
}

bool isLoopbackHost(std::string_view host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

std::optional<std::uint32_t> ExporterPlaces::node(const std::string& name) {
  if (const auto known = m_node_of.find(name); known != m_node_of.end()) return known->second;
  if (m_nodes.size() >= m_max_nodes) return std::nullopt;
  const std::uint32_t index = unnamedNode();
  m_nodes[index].name = name;
  m_node_of.emplace(name, index);
  return index;
}

std::uint32_t ExporterPlaces::unnamedNode() {
  m_nodes.emplace_back();
  return static_cast<std::uint32_t>(m_nodes.size() - 1);
}

std::optional<std::uint32_t> ExporterPlaces::device(const ExporterSample& what, std::uint32_t node) {
  const auto device = add(what, node);
  if (device && !what.instance_uuid.empty()) {
    ExporterSample instance;
    instance.device_kind = kMigKind, instance.uuid = what.instance_uuid, instance.model = what.instance_profile,
    instance.index = what.index;
    (void)add(instance, node);
  }
  return device;
}

std::optional<std::uint32_t> ExporterPlaces::add(const ExporterSample& what, std::uint32_t node) {
  const std::string name =
      what.uuid.empty() ? std::to_string(node) + "/" + what.device_kind + std::to_string(what.index.value_or(0)) : what.uuid;
  if (const auto known = m_device_of.find(name); known != m_device_of.end()) {
    // The samples of NVLink metrics lack labels that other samples of the device have.
    Device& device = m_devices[known->second].device;
    const bool more = (device.model.empty() && !what.model.empty()) || (!device.index && what.index);
    if (device.model.empty()) device.model = what.model;
    if (!device.index) device.index = what.index;
    if (more && known->second < m_declared_devices) m_updated.push_back(known->second);
    return known->second;
  }
  if (m_devices.size() >= m_max_devices) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(m_devices.size());
  m_devices.push_back({.node = node, .device = {.uuid = what.uuid, .index = what.index, .kind = what.device_kind, .model = what.model}});
  m_device_of.emplace(name, index);
  return index;
}

Device ExporterPlaces::declared(std::uint32_t index) const {
  const KnownDevice& known = m_devices[index];
  Device device = known.device;
  if (device.uuid.empty()) device.uuid = m_nodes[known.node].uuid + "/" + device.kind + std::to_string(device.index.value_or(0));
  return device;
}

void ExporterPlaces::declare(ExporterPart& part, const NodeUuid& uuid_of) {
  for (; m_declared_nodes < m_nodes.size(); ++m_declared_nodes) {
    KnownNode& node = m_nodes[m_declared_nodes];
    node.uuid = uuid_of ? uuid_of(node.name) : std::string();
    if (node.uuid.empty()) node.uuid = "name:" + node.name;
    part.nodes.push_back({static_cast<std::uint32_t>(m_declared_nodes), {.uuid = node.uuid, .name = node.name}});
  }
  const auto add = [&](std::uint32_t device) { part.devices.push_back({device, m_devices[device].node, declared(device)}); };
  for (const std::uint32_t device : std::exchange(m_updated, {})) add(device);
  for (; m_declared_devices < m_devices.size(); ++m_declared_devices) add(static_cast<std::uint32_t>(m_declared_devices));
}

}  // namespace runglass
