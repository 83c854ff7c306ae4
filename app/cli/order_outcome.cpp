// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/order_outcome.h"

#include <nlohmann/json.hpp>

#include "app/cli/output.h"

namespace runglass::ctl {
namespace {

std::string ranksText(const std::vector<std::int32_t>& ranks) {
  std::string text;
  for (const std::int32_t rank : ranks) text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text;
}

}  // namespace

std::string outcomeText(const OrderOutcome& outcome) {
  std::string out;
  for (const OrderAnswer& answer : outcome.answers) {
    out += answer.node.empty() ? "-" : oneLine(answer.node);
    out += answer.status.ok() ? "  done" : "  " + oneLine(answer.status.message());
    if (!answer.ranks.empty()) out += "  ranks " + ranksText(answer.ranks);
    if (outcome.first_step && !answer.ranks.empty()) out += "  from step " + std::to_string(*outcome.first_step);
    if (!answer.note.empty()) out += "  " + oneLine(answer.note);
    out += "\n";
  }
  return out;
}

nlohmann::ordered_json outcomeJson(const OrderOutcome& outcome) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const OrderAnswer& answer : outcome.answers)
    nodes.push_back({{"node", answer.node},
                     {"ok", answer.status.ok()},
                     {"message", answer.status.message()},
                     {"ranks", answer.ranks},
                     {"note", answer.note}});
  nlohmann::ordered_json all = {{"first_step", nullptr}, {"nodes", nodes}};
  if (outcome.first_step) all["first_step"] = *outcome.first_step;
  return all;
}

Status outcomeStatus(const OrderOutcome& outcome) {
  for (const OrderAnswer& answer : outcome.answers)
    if (!answer.status.ok()) return {answer.status.code(), answer.node + ": " + answer.status.message()};
  return {};
}

}  // namespace runglass::ctl
