// SPDX-License-Identifier: Apache-2.0
// SmiTopology: nvidia-smi topo -m. Each GPU's links to GPUs and NICs, its CPUs and NUMA node become a fact of the node:
// "topology_gpu0" = "GPU1 NV18, mlx5_0 PIX; CPU 0-47, NUMA 0"; NICs likewise.
//
// Threading:  one thread.
// Errors:     rows with fewer links than the header has columns are counted and left out.
// Cost:       a node's matrix, at most kMaxColumns wide.
#pragma once

#include <map>
#include <vector>

#include "collectors/importers/nvidia_smi/smi_sink.h"

namespace runglass::nvidia_smi {

class SmiTopology {
 public:
  static constexpr std::size_t kMaxColumns = 256;

  explicit SmiTopology(SmiSink& sink) : m_sink(sink) {}
  static bool isHeader(std::string_view line);  // "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity"
  void header(std::string_view line);
  void line(std::string_view text);
  bool recorded() const { return m_recorded; }
  void end();  // records the facts: the names of NICs are printed after the matrix

 private:
  struct Row {
    std::string name, cpus, numa;
    std::vector<std::string> links;
    bool recording = true;
  };
  std::string shown(const std::string& column) const;

  SmiSink& m_sink;
  std::vector<std::string> m_columns;
  std::vector<Row> m_rows;
  bool m_recorded = false;
  std::map<std::string, std::string> m_nics;  // "NIC0" -> "mlx5_0"
};

}  // namespace runglass::nvidia_smi
