// SPDX-License-Identifier: Apache-2.0
#include "storage/store_reader.h"

namespace runglass {

Result<std::vector<std::string>> StoreReader::verify(std::stop_token) { return Status(Code::kUnimplemented, "verify is not built yet"); }

}  // namespace runglass
