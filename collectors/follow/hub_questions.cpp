// SPDX-License-Identifier: Apache-2.0
#include "collectors/follow/hub_questions.h"

#include <atomic>

namespace runglass {

struct HubQuestions::Parts {
  std::atomic<std::uint64_t> generation{0};
};

HubQuestions::HubQuestions() : m_parts(std::make_unique<Parts>()) {}
HubQuestions::~HubQuestions() = default;

std::uint64_t HubQuestions::generation() const { return m_parts->generation; }

}  // namespace runglass
