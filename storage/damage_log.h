// SPDX-License-Identifier: Apache-2.0
// DamageLog: what the Readers of this process found damaged in one store. They leave it out of their answers; issues() names it.
//
// Threading:  any thread.
// Ownership:  shared by all Readers of a path.
// Units:      objects ("series 12 chunk 991").
// Errors:     none; beyond kMost objects only the count grows.
// Cost:       a lock per damaged object that is met.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/mutex.h"

namespace runglass {

class DamageLog {
 public:
  static constexpr std::size_t kMost = 1000;

  static std::shared_ptr<DamageLog> of(const std::string& path);
  void note(const std::string& object);
  // One issue of code store.damaged_chunk, or none.
  std::vector<Issue> issues() const;

 private:
  mutable Mutex m_mutex;
  std::set<std::string> m_objects RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
