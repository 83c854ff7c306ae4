// SPDX-License-Identifier: Apache-2.0
// Little-endian byte writer and bounds-checked reader: the basis of all chunk formats and of the journal.
//
// Ownership:  ByteReader borrows its bytes.
// Units:      bytes.
// Errors:     a ByteReader that runs out of bytes stays failed and yields zeros; check ok() before you use the values.
// Cost:       O(1) each.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace runglass {

inline std::uint64_t zigzag(std::int64_t v) { return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63); }
inline std::int64_t unzigzag(std::uint64_t u) { return static_cast<std::int64_t>((u >> 1) ^ (0 - (u & 1))); }

// Writes at `p`, which has room for 10 bytes; returns the end.
inline std::uint8_t* putVarint(std::uint8_t* p, std::uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<std::uint8_t>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<std::uint8_t>(v);
  return p;
}
inline void appendVarint(std::string& out, std::uint64_t v) {
  std::uint8_t buffer[10];
  out.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(putVarint(buffer, v) - buffer));
}
template <class T>
void appendFixed(std::string& out, T v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : m_at(bytes.data()), m_end(bytes.data() + bytes.size()) {}
  bool ok() const { return m_ok; }
  std::size_t left() const { return static_cast<std::size_t>(m_end - m_at); }
  bool atEnd() const { return m_ok && m_at == m_end; }
  void fail() { m_ok = false, m_at = m_end; }

  std::uint8_t byte() {
    if (m_at == m_end) return fail(), 0;
    return static_cast<std::uint8_t>(*m_at++);
  }
  std::uint64_t varint() {
    std::uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    return fail(), 0;
  }
  template <class T>
  T fixed() {
    T v{};
    if (left() < sizeof v) return fail(), v;
    std::memcpy(&v, m_at, sizeof v);
    m_at += sizeof v;
    return v;
  }
  std::string_view take(std::uint64_t size) {
    if (size > left()) return fail(), std::string_view();
    const std::string_view bytes(m_at, static_cast<std::size_t>(size));
    m_at += size;
    return bytes;
  }

 private:
  const char* m_at;
  const char* m_end;
  bool m_ok = true;
};

}  // namespace runglass
