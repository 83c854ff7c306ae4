// SPDX-License-Identifier: Apache-2.0
// Block = form byte | width byte | [zigzag varint first - before, when delta] | zigzag varint base | payload.
// form:   bit 0 delta, bit 1 sparse, bits 2..3 decimal factor (0: 1, 1: 10^3, 2: 10^6, 3: 10^9); width: bits 0..6 bits per residual
// (0..64). packed: residual = (value - base) / factor >> shift, `width` bits each, little endian; shift byte precedes the payload when
// width > 0. sparse: count byte | positions (a byte each) | zigzag residuals packed; all other values equal the base.
#include "storage/codec/int_column.h"

#include <algorithm>
#include <bit>

#include "storage/codec/vectorize.h"

namespace runglass {
namespace {

constexpr std::uint8_t kDelta = 1, kSparse = 2, kSameBase = 16, kFirstApart = 32;
constexpr std::uint64_t kFactors[4] = {1, 1'000, 1'000'000, 1'000'000'000};
constexpr std::size_t kMaxExceptions = 64;

std::uint64_t unsignedOf(std::int64_t v) { return static_cast<std::uint64_t>(v); }
unsigned widthOf(std::uint64_t v) { return static_cast<unsigned>(std::bit_width(v)); }
std::uint64_t maskOf(unsigned width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

// Needs 8 bytes of room behind the packed bits.
RG_INLINE std::uint8_t* pack(const std::uint64_t* residual, std::size_t n, unsigned width, std::uint8_t* out) {
  std::uint64_t word = 0;
  unsigned filled = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t r = residual[i];
    word |= r << filled;
    filled += width;
    if (filled >= 64) {
      std::memcpy(out, &word, 8);
      out += 8;
      filled -= 64;
      word = filled == 0 ? 0 : r >> (width - filled);
    }
  }
  std::memcpy(out, &word, 8);
  return out + (filled + 7) / 8;
}

RG_INLINE void unpack(std::string_view bytes, std::size_t n, unsigned width, std::uint64_t* residual) {
  const char* p = bytes.data();
  const std::uint64_t mask = maskOf(width);
  // While 8 bytes from a value's first byte are inside the payload, one load is enough (width <= 57).
  std::size_t fast = 0;
  if (width <= 57 && bytes.size() >= 8) fast = std::min(n, ((bytes.size() - 8) * 8) / width + 1);
  for (std::size_t i = 0; i < fast; ++i) {
    const std::size_t bit = i * width;
    std::uint64_t word = 0;
    std::memcpy(&word, p + bit / 8, 8);
    residual[i] = (word >> (bit % 8)) & mask;
  }
  for (std::size_t i = fast; i < n; ++i) {
    const std::size_t bit = i * width;
    std::uint64_t word = 0;
    const std::size_t at = bit / 8;
    const std::size_t have = std::min<std::size_t>(8, bytes.size() - at);
    std::memcpy(&word, p + at, have);
    const unsigned shift = bit % 8;
    std::uint64_t value = word >> shift;
    if (shift + width > 64) value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(p[at + 8])) << (64 - shift);
    residual[i] = value & mask;
  }
}

struct Range {
  std::int64_t min, max;
  unsigned width() const { return widthOf(unsignedOf(max) - unsignedOf(min)); }
};

RG_INLINE Range rangeOf(const std::int64_t* v, std::size_t n) {
  Range r{v[0], v[0]};
  for (std::size_t i = 1; i < n; ++i) {
    r.min = std::min(r.min, v[i]);
    r.max = std::max(r.max, v[i]);
  }
  return r;
}

// The value that more than half of v have, if there is one (Boyer-Moore). Otherwise an arbitrary one, which costs only space.
RG_INLINE std::int64_t majority(const std::int64_t* v, std::size_t n) {
  std::int64_t candidate = v[0];
  std::size_t votes = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (votes == 0) candidate = v[i];
    votes += v[i] == candidate ? 1 : std::size_t(-1);
  }
  return candidate;
}

// Index into kFactors of the largest factor that divides all; residuals are zigzag when `sign`.
unsigned commonFactor(const std::uint64_t* residual, std::size_t n) {
  for (unsigned f = 3; f > 0; --f) {
    std::size_t i = 0;
    while (i < n && residual[i] % kFactors[f] == 0) ++i;
    if (i == n) return f;
  }
  return 0;
}

std::uint8_t* putBase(std::int64_t base, IntColumnState& state, std::uint8_t* head, std::uint8_t* out) {
  if (base == state.base) {
    head[0] |= kSameBase;
    return out;
  }
  state.base = base;
  return putVarint(out, zigzag(base));
}

// Encodes v as exceptions from a majority value if that takes fewer bytes, and returns the end; otherwise nullptr.
RG_INLINE std::uint8_t* encodeSparse(const std::int64_t* v, std::size_t n, unsigned packed_width, bool decimal_steps, IntColumnState& state,
                                     std::uint8_t* head, std::uint8_t* out) {
  const std::int64_t base = majority(v, n);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += v[i] != base ? 1 : 0;
  if (count > kMaxExceptions || count * 8 >= n * packed_width) return nullptr;
  std::uint8_t position[kMaxExceptions];
  std::uint64_t residual[kMaxExceptions], magnitude[kMaxExceptions];
  count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (v[i] == base) continue;
    position[count] = static_cast<std::uint8_t>(i);
    const std::uint64_t r = unsignedOf(v[i]) - unsignedOf(base);
    residual[count] = r;
    magnitude[count++] = static_cast<std::int64_t>(r) < 0 ? 0 - r : r;
  }
  const unsigned f = decimal_steps ? commonFactor(magnitude, count) : 0;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto r = static_cast<std::int64_t>(residual[i]);
    residual[i] = zigzag(f == 0 ? r : r / static_cast<std::int64_t>(kFactors[f]));
    all |= residual[i];
  }
  const unsigned width = widthOf(all);
  if (count * (8 + width) + 8 >= n * packed_width) return nullptr;
  head[0] |= static_cast<std::uint8_t>(kSparse | (f << 2));
  head[1] = static_cast<std::uint8_t>(width);
  out = putBase(base, state, head, out);
  *out++ = static_cast<std::uint8_t>(count);
  std::memcpy(out, position, count);
  return pack(residual, count, width, out + count);
}

RG_INLINE std::uint8_t* encodePacked(const std::int64_t* v, std::size_t n, Range range, bool decimal_steps, IntColumnState& state,
                                     std::uint8_t* head, std::uint8_t* out) {
  out = putBase(range.min, state, head, out);
  head[1] = 0;
  if (range.width() == 0) return out;
  std::uint64_t residual[kBlockPoints];
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < n; ++i) all |= residual[i] = unsignedOf(v[i]) - unsignedOf(range.min);
  if (decimal_steps) {
    if (const unsigned f = commonFactor(residual, n); f > 0) {
      for (std::size_t i = 0; i < n; ++i) residual[i] /= kFactors[f];
      all = 0;
      for (std::size_t i = 0; i < n; ++i) all |= residual[i];
      head[0] |= static_cast<std::uint8_t>(f << 2);
    }
  }
  const auto shift = static_cast<unsigned>(std::countr_zero(all));
  if (shift > 0) {
    for (std::size_t i = 0; i < n; ++i) residual[i] >>= shift;
  }
  const unsigned width = widthOf(all >> shift);
  head[1] = static_cast<std::uint8_t>(width);
  *out++ = static_cast<std::uint8_t>(shift);
  return pack(residual, n, width, out);
}

}  // namespace

RG_VECTORIZED std::uint8_t* encodeIntBlock(const std::int64_t* values, std::size_t n, IntColumnState& state, bool decimal_steps,
                                           std::uint8_t* out) {
  std::uint8_t* const head = out;
  head[0] = head[1] = 0;
  out += 2;
  const Range range = rangeOf(values, n);
  std::int64_t deltas[kBlockPoints];
  const std::int64_t last = values[n - 1];
  const unsigned width = range.width();
  if (width > 0 && n > 1) {
    deltas[0] = static_cast<std::int64_t>(unsignedOf(values[0]) - unsignedOf(state.last));
    for (std::size_t i = 1; i < n; ++i) deltas[i] = static_cast<std::int64_t>(unsignedOf(values[i]) - unsignedOf(values[i - 1]));
    const Range delta_range = rangeOf(deltas + 1, n - 1);
    const bool first_apart = deltas[0] < delta_range.min || deltas[0] > delta_range.max;
    const std::size_t skip = first_apart ? 1 : 0;
    const auto as_deltas = [&] {
      head[0] = static_cast<std::uint8_t>(kDelta | (first_apart ? kFirstApart : 0));
      return first_apart ? putVarint(head + 2, zigzag(deltas[0])) : head + 2;
    };
    state.last = last;
    // A column that rarely changes is stored as exceptions among its deltas, even where the values themselves would pack as narrowly.
    if (delta_range.width() <= width + 1) {
      if (std::uint8_t* end =
              encodeSparse(deltas + skip, n - skip, std::min(width, delta_range.width()), decimal_steps, state, head, as_deltas())) {
        return end;
      }
    }
    head[0] = 0;
    if (delta_range.width() < width) return encodePacked(deltas + skip, n - skip, delta_range, decimal_steps, state, head, as_deltas());
    if (std::uint8_t* end = encodeSparse(values, n, width, decimal_steps, state, head, out)) return end;
  }
  state.last = last;
  return encodePacked(values, n, range, decimal_steps, state, head, out);
}

namespace {

bool decodeSparse(ByteReader& in, std::size_t n, unsigned width, std::uint64_t factor, std::int64_t base, std::int64_t* v) {
  std::fill_n(v, n, base);
  const std::size_t count = in.byte();
  if (count > n || count > kMaxExceptions) return false;
  const std::string_view positions = in.take(count);
  const std::string_view packed = in.take((count * width + 7) / 8);
  if (!in.ok()) return false;
  std::uint64_t residual[kMaxExceptions] = {};
  if (width > 0) unpack(packed, count, width, residual);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint8_t>(positions[i]);
    if (at >= n) return false;
    v[at] = static_cast<std::int64_t>(unsignedOf(base) + unsignedOf(unzigzag(residual[i])) * factor);
  }
  return true;
}

}  // namespace

RG_VECTORIZED bool decodeIntBlock(ByteReader& in, std::size_t n, IntColumnState& state, std::int64_t* values) {
  const std::uint8_t form = in.byte();
  const unsigned width = in.byte();
  if (!in.ok() || n == 0 || n > kBlockPoints || form >= 64 || width > 64) return false;
  const std::uint64_t factor = kFactors[form >> 2 & 3];
  std::uint64_t sum = unsignedOf(state.last);
  std::int64_t* v = values;
  if ((form & kFirstApart) != 0) {
    if ((form & kDelta) == 0) return false;
    sum += unsignedOf(unzigzag(in.varint()));
    *v++ = static_cast<std::int64_t>(sum);
    --n;
  }
  if ((form & kSameBase) == 0) state.base = unzigzag(in.varint());
  const std::uint64_t base = unsignedOf(state.base);
  if (!in.ok()) return false;
  if ((form & kSparse) != 0) {
    if (!decodeSparse(in, n, width, factor, state.base, v)) return false;
  } else if (width == 0) {
    std::fill_n(v, n, state.base);
  } else {
    const unsigned shift = in.byte();
    const std::string_view packed = in.take((n * width + 7) / 8);
    if (!in.ok() || shift > 63) return false;
    std::uint64_t residual[kBlockPoints];
    unpack(packed, n, width, residual);
    const std::uint64_t scale = factor << shift;
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::int64_t>(base + residual[i] * scale);
  }
  if ((form & kDelta) != 0) {
    for (std::size_t i = 0; i < n; ++i) {
      sum += unsignedOf(v[i]);
      v[i] = static_cast<std::int64_t>(sum);
    }
  }
  state.last = n > 0 ? v[n - 1] : static_cast<std::int64_t>(sum);
  return true;
}

}  // namespace runglass
