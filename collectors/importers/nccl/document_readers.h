// SPDX-License-Identifier: Apache-2.0
// Readers of plain documents: pickles of protocol 2 with plain values only, and JSON.
//
// Threading:  pure.
// Ownership:  the document owns the bytes that it was read from.
// Units:      byte offsets.
// Errors:     INVALID_ARGUMENT with the byte and, in a pickle, the opcode; RESOURCE_EXHAUSTED as in PlainDocument. There are no partial
//             documents: truncated input is rejected.
// Cost:       one pass; a pickle is never executed: every opcode that could refer to, create or modify a Python object is rejected.
#pragma once

#include <stop_token>
#include <string>

#include "collectors/importers/nccl/plain_document.h"

namespace runglass {

struct PickleEnd {
  std::uint64_t trailing_bytes = 0;  // after the STOP
};

Result<PickleEnd> readPickle(std::string bytes, PlainDocument& into, std::stop_token stop);
Status readJson(const std::string& bytes, PlainDocument& into);

}  // namespace runglass
