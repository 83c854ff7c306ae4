// SPDX-License-Identifier: Apache-2.0
// The node of a telemetry file, from its path: scripts write several files per node ("node0_gpu.csv", "node0_ib.csv"; "node0/gpu.csv").
//
// Threading:  pure.
// Errors:     a path without a node gives an empty result.
// Cost:       O(length of the path).
#pragma once

#include <string>

namespace runglass {

struct NodeOfPath {
  std::string name;        // "": no node in the path
  std::string folder;      // distinguishes equal names in different folders
  bool of_folder = false;  // the name is the folder's: `folder` is its parent
};
// The file's stem without the words for the measured quantity, or else the folder's name if it is named like a machine ("node0", not
// "tmp"). A stem without such a word has no node.
NodeOfPath nodeOfPath(const std::string& path);

}  // namespace runglass
