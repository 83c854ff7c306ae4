// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/answer.h"

#include <nlohmann/json.hpp>

#include "app/cli/json_value.h"
#include "app/cli/output.h"

namespace runglass::ctl {
namespace {

std::string written(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Status printAnswer(bool as_json, const std::function<Json()>& json, const std::function<std::string()>& text) {
  Output out = Output::standard();
  out.print(as_json ? written(json(), 2) + "\n" : text());
  return out.finish();
}

std::string compactJson(const Json& json) { return written(json, -1); }

}  // namespace runglass::ctl
