// SPDX-License-Identifier: Apache-2.0
// PlainDocument: null, booleans, numbers, texts, lists and objects, from any format. Parts can be shared (a pickle refers to an earlier
// part instead of repeating it), so every part has its written-out size, and no cycle can be built.
//
// Threading:  plain value; const calls from any thread.
// Ownership:  owns its bytes; PlainValue borrows the document.
// Units:      bytes; depth counts lists and objects.
// Errors:     RESOURCE_EXHAUSTED beyond 4 million parts, 32 levels or 256 MiB written out; INVALID_ARGUMENT for a change or use of a part
//             that could create a cycle.
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

// As a JSON text in quotes; invalid UTF-8 becomes U+FFFD.
void writeJsonText(std::string_view text, std::string& out);

// One part of a document; an absent one reads as null.
class PlainValue {
 public:
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kBigInteger, kReal, kText, kList, kObject };
  PlainValue() = default;
  PlainValue(const PlainDocument& document, std::uint32_t part) : m_document(&document), m_part(part) {}

  Kind kind() const;
  bool isObject() const { return kind() == Kind::kObject; }
  bool isList() const { return kind() == Kind::kList; }
  bool isTrue() const;
  std::optional<std::int64_t> integer() const;  // also of a text that is only a number, as in JSON dumps
  std::optional<double> number() const;
  std::string_view text() const;  // of a text or a big integer, else ""
  std::size_t size() const;       // members of a list or object
  PlainValue at(std::size_t i) const;
  std::string_view key(std::size_t i) const;  // of an object
  PlainValue find(std::string_view key) const;
  std::uint64_t bytes() const;                                            // about the size of writeJson()'s output
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
  // Texts passed to text() can point into these bytes.
  std::string_view keep(std::string bytes);

  Part null() const { return 0; }
  Part boolean(bool value) const { return value ? 2 : 1; }
  Result<Part> integer(std::int64_t value);
  Result<Part> bigInteger(std::string_view digits);
  Result<Part> real(double value);
  Result<Part> text(std::string_view value);
  Result<Part> list();
  Result<Part> object();
  // The member becomes finished: it can be shared, but no longer changed.
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
