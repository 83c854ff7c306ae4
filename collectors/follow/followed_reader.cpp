// SPDX-License-Identifier: Apache-2.0
#include "collectors/follow/followed_reader.h"

#include "storage/forwarding_reader.h"

namespace runglass {
namespace {

class FollowedReader final : public ForwardingReader {
 public:
  FollowedReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub)
      : ForwardingReader(std::move(mirror)), m_hub(std::move(hub)) {}

  std::uint64_t generation() override { return inner().generation() + m_hub->generation(); }
  Result<std::unique_ptr<Reader>> unaligned() override {
    RG_ASSIGN(std::unique_ptr<Reader> other, inner().unaligned());
    return followedReader(std::move(other), m_hub);
  }

 private:
  const std::shared_ptr<HubQuestions> m_hub;
};

}  // namespace

std::unique_ptr<Reader> followedReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub) {
  return std::make_unique<FollowedReader>(std::move(mirror), std::move(hub));
}

}  // namespace runglass
