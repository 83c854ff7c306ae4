// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nvidia_smi/smi_topology.h"

#include <algorithm>

#include "collectors/importers/input/run_name.h"

namespace runglass::nvidia_smi {
namespace {

// Without the escapes by which the header is underlined.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size() && out.size() < 8'192; ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i = std::min(text.find_first_not_of("0123456789;", i + 2), text.size());
      continue;
    }
    out += text[i];
  }
  return out;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; all.size() < 2 * SmiTopology::kMaxColumns;) {
    at = text.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
    all.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return all;
}

bool isLink(std::string_view word) {
  if (word.starts_with("NV")) return word.size() > 2 && word.find_first_not_of("0123456789", 2) == std::string_view::npos;
  return word == "X" || word == "SYS" || word == "NODE" || word == "PHB" || word == "PXB" || word == "PIX" || word == "SOC";
}

}  // namespace

bool SmiTopology::isHeader(std::string_view line) {
  if (line.size() > 8'192 || line.find("GPU0") == std::string_view::npos || line.find("CPU Affinity") == std::string_view::npos)
    return false;
  const auto names = words(plain(line));
  return !names.empty() && names.front() == "GPU0";
}

void SmiTopology::header(std::string_view line) {
  m_rows.clear();
  m_nics.clear();
  m_columns = words(plain(line));
  const auto affinity = std::ranges::find(m_columns, "CPU");
  m_columns.erase(affinity, m_columns.end());
  if (m_columns.size() > kMaxColumns) m_columns.resize(kMaxColumns);
}

void SmiTopology::line(std::string_view text) {
  auto cells = words(plain(text));
  if (cells.empty()) return;
  if (cells.size() == 2 && cells[0].starts_with("NIC") && cells[0].ends_with(':')) {
    if (m_nics.size() < kMaxColumns) m_nics[cells[0].substr(0, cells[0].size() - 1)] = displayName(cells[1]);
    return;
  }
  if (std::ranges::find(m_columns, cells[0]) == m_columns.end() || m_rows.size() >= kMaxColumns) return;
  Row row{.name = cells[0], .cpus = {}, .numa = {}, .links = {}, .recording = m_sink.recording};
  std::size_t at = 1;
  for (; at < cells.size() && row.links.size() < m_columns.size() && isLink(cells[at]); ++at) row.links.push_back(cells[at]);
  if (row.links.size() != m_columns.size())
    return m_sink.note("nvidia_smi.ragged_row", std::to_string(row.links.size()) + " links, not " + std::to_string(m_columns.size()));
  if (at < cells.size() && !absenceOf(cells[at])) row.cpus = displayName(cells[at]);
  if (at + 1 < cells.size() && !absenceOf(cells[at + 1])) row.numa = displayName(cells[at + 1]);
  m_rows.push_back(std::move(row));
}

std::string SmiTopology::shown(const std::string& column) const {
  const auto nic = m_nics.find(column);
  return nic == m_nics.end() ? displayName(column) : nic->second;
}

void SmiTopology::end() {
  for (const Row& row : m_rows) {
    if (!row.recording) continue;
    std::string links;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
      if (row.links[i] != "X") links += (links.empty() ? "" : ", ") + shown(m_columns[i]) + " " + row.links[i];
    std::string place;
    if (!row.cpus.empty()) place += "CPU " + row.cpus;
    if (!row.numa.empty()) place += (place.empty() ? "" : ", ") + ("NUMA " + row.numa);
    m_recorded = true;
    m_sink.series.fact("topology_" + lowered(shown(row.name)), links + (links.empty() || place.empty() ? "" : "; ") + place);
  }
  m_rows.clear();
  m_nics.clear();
}

}  // namespace runglass::nvidia_smi
