// SPDX-License-Identifier: Apache-2.0
// Which node a telemetry file is of, by its path: scripts write several files per node ("node0_gpu.csv", "node0_ib.csv"; "node0/gpu.csv").
//
// Threading:  pure.
// Errors:     none: a path that names no node says nothing.
// Cost:       O(length of the path).
#pragma once

#include <string>

namespace runglass {

struct NodeOfPath {
  std::string name;        // "": the path names none
  std::string folder;      // that keeps equal names of other folders apart
  bool of_folder = false;  // the name is the folder's: `folder` is the one above it
};
// The file's stem without the words for what was measured, or else the folder's name where it is a machine's ("node0", not "tmp"). A
// stem without such a word names no node.
NodeOfPath nodeOfPath(const std::string& path);

}  // namespace runglass
