// SPDX-License-Identifier: Apache-2.0
// The JSON documents of a tool's output: one, or several where it ran in a loop; lines of text before and between them are skipped.
//
// Threading:  pure.
// Units:      byte offsets.
// Errors:     INVALID_ARGUMENT with file, byte and cause where nothing can be read; RESOURCE_EXHAUSTED beyond 32 MiB. Documents
//             beyond 65,536 are left out, with a problem.
// Cost:       whole text and tree in memory: for outputs of tools, not for traces.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collectors/importers/importer.h"

namespace runglass {

struct JsonDocuments {
  std::vector<nlohmann::ordered_json> documents;
  std::string problem;  // the document after them cannot be read: place and cause
};
Result<JsonDocuments> readJsonDocuments(ByteStream& in, const std::string& path, std::stop_token stop);

// Whether the first byte that is no space opens a document.
bool opensJson(std::string_view head);

// A number, or a text that begins with one ("45.2 W"): rocm-smi and amd-smi print both. Absent for "N/A" and other texts.
std::optional<double> numberIn(const nlohmann::ordered_json& value);
// Text of a text or a number; "" for anything else.
std::string textIn(const nlohmann::ordered_json& value);

}  // namespace runglass
