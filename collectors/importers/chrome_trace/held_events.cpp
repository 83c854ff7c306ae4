// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/held_events.h"

#include <zstd.h>

#include <cstring>

#include "collectors/importers/chrome_trace/event_slicer.h"

namespace runglass {
namespace {
constexpr std::size_t kBlock = 4U << 20;
constexpr int kLevel = 1;
}  // namespace

Status HeldEvents::add(std::string_view event) {
  const auto size = static_cast<std::uint32_t>(event.size());
  m_open.append(reinterpret_cast<const char*>(&size), sizeof size);
  m_open.append(event);
  return m_open.size() < kBlock ? Status() : pack();
}

Status HeldEvents::pack() {
  Block block;
  block.size = m_open.size();
  block.packed.resize(ZSTD_compressBound(block.size));
  const std::size_t packed = ZSTD_compress(block.packed.data(), block.packed.size(), m_open.data(), block.size, kLevel);
  if (ZSTD_isError(packed) != 0) return {Code::kInternal, std::string("held events: ") + ZSTD_getErrorName(packed)};
  block.packed.resize(packed);
  block.packed.shrink_to_fit();
  m_packed_bytes += block.packed.size();
  m_blocks.push_back(std::move(block));
  m_open.clear();
  return {};
}

Status HeldEvents::replay(const std::function<void(std::string_view)>& take) {
  if (!m_open.empty()) RG_TRY(pack());
  std::string text;
  for (const Block& block : m_blocks) {
    text.resize(block.size + EventSlicer::kPadding);
    const std::size_t got = ZSTD_decompress(text.data(), block.size, block.packed.data(), block.packed.size());
    if (got != block.size) return {Code::kInternal, "held events: a block cannot be unpacked"};
    for (std::size_t at = 0; at < block.size;) {
      std::uint32_t size = 0;
      std::memcpy(&size, text.data() + at, sizeof size);
      take(std::string_view(text).substr(at + sizeof size, size));
      at += sizeof size + size;
    }
  }
  m_blocks.clear();
  m_packed_bytes = 0;
  return {};
}

}  // namespace runglass
