// SPDX-License-Identifier: Apache-2.0
#include "storage/schema/schema.h"

namespace runglass {

Status checkSchema(const std::string& path, std::int64_t version, const SchemaHistory& history) {
  const std::string what = "cannot open store: " + path + ": its schema " + std::to_string(version);
  if (version > history.newest())
    return {Code::kFailedPrecondition,
            what + " is newer than this program's " + std::to_string(history.newest()) + "; use a newer runglass"};
  if (version < history.first)
    return {Code::kFailedPrecondition, what + " is from before the first release, and this program reads schema " +
                                           std::to_string(history.first) + " and later; import the data into a new store"};
  return {};
}

}  // namespace runglass
