// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/answer_columns.h"

#include <algorithm>

#include "storage/codec/value_column.h"

namespace runglass {
namespace {

constexpr std::size_t kMinBlock = 2;  // bytes

template <class Value, class Block>
bool unpackBlocks(std::string_view bytes, std::size_t rows, std::vector<Value>& values, Block block) {
  values.clear();
  if (bytes.size() < (rows + kBlockPoints - 1) / kBlockPoints * kMinBlock) return false;
  values.resize(rows);
  ByteReader in(bytes);
  for (std::size_t at = 0; at < rows; at += kBlockPoints)
    if (!block(in, std::min(kBlockPoints, rows - at), values.data() + at)) return false;
  return in.atEnd();
}

}  // namespace

std::string packInts(std::span<const std::int64_t> values) {
  std::string out;
  IntColumnState state;
  std::uint8_t block[kMaxIntBlockBytes];
  for (std::size_t at = 0; at < values.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, values.size() - at);
    const std::uint8_t* const end = encodeIntBlock(values.data() + at, n, state, true, block);
    out.append(reinterpret_cast<const char*>(block), static_cast<std::size_t>(end - block));
  }
  return out;
}

std::string packDoubles(std::span<const double> values) {
  std::string out;
  ValueColumnState state;
  MappedValues mapped;
  int hint = 0;
  std::uint8_t block[kMaxValueBlockBytes];
  for (std::size_t at = 0; at < values.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, values.size() - at);
    mapValues(values.data() + at, n, hint, mapped);
    const std::uint8_t* const end = encodeValueBlock(mapped, n, state, block);
    out.append(reinterpret_cast<const char*>(block), static_cast<std::size_t>(end - block));
  }
  return out;
}

v1::Texts packTexts(std::span<const std::string> texts) {
  v1::Texts packed;
  packed.set_count(static_cast<std::uint32_t>(texts.size()));
  packed.set_length(intsOf(texts, [](const std::string& text) { return text.size(); }));
  for (const std::string& text : texts) packed.mutable_text()->append(text);
  return packed;
}

bool unpackInts(std::string_view bytes, std::size_t rows, std::vector<std::int64_t>& values) {
  IntColumnState state;
  return unpackBlocks(bytes, rows, values,
                      [&](ByteReader& in, std::size_t n, std::int64_t* out) { return decodeIntBlock(in, n, state, out); });
}

bool unpackDoubles(std::string_view bytes, std::size_t rows, std::vector<double>& values) {
  ValueColumnState state;
  return unpackBlocks(bytes, rows, values, [&](ByteReader& in, std::size_t n, double* out) { return decodeValueBlock(in, n, state, out); });
}

bool unpackTexts(const v1::Texts& bytes, std::size_t most, std::vector<std::string>& texts) {
  texts.clear();
  std::vector<std::int64_t> lengths;
  if (bytes.count() > most || !unpackInts(bytes.length(), bytes.count(), lengths)) return false;
  std::string_view rest = bytes.text();
  texts.reserve(lengths.size());
  for (const std::int64_t length : lengths) {
    if (length < 0 || static_cast<std::uint64_t>(length) > rest.size()) return false;
    texts.emplace_back(rest.substr(0, static_cast<std::size_t>(length)));
    rest.remove_prefix(static_cast<std::size_t>(length));
  }
  return rest.empty();
}

}  // namespace runglass
