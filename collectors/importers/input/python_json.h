// SPDX-License-Identifier: Apache-2.0
// JSON as Python writes it: NaN, Infinity and -Infinity are allowed where a number may stand.
//
// Threading:  pure.
// Ownership:  values own their text.
// Units:      bytes.
// Errors:     INVALID_ARGUMENT with the byte offset; RESOURCE_EXHAUSTED beyond 256 MiB; DATA_LOSS of the stream.
// Cost:       whole text in memory: for state files, not for traces.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "collectors/importers/importer.h"

namespace runglass {

Result<std::string> readAll(ByteStream& in, const std::string& path, std::stop_token stop);
Result<nlohmann::ordered_json> parsePythonJson(std::string text, const std::string& path);
// A number, or one of the three literals; nothing for anything else.
std::optional<double> jsonNumber(const nlohmann::ordered_json& value);

}  // namespace runglass
