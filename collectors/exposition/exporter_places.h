// SPDX-License-Identifier: Apache-2.0
// ExporterPlaces: the nodes and devices that exporters' samples name, numbered for an ExporterBatch.
//
// Threading:  one thread.
// Errors:     nullopt beyond the limit.
// Cost:       a look-up per new series.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/exposition/exporter_batch.h"
#include "collectors/exposition/exporter_sample.h"

namespace runglass {

// Host of a target's address: "gpu-01:9100", "[::1]:9100", "http://gpu-01:9100/metrics"; sanitized.
std::string hostOfInstance(std::string_view instance);
bool isLoopbackHost(std::string_view host);

class ExporterPlaces {
 public:
  // Uuid of the node with this name in the store; "" if there is none.
  using NodeUuid = std::function<std::string(const std::string& name)>;

  ExporterPlaces(std::size_t max_nodes, std::size_t max_devices) : m_max_nodes(max_nodes), m_max_devices(max_devices) {}

  std::optional<std::uint32_t> node(const std::string& name);
  // A node whose name is not known yet; found by no name.
  std::uint32_t unnamedNode();
  void name(std::uint32_t node, const std::string& name) { m_nodes[node].name = name; }
  // Of a sample with a device_kind. Declares its MIG instance too.
  std::optional<std::uint32_t> device(const ExporterSample& what, std::uint32_t node);
  // Adds the nodes and devices since the last call, and those devices of which more is known since.
  void declare(ExporterPart& part, const NodeUuid& uuid_of);

  std::size_t nodes() const { return m_nodes.size(); }
  const std::string& nodeName(std::uint32_t node) const { return m_nodes[node].name; }
  const std::string& nodeUuid(std::uint32_t node) const { return m_nodes[node].uuid; }  // "" before it is declared
  std::size_t devices() const { return m_devices.size(); }
  std::uint32_t nodeOf(std::uint32_t device) const { return m_devices[device].node; }
  // With its uuid in the store, once its node is declared.
  Device declared(std::uint32_t device) const;

 private:
  struct KnownNode {
    std::string name, uuid;
  };
  struct KnownDevice {
    std::uint32_t node;
    Device device;  // uuid as exposed, or ""
  };
  std::optional<std::uint32_t> add(const ExporterSample& what, std::uint32_t node);

  std::size_t m_max_nodes, m_max_devices;
  std::vector<KnownNode> m_nodes;
  std::map<std::string, std::uint32_t> m_node_of;  // by name
  std::vector<KnownDevice> m_devices;
  std::map<std::string, std::uint32_t> m_device_of;  // by uuid, else by node, kind and index
  std::size_t m_declared_nodes = 0, m_declared_devices = 0;
  std::vector<std::uint32_t> m_updated;  // declared devices of which more is known
};

}  // namespace runglass
