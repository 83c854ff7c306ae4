// SPDX-License-Identifier: Apache-2.0
// Splits an Edit into parts for transfer and reassembles it.
//
// Threading:  one thread per object.
// Units:      as model/edits.h.
// Errors:     INVALID_ARGUMENT invalid parts; checkEdit() validates the edit itself.
// Cost:       O(shifts); a part has at most kShiftsPerPart of them, or kCardsPerPart cards, and is below kMaxEditPart.
#pragma once

#include <string>
#include <vector>

#include "model/edits.h"
#include "runglass/v1/control.pb.h"

namespace runglass {

inline constexpr std::size_t kShiftsPerPart = 16U << 10, kCardsPerPart = 64;
inline constexpr std::size_t kMaxEditPart = 960U << 10;  // a hub closes connections with more than 1 MiB of unfinished messages

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
  std::size_t m_shift_count = 0, m_card_count = 0;
};

}  // namespace runglass
