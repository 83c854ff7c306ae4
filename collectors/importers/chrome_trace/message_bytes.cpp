// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/message_bytes.h"

#include <algorithm>

namespace runglass {
namespace {

struct ElementType {
  std::string_view name;
  std::int64_t bytes;
};
constexpr ElementType kTypes[] = {{"Float", 4},
                                  {"BFloat16", 2},
                                  {"Half", 2},
                                  {"Byte", 1},
                                  {"Char", 1},
                                  {"Bool", 1},
                                  {"Short", 2},
                                  {"Int", 4},
                                  {"Long", 8},
                                  {"Double", 8},
                                  {"ComplexHalf", 4},
                                  {"ComplexFloat", 8},
                                  {"ComplexDouble", 16},
                                  {"UInt16", 2},
                                  {"UInt32", 4},
                                  {"UInt64", 8},
                                  {"QInt8", 1},
                                  {"QUInt8", 1},
                                  {"QInt32", 4},
                                  {"Float8_e5m2", 1},
                                  {"Float8_e4m3fn", 1},
                                  {"Float8_e5m2fnuz", 1},
                                  {"Float8_e4m3fnuz", 1},
                                  {"Float8_e8m0fnu", 1}};

}  // namespace

std::optional<std::int64_t> messageBytes(const TraceEvent& event) {
  if (event.element_type.empty()) return std::nullopt;
  const auto* const type = std::ranges::find(kTypes, event.element_type, &ElementType::name);
  const auto elements = std::max(event.in_elements, event.out_elements);  // absent is less than any number
  std::int64_t bytes = 0;
  if (type == std::end(kTypes) || !elements || *elements < 0 || __builtin_mul_overflow(*elements, type->bytes, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace runglass
