// SPDX-License-Identifier: Apache-2.0
// JSON as written by Python: NaN, Infinity and -Infinity are permitted as numbers. Visited value by value, so that no tree is built and the
// values before a damaged place are still visited.
//
// Threading:  pure.
// Ownership:  values own their text; arguments of a visitor are valid during the call.
// Units:      bytes.
// Errors:     INVALID_ARGUMENT with line and column; RESOURCE_EXHAUSTED beyond 240 MiB, or 1 MiB of one text; DATA_LOSS of the stream.
// Cost:       whole text in memory: for state files, not for traces.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectors/importers/importer.h"

namespace runglass {

struct JsonPart {
  std::string key;          // in an object
  std::int64_t index = -1;  // in an array; -1 in an object
};
using JsonPath = std::span<const JsonPart>;

struct JsonLeaf {
  std::optional<double> number;         // also for the three literals; none for texts, true, false and null
  std::optional<std::int64_t> integer;  // of a number without fraction that fits
};

class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void leaf(JsonPath path, const JsonLeaf& value) = 0;
  virtual void closed(JsonPath path, bool array) = 0;  // an object or array is complete
};

Result<std::string> readAll(ByteStream& in, const std::string& path, std::stop_token stop);
// RESOURCE_EXHAUSTED if one text, number or run of white space exceeds 1 MiB: the parser copies each several times.
Status checkTokens(std::string_view json);
// Values visited before an error are valid.
Status walkPythonJson(std::string text, const std::string& path, JsonVisitor& visitor);

}  // namespace runglass
