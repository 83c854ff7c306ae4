// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/answer.h"

#include <nlohmann/json.hpp>

#include "app/cli/json_value.h"
#include "app/cli/output.h"
#include "app/cli/repaired_copy.h"

namespace runglass::ctl {
namespace {

std::string written(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json withRepairedCopy(Json json) {
  const RepairedCopy* const copy = repairedCopy();
  if (copy == nullptr || !json.is_object()) return json;
  Json lost = Json::array();
  for (const LostObject& one : copy->repair.lost)
    lost.push_back({{"object", one.object}, {"why", one.why}, {"rows", one.rows ? Json(*one.rows) : Json()}});
  json["repaired_copy"] = {{"store", copy->store}, {"lost", std::move(lost)}};
  return json;
}

Status printAnswer(bool as_json, const std::function<Json()>& json, const std::function<std::string()>& text) {
  Output out = Output::standard();
  out.print(as_json ? written(withRepairedCopy(json()), 2) + "\n" : text());
  return out.finish();
}

std::string compactJson(const Json& json) { return written(json, -1); }

}  // namespace runglass::ctl
