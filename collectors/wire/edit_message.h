// SPDX-License-Identifier: Apache-2.0
// An Edit as the parts it travels in, and back.
//
// Threading:  one thread per object.
// Ownership:  values.
// Units:      as model/edits.h.
// Errors:     INVALID_ARGUMENT parts that make no edit; what an edit may hold is checkEdit()'s to say.
// Cost:       O(shifts); a part holds kShiftsPerPart of them at most, below 3 MiB.
#pragma once

#include <string>
#include <vector>

#include "model/edits.h"
#include "runglass/v1/control.pb.h"

namespace runglass {

inline constexpr std::size_t kShiftsPerPart = 64U << 10;

std::vector<v1::EditPart> partsOf(const Edit& edit, const std::string& store_uuid);

class EditAssembly {
 public:
  Status add(const v1::EditPart& part);
  const std::string& storeUuid() const { return m_store_uuid; }
  // After the last part.
  Result<Edit> take();

 private:
  bool m_begun = false;
  std::string m_store_uuid;
  Edit m_edit;
  std::size_t m_shift_count = 0;
};

}  // namespace runglass
