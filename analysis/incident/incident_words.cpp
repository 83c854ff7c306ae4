// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "analysis/text/evidence_json.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::json;
using words::Arg;
using words::Message;

constexpr std::size_t kMaxMeaning = 60;

std::string withSpaces(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// "Xid 79 (GPU has fallen off the bus)", "Link down", "Node silent".
Arg faultArg(const Json& evidence) {
  const std::string cause = textIn(evidence, "cause");
  if (cause == "silent") return Message{"title_silent", {}};
  if (cause == "hub_or_network") return Message{"title_many_silent", {}};
  const Json root = evidence.is_object() && evidence.contains("root") ? evidence["root"] : Json();
  const std::string kind = textIn(root, "kind"), code = textIn(root, "code"), meaning = textIn(evidence, "meaning");
  if (kind.empty()) return words::Term{"Hardware fault"};
  return Message{"title_fault",
                 {{"kind", words::Term{capital(withSpaces(kind))}},
                  {"code", code.empty() ? Arg() : Arg(code)},
                  {"meaning", meaning.empty() || meaning.size() > kMaxMeaning ? Arg() : Arg(words::Term{meaning})}}};
}

// Absent for a finding without an end.
Arg lengthOf(const Finding& finding) {
  return finding.start && finding.end && *finding.end > *finding.start ? Arg(words::duration(*finding.end - *finding.start)) : Arg();
}

}  // namespace

std::string oneLineOf(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, std::min(text.size(), most)));
  if (text.size() > most) {
    while (!out.empty() && (static_cast<unsigned char>(text[out.size()]) & 0xC0U) == 0x80U) out.pop_back();
    while (out.size() + 3 > most && !out.empty()) {
      do out.pop_back();
      while (!out.empty() && (static_cast<unsigned char>(text[out.size()]) & 0xC0U) == 0x80U);
    }
    out += "...";
  }
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return out;
}

std::string findingKindWords(std::string_view kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords = {{{"non_finite", "loss that is not finite"},
                                                                                    {"stage_imbalance", "slower stage"},
                                                                                    {"sequence_imbalance", "uneven sequences"},
                                                                                    {"host_bound", "wait for the host"},
                                                                                    {"data_bound", "wait for data"},
                                                                                    {"gc_jitter", "pauses of garbage collection"},
                                                                                    {"thermal_throttle", "thermal throttling"}}};
  const auto found = std::ranges::find(kWords, kind, &std::pair<std::string_view, std::string_view>::first);
  return found != kWords.end() ? std::string(found->second) : withSpaces(std::string(kind));
}

Arg placeArg(const Finding& finding, const RunPlaces& places) {
  const std::string node = places.nodeName(finding.node);
  if (finding.rank) return Message{"place_rank", {{"rank", *finding.rank}, {"node", node.empty() ? Arg() : Arg(node)}}};
  if (!node.empty()) return node;
  if (finding.kind == "stage_imbalance" && finding.pp) return Message{"cause_stage", {{"stage", *finding.pp}}};
  return {};
}

std::string placeWords(const Finding& finding, const RunPlaces& places) {
  const Arg place = placeArg(finding, places);
  return place.present() ? words::english(Message{"verbatim", {{"text", place}}}) : std::string();
}

words::Sentence incidentTitle(const Finding& root, const RunPlaces& places) {
  const Arg place = placeArg(root, places);
  Arg what = words::Term{capital(findingKindWords(root.kind))}, at, from;
  if (root.kind == "hardware_fault")
    what = faultArg(Json::parse(root.evidence, nullptr, false));
  else if (root.first_step)
    (root.last_step == root.first_step ? at : from) = *root.first_step;
  Message title = Message{"title_at", {{"what", what}, {"place", place}, {"at", at}, {"from", from}}};
  if (root.kind == "slow_rank" && root.rank) title = Message{"title_slow_rank", {{"place", place}, {"at", at}, {"from", from}}};
  if (root.kind == "slow_node" && place.present()) title = Message{"title_slow_node", {{"place", place}, {"at", at}, {"from", from}}};
  words::Sentence out(std::move(title));
  out.english = oneLineOf(out.english, kMaxTitle);
  return out;
}

words::Sentence incidentSentence(const Finding& root, std::span<const Finding* const> others, const Attempt* ended,
                                 const RunPlaces& places) {
  Arg what = root.summary.empty() ? Arg(incidentTitle(root, places).message) : words::messageOf(root);
  // The summary of a store that has no messages may end with a full stop.
  if (auto* text = std::get_if<std::string>(&what.value))
    while (!text->empty() && (text->back() == '.' || text->back() == ' ')) text->pop_back();
  Arg::List list;
  std::vector<std::string_view> said;
  for (const Finding* one : others) {
    if (std::ranges::find(said, one->kind) != said.end()) continue;
    said.push_back(one->kind);
    const auto count = std::ranges::count_if(others, [&](const Finding* other) { return other->kind == one->kind; });
    const words::Term kind{findingKindWords(one->kind)};
    list.emplace_back(count > 1 ? Message{"incident_several", {{"count", count}, {"kind", kind}}}
                                : Message{"incident_one", {{"kind", kind}, {"length", lengthOf(*one)}}});
  }
  if (ended != nullptr) {
    const Arg cause = ended->end_cause.empty() ? Arg() : Arg(ended->end_cause);
    list.emplace_back(Message{"incident_end", {{"attempt", ended->number}, {"cause", cause}}});
  }
  words::Sentence out(list.empty() ? Message{"verbatim", {{"text", std::move(what)}}}
                                   : Message{"incident_with", {{"what", std::move(what)}, {"list", std::move(list)}}});
  out.english = oneLineOf(out.english, kMaxSummary);
  return out;
}

}  // namespace runglass
