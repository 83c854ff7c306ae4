// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A list or object accepts members only until it is finished, and is finished before it becomes a member: cycles are impossible.
// 2. A part's `bytes` and `depth` include those of its members, as often as they are used: they limit the cost of a complete walk.
#include "collectors/importers/nccl/plain_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace runglass {
namespace {

template <class T>
void writeNumber(T value, std::string& out) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

}  // namespace

void writeJsonText(std::string_view text, std::string& out) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  if (plain)
    ((out += '"') += text) += '"';
  else
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

PlainDocument::PlainDocument() {
  m_parts.resize(3);
  for (const Part part : {boolean(false), boolean(true)}) {
    m_parts[part].kind = PlainValue::Kind::kBoolean;
    m_parts[part].integer = part == boolean(true) ? 1 : 0;
  }
}

std::string_view PlainDocument::keep(std::string bytes) { return m_kept.emplace_back(std::move(bytes)); }

Result<PlainDocument::Part> PlainDocument::add(const Node& node) {
  if (m_parts.size() == kMaxParts) return Status(Code::kResourceExhausted, "more than " + std::to_string(kMaxParts) + " values");
  m_parts.push_back(node);
  return static_cast<Part>(m_parts.size() - 1);
}

Result<PlainDocument::Part> PlainDocument::integer(std::int64_t value) {
  Node node{.kind = PlainValue::Kind::kInteger, .bytes = 8};
  node.integer = value;
  return add(node);
}

Result<PlainDocument::Part> PlainDocument::real(double value) {
  Node node{.kind = PlainValue::Kind::kReal, .bytes = 16};
  node.real = value;
  return add(node);
}

Result<PlainDocument::Part> PlainDocument::text(std::string_view value) {
  if (value.size() > kMaxBytes) return Status(Code::kResourceExhausted, "a text of more than 256 MiB");
  Node node{.kind = PlainValue::Kind::kText, .bytes = static_cast<std::uint32_t>(value.size()) + 2, .size = value.size()};
  node.text = value.data();
  return add(node);
}

Result<PlainDocument::Part> PlainDocument::bigInteger(std::string_view digits) {
  RG_ASSIGN(const Part part, text(digits));
  m_parts[part].kind = PlainValue::Kind::kBigInteger;
  return part;
}

Result<PlainDocument::Part> PlainDocument::list() {
  Node node{.kind = PlainValue::Kind::kList, .finished = false, .depth = 1, .bytes = 2};
  node.members = m_members.size();
  RG_ASSIGN(const Part part, add(node));
  m_members.emplace_back();
  return part;
}

Result<PlainDocument::Part> PlainDocument::object() {
  RG_ASSIGN(const Part part, list());
  m_parts[part].kind = PlainValue::Kind::kObject;
  return part;
}

Status PlainDocument::grow(Part into, Part member) {
  Node& node = m_parts[into];
  if (node.finished) return {Code::kInvalidArgument, "a list or dictionary is changed after it was used"};
  Node& part = m_parts[member];
  part.finished = true;
  const std::uint64_t bytes = std::uint64_t{node.bytes} + part.bytes + 1;
  if (bytes > kMaxBytes) return {Code::kResourceExhausted, "written out it would be larger than 256 MiB"};
  if (part.depth >= kMaxDepth) return {Code::kResourceExhausted, "nested more than " + std::to_string(kMaxDepth) + " deep"};
  node.bytes = static_cast<std::uint32_t>(bytes);
  node.depth = std::max(node.depth, static_cast<std::uint16_t>(part.depth + 1));
  m_members[node.members].push_back(member);
  return {};
}

Status PlainDocument::append(Part list, Part member) {
  if (kind(list) != PlainValue::Kind::kList) return {Code::kInvalidArgument, "something is appended to what is no list"};
  return list == member ? Status(Code::kInvalidArgument, "a list would hold itself") : grow(list, member);
}

Status PlainDocument::put(Part object, Part key, Part member) {
  if (kind(object) != PlainValue::Kind::kObject) return {Code::kInvalidArgument, "an item is put into what is no dictionary"};
  if (object == member) return {Code::kInvalidArgument, "a dictionary would hold itself"};
  if (kind(key) == PlainValue::Kind::kInteger) {
    RG_ASSIGN(key, text(keep(std::to_string(m_parts[key].integer))));
  } else if (kind(key) != PlainValue::Kind::kText) {
    return {Code::kInvalidArgument, "a key is neither text nor integer"};
  }
  RG_TRY(grow(object, key));
  return grow(object, member);
}

PlainValue::Kind PlainValue::kind() const { return m_document == nullptr ? Kind::kNull : m_document->m_parts[m_part].kind; }
bool PlainValue::isTrue() const { return kind() == Kind::kBoolean && m_document->m_parts[m_part].integer != 0; }

std::optional<std::int64_t> PlainValue::integer() const {
  if (kind() == Kind::kInteger) return m_document->m_parts[m_part].integer;
  if (kind() != Kind::kText) return std::nullopt;
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> PlainValue::number() const {
  if (kind() == Kind::kReal) return m_document->m_parts[m_part].real;
  const auto whole = integer();
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::string_view PlainValue::text() const {
  if (kind() != Kind::kText && kind() != Kind::kBigInteger) return {};
  return {m_document->m_parts[m_part].text, m_document->m_parts[m_part].size};
}

std::size_t PlainValue::size() const {
  if (!isList() && !isObject()) return 0;
  return m_document->m_members[m_document->m_parts[m_part].members].size() / (isObject() ? 2 : 1);
}

PlainValue PlainValue::at(std::size_t i) const {
  if (i >= size()) return {};
  return {*m_document, m_document->m_members[m_document->m_parts[m_part].members][isObject() ? 2 * i + 1 : i]};
}

std::string_view PlainValue::key(std::size_t i) const {
  if (!isObject() || i >= size()) return {};
  return PlainValue(*m_document, m_document->m_members[m_document->m_parts[m_part].members][2 * i]).text();
}

PlainValue PlainValue::find(std::string_view key) const {
  // Of a repeated key the last value counts, as in Python.
  for (std::size_t i = isObject() ? size() : 0; i-- > 0;)
    if (this->key(i) == key) return at(i);
  return {};
}

std::uint64_t PlainValue::bytes() const { return m_document == nullptr ? 0 : m_document->m_parts[m_part].bytes; }

void PlainValue::writeJson(std::string& out, std::string_view without) const {
  if (m_document == nullptr) {
    out += "null";
    return;
  }
  switch (kind()) {
    case Kind::kNull:
      out += "null";
      break;
    case Kind::kBoolean:
      out += isTrue() ? "true" : "false";
      break;
    case Kind::kInteger:
      writeNumber(m_document->m_parts[m_part].integer, out);
      break;
    case Kind::kBigInteger:
      out += text();
      break;
    case Kind::kReal:
      if (const double value = m_document->m_parts[m_part].real; std::isfinite(value))
        writeNumber(value, out);
      else
        out += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
      break;
    case Kind::kText:
      writeJsonText(text(), out);
      break;
    case Kind::kList:
    case Kind::kObject: {
      const char open = isList() ? '[' : '{';
      char before = open;
      for (std::size_t i = 0; i < size(); ++i) {
        if (isObject() && !without.empty() && key(i) == without) continue;
        out += before;
        before = ',';
        if (isObject()) {
          writeJsonText(key(i), out);
          out += ':';
        }
        at(i).writeJson(out);
      }
      if (before == open) out += open;
      out += isList() ? ']' : '}';
      break;
    }
  }
}

}  // namespace runglass
