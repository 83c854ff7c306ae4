// SPDX-License-Identifier: Apache-2.0
#include "model/pod_event.h"

namespace runglass {
namespace {
constexpr std::string_view kPod = "pod ", kContainer = ", container ", kText = ": ";
}

std::string printPodMessage(const PodMessage& message) {
  std::string out = std::string(kPod) + message.pod;
  if (!message.container.empty()) out += std::string(kContainer) + message.container;
  if (!message.text.empty()) out += std::string(kText) + message.text;
  return out;
}

PodMessage parsePodMessage(std::string_view message) {
  if (!message.starts_with(kPod)) return {.pod = {}, .container = {}, .text = std::string(message)};
  const std::size_t colon = message.find(kText);
  PodMessage out;
  if (colon != std::string_view::npos) out.text = message.substr(colon + kText.size());
  std::string_view who = message.substr(kPod.size(), colon == std::string_view::npos ? colon : colon - kPod.size());
  if (const std::size_t comma = who.find(kContainer); comma != std::string_view::npos) {
    out.container = who.substr(comma + kContainer.size());
    who = who.substr(0, comma);
  }
  out.pod = who;
  return out;
}

}  // namespace runglass
