// SPDX-License-Identifier: Apache-2.0
#include "storage/store_reader.h"

namespace runglass {

Result<StoreInfo> StoreReader::info() { return Status(Code::kUnimplemented, "info is not built yet"); }

}  // namespace runglass
