// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "collectors/importers/input/python_json.h"
#include "collectors/importers/nccl/document_readers.h"

namespace runglass {
namespace {

using Part = PlainDocument::Part;

// Builds from the inside out: open values are on m_open, an object with the key that waits for its value.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  explicit Builder(PlainDocument& document) : m_document(document) {}
  const Status& failure() const { return m_failure; }

  bool null() { return add(m_document.null()); }
  bool boolean(bool value) { return add(m_document.boolean(value)); }
  bool number_integer(number_integer_t value) { return add(m_document.integer(value)); }
  bool number_unsigned(number_unsigned_t value) {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return add(m_document.bigInteger(m_document.keep(std::to_string(value))));
    return add(m_document.integer(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t&) { return add(m_document.real(value)); }
  bool string(string_t& value) { return add(m_document.text(m_document.keep(std::move(value)))); }
  bool binary(binary_t&) { return add(m_document.null()); }
  bool start_object(std::size_t) { return open(m_document.object()); }
  bool start_array(std::size_t) { return open(m_document.list()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& value) {
    Result<Part> text = m_document.text(m_document.keep(std::move(value)));
    if (!text.ok()) return fail(text.status());
    m_open.back().key = *text;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ...": without the name of the library's exception.
    constexpr std::size_t kMaxReason = 200;
    std::string_view reason = error.what();
    if (reason.starts_with('[')) reason.remove_prefix(std::min(reason.find("] ") + 2, reason.size()));
    return fail(
        {Code::kInvalidArgument, "byte " + std::to_string(position) + ": not valid JSON: " + std::string(reason.substr(0, kMaxReason))});
  }

 private:
  struct Open {
    Part part = 0, key = 0;
  };

  bool fail(const Status& status) {
    m_failure = status;
    return false;
  }
  bool open(Result<Part> part) {
    if (!part.ok()) return fail(part.status());
    if (m_open.size() == PlainDocument::kMaxDepth)
      return fail({Code::kResourceExhausted, "nested more than " + std::to_string(PlainDocument::kMaxDepth) + " deep"});
    m_open.push_back({*part});
    return true;
  }
  bool close() {
    const Part part = m_open.back().part;
    m_open.pop_back();
    return add(part);
  }
  bool add(Result<Part> part) {
    if (!part.ok()) return fail(part.status());
    if (m_open.empty()) {
      m_document.finish(*part);
      m_document.setRoot(*part);
      return true;
    }
    const Open& into = m_open.back();
    const Status added = m_document.kind(into.part) == PlainValue::Kind::kObject ? m_document.put(into.part, into.key, *part)
                                                                                 : m_document.append(into.part, *part);
    return added.ok() || fail(added);
  }

  PlainDocument& m_document;
  std::vector<Open> m_open;
  Status m_failure;
};

}  // namespace

Status readJson(const std::string& bytes, PlainDocument& into) {
  RG_TRY(checkTokens(bytes));
  Builder builder(into);
  try {
    if (nlohmann::json::sax_parse(bytes, &builder)) return {};
  } catch (const nlohmann::json::exception& error) {
    builder.parse_error(0, {}, error);
  }
  return builder.failure().ok() ? Status(Code::kInvalidArgument, "not valid JSON") : builder.failure();
}

}  // namespace runglass
