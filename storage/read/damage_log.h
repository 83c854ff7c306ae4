// SPDX-License-Identifier: Apache-2.0
// DamageLog: the damaged objects that the Readers of this process found in one store. Readers leave them out of their answers, and every
// program reports it: runglassctl on stderr and in JSON, the console in its run strip, an export in the issues of the new store.
//
// Threading:  any thread.
// Ownership:  shared by all Readers of a file; kept until the process ends.
// Units:      objects ("series 12 chunk 991").
// Errors:     beyond kMax objects, only the count grows.
// Cost:       a lock per damaged object encountered.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/events.h"
#include "model/mutex.h"

namespace runglass {

class DamageLog {
 public:
  static constexpr std::size_t kMax = 1000;

  static std::shared_ptr<DamageLog> of(const std::string& path);
  // The issues of all stores that this process has read, with their paths.
  static std::vector<std::pair<std::string, Issue>> ofProcess();
  void note(const std::string& object);
  // Grows with every note in this process: a view of issues() refreshes when it has changed.
  static std::uint64_t notes();
  // One issue with code store.damaged_chunk, or none.
  std::vector<Issue> issues() const;

 private:
  mutable Mutex m_mutex;
  std::set<std::string> m_objects RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
