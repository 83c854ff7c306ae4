// SPDX-License-Identifier: Apache-2.0
// WireReader: parses protobuf bytes field by field without building objects; for columns, where a message tree is too expensive.
//
// Ownership:  borrows the bytes; results point into them.
// Errors:     the first malformed field makes ok() false and ends the iteration; no byte is read past the end, whatever the content.
// Cost:       O(bytes), no allocation.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace runglass {

static_assert(std::endian::native == std::endian::little, "packed doubles are copied in the byte order of the wire");

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : m_at(bytes.data()), m_end(bytes.data() + bytes.size()) {}

  bool ok() const { return m_ok; }
  bool done() const { return m_at == m_end; }
  std::size_t left() const { return static_cast<std::size_t>(m_end - m_at); }
  std::uint32_t field() const { return m_field; }
  std::uint32_t wireType() const { return m_wire_type; }

  // Reads the next tag; false at the end or when malformed.
  bool next() {
    if (!m_ok || m_at == m_end) return false;
    const std::uint64_t tag = varint();
    m_field = static_cast<std::uint32_t>(tag >> 3);
    m_wire_type = static_cast<std::uint32_t>(tag & 7U);
    if (m_field == 0 || tag > 0xFFFFFFFFU) m_ok = false;
    return m_ok;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (m_at == m_end) return fail();
      const auto byte = static_cast<unsigned char>(*m_at++);
      value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7FU) << shift : 0;
      if (byte < 0x80) return value;
    }
    return fail();
  }

  std::int64_t zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1U) + 1));
  }

  std::int64_t fixed64() {
    std::int64_t value = 0;
    if (left() < 8) return static_cast<std::int64_t>(fail());
    std::memcpy(&value, m_at, 8);
    m_at += 8;
    return value;
  }

  std::string_view bytes() {
    const std::uint64_t size = varint();
    if (!m_ok || size > left()) return fail(), std::string_view();
    const std::string_view view(m_at, size);
    m_at += size;
    return view;
  }

  // Skips the value of the field that next() returned.
  void skip() {
    switch (m_wire_type) {
      case 0:
        varint();
        break;
      case 1:
        fixed64();
        break;
      case 2:
        bytes();
        break;
      case 5:
        if (left() < 4)
          fail();
        else
          m_at += 4;
        break;
      default:
        fail();
    }
  }

 private:
  std::uint64_t fail() {
    m_ok = false;
    m_at = m_end;
    return 0;
  }

  const char* m_at;
  const char* m_end;
  std::uint32_t m_field = 0, m_wire_type = 0;
  bool m_ok = true;
};

}  // namespace runglass
