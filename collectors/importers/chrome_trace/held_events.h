// SPDX-License-Identifier: Apache-2.0
// HeldEvents: a trace's events, compressed, until later parts of the file are known (the time base, the rank).
//
// Threading:  one thread.
// Ownership:  owns the compressed text.
// Units:      bytes.
// Errors:     INTERNAL when zstd fails, which implies corrupt memory.
// Cost:       traces shrink to a tenth or less; written at zstd level 1, read at about 2 GB/s.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace runglass {

class HeldEvents {
 public:
  Status add(std::string_view event);
  // Calls `take` with every event in order, followed by kPadding readable bytes, and empties this object.
  Status replay(const std::function<void(std::string_view)>& take);
  bool empty() const { return m_blocks.empty() && m_open.empty(); }
  std::size_t bytes() const { return m_packed_bytes + m_open.size(); }  // in memory

 private:
  struct Block {
    std::string packed;
    std::size_t size = 0;
  };
  Status pack();
  std::vector<Block> m_blocks;
  std::size_t m_packed_bytes = 0;
  std::string m_open;  // events, each preceded by its 4-byte length
};

}  // namespace runglass
