// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/capture/known_dumps.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace runglass {

// One line per ring: the dump's modification time, the number of collectives, the collectives, the path.
DumpsByRing loadKnownDumps(const std::string& path) {
  DumpsByRing dumps;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    KnownDumps known;
    std::size_t count = 0;
    fields >> known.modified_ns >> count;
    for (std::size_t i = 0; i < count && fields; ++i) {
      KnownDumps::Collective one{};
      fields >> one[0] >> one[1] >> one[2];
      known.collectives.insert(one);
    }
    std::string ring;
    if (fields >> std::ws && std::getline(fields, ring)) dumps[ring] = std::move(known);
  }
  return dumps;
}

bool saveKnownDumps(const std::string& path, const DumpsByRing& dumps) {
  const std::string draft = path + ".new";
  {
    std::ofstream file(draft, std::ios::trunc);
    for (const auto& [ring, known] : dumps) {
      if (known == KnownDumps() || ring.empty() || ring.find('\n') != std::string::npos) continue;
      file << known.modified_ns << ' ' << known.collectives.size();
      for (const auto& [group, seq, start] : known.collectives) file << ' ' << group << ' ' << seq << ' ' << start;
      file << ' ' << ring << '\n';
    }
    if (!file.flush()) return false;  // a full disk: the previous state stays
  }
  std::error_code error;
  std::filesystem::rename(draft, path, error);
  return !error;
}

}  // namespace runglass
