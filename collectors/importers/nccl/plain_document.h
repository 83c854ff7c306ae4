// SPDX-License-Identifier: Apache-2.0
// PlainDocument: null, booleans, numbers, texts, lists and objects, whatever format they were written in. Parts may be shared (a pickle
// names a part again instead of writing it again), so every part knows how large it is written out, and no cycle can be built.
//
// Threading:  plain value; const calls from any thread.
// Ownership:  owns its bytes; PlainValue borrows the document.
// Units:      bytes; depth counts lists and objects.
// Errors:     RESOURCE_EXHAUSTED beyond 4 million parts, 32 levels or 256 MiB written out; INVALID_ARGUMENT for a part that is changed or
//             used in a way that could make a cycle.
// Cost:       32 bytes a part, 4 per use of it in a list, 8 in an object.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace runglass {

class PlainDocument;

// As a JSON text in quotes; what is no UTF-8 becomes U+FFFD.
void writeJsonText(std::string_view text, std::string& out);

// One part of a document; what is not there reads as null.
class PlainValue {
 public:
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kBigInteger, kReal, kText, kList, kObject };
  PlainValue() = default;
  PlainValue(const PlainDocument& document, std::uint32_t part) : m_document(&document), m_part(part) {}

  Kind kind() const;
  bool isObject() const { return kind() == Kind::kObject; }
  bool isList() const { return kind() == Kind::kList; }
  bool isTrue() const;
  std::optional<std::int64_t> integer() const;  // also of a text that holds nothing but one, as JSON dumps have them
  std::optional<double> number() const;
  std::string_view text() const;  // of a text or a big integer, else ""
  std::size_t size() const;       // members of a list or object
  PlainValue at(std::size_t i) const;
  std::string_view key(std::size_t i) const;  // of an object
  PlainValue find(std::string_view key) const;
  std::uint64_t bytes() const;                                            // about what writeJson() would write
  void writeJson(std::string& out, std::string_view without = {}) const;  // without that member of the outermost object

 private:
  const PlainDocument* m_document = nullptr;
  std::uint32_t m_part = 0;
};

class PlainDocument {
 public:
  using Part = std::uint32_t;
  static constexpr std::size_t kMaxParts = 4U << 20;
  static constexpr std::uint32_t kMaxDepth = 32;
  static constexpr std::uint64_t kMaxBytes = 256U << 20;

  PlainDocument();
  // Texts that are given to text() may point into these bytes.
  std::string_view keep(std::string bytes);

  Part null() const { return 0; }
  Part boolean(bool value) const { return value ? 2 : 1; }
  Result<Part> integer(std::int64_t value);
  Result<Part> bigInteger(std::string_view digits);
  Result<Part> real(double value);
  Result<Part> text(std::string_view value);
  Result<Part> list();
  Result<Part> object();
  // The member is finished by that: it can be shared, but not changed any more.
  Status append(Part list, Part member);
  Status put(Part object, Part key, Part member);
  void finish(Part part) { m_parts[part].finished = true; }
  PlainValue::Kind kind(Part part) const { return m_parts[part].kind; }

  void setRoot(Part part) { m_root = part; }
  PlainValue root() const { return {*this, m_root}; }

 private:
  friend class PlainValue;
  struct Node {
    PlainValue::Kind kind = PlainValue::Kind::kNull;
    bool finished = true;
    std::uint16_t depth = 0;
    std::uint32_t bytes = 4;  // written out
    union {
      std::int64_t integer = 0;
      double real;
      const char* text;
      std::size_t members;  // index into m_members
    };
    std::size_t size = 0;  // of the text
  };
  Result<Part> add(const Node& node);
  Status grow(Part into, Part member);

  std::deque<std::string> m_kept;
  std::vector<Node> m_parts;
  std::vector<std::vector<Part>> m_members;  // of an object: key, value, key, value, ...
  Part m_root = 0;
};

}  // namespace runglass
