// SPDX-License-Identifier: Apache-2.0
// NvmlGpu: records one GPU's readings as series.
//
// Threading:  the source's thread.
// Ownership:  borrows the library, which must outlive it.
// Units:      converted to the catalogue's.
// Errors:     readX() return false once the GPU is lost (NVML code 15); other codes mean that a reading is absent.
// Cost:       see nvml_source.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectors/sources/nvml/nvml_library.h"
#include "collectors/sources/series_table.h"

namespace runglass {

class NvmlGpu {
 public:
  NvmlGpu(const nvml::Library& library, nvml::Device handle, int index);
  ~NvmlGpu();
  NvmlGpu(const NvmlGpu&) = delete;
  NvmlGpu& operator=(const NvmlGpu&) = delete;

  // Declares the device and records its facts (driver, PCI, NUMA, modes, limits) in one event. `root` is the prefix of /sys.
  void declare(Recorder& out, const Node& node, NodeId node_id, const std::string& root, TimeNs now);
  bool readFast(Recorder& out, TimeNs now);
  bool readSlow(Recorder& out, TimeNs now);
  bool readRare(Recorder& out, TimeNs now);
  // PCIe traffic of GPUs without counters of it. Blocks for 40 ms.
  void readPcieThroughput(Recorder& out, TimeNs now);
  struct Process {
    unsigned pid;
    std::optional<std::uint64_t> memory_bytes;
  };
  std::vector<Process> processes() const;

  DeviceId id() const { return m_id; }
  nvml::Device handle() const { return m_handle; }
  int index() const { return m_index; }
  const std::string& uuid() const { return m_uuid; }
  void put(Recorder& out, std::string_view metric, TimeNs now, double value, std::string_view labels = "") {
    m_book.put(out, metric, labels, now, value);
  }

 private:
  bool lost(int rc);
  struct Memory {
    std::uint64_t total, used;
  };
  std::optional<Memory> memory() const;
  // Returns one of the driver's three lists, in records of `stride` bytes.
  using List = int (*)(nvml::Device, unsigned*, void*);
  int processes(List list, std::size_t stride, std::vector<Process>& found) const;
  void readActivity(Recorder& out, TimeNs now);
  void readTraffic(Recorder& out, TimeNs now);
  void measureRefresh(Recorder& out, TimeNs now, unsigned milliwatts);

  const nvml::Library* m_library;
  nvml::Device m_handle;
  int m_index;
  bool m_lost = false;
  std::string m_uuid;
  DeviceId m_id;
  SeriesTable m_book;
  nvml::GpmSample m_gpm_before = nullptr, m_gpm_now = nullptr;
  bool m_gpm_primed = false;
  struct Counter {
    TimeNs time;
    std::uint64_t value;
  };
  std::optional<Counter> m_nvlink_tx, m_nvlink_rx, m_pcie_tx, m_pcie_rx;
  std::optional<unsigned> m_last_power;
  std::optional<TimeNs> m_last_change;
  std::vector<DurNs> m_change_intervals;
};

}  // namespace runglass
