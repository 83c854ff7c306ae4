// SPDX-License-Identifier: Apache-2.0
#include "analysis/words/message.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/number_text.h"

namespace runglass::words {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 4> kFormatNames = {"ratio", "number", "duration_ns", "short_duration_ns"};

bool isDuration(Format format) { return format == Format::kDuration || format == Format::kShortDuration; }

Json toJson(const Message& message);

Json toJson(const Quantity& quantity) {
  Json value;
  if (isDuration(quantity.format))
    value = quantity.ns;
  else  // JSON has no NaN and no infinity
    value = std::isfinite(quantity.value) ? Json(quantity.value) : Json(numberText(quantity.value));
  Json json = {{kFormatNames[static_cast<std::size_t>(quantity.format)], std::move(value)}};
  if (quantity.decimals >= 0) json["decimals"] = quantity.decimals;
  return json;
}

Json toJson(const Ranks& ranks) {
  Json list = Json::array();
  for (const auto& [first, last] : ranks.ranges) list.push_back(first), list.push_back(last);
  Json json = {{"ranks", std::move(list)}};
  if (ranks.count) json["count"] = *ranks.count;
  return json;
}

Json toJson(const Arg& arg) {
  return std::visit(
      []<class T>(const T& value) -> Json {
        if constexpr (std::same_as<T, std::monostate>) {
          return {};
        } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::int64_t>) {
          return value;
        } else if constexpr (std::same_as<T, Term>) {
          return {{"term", value.text}};
        } else if constexpr (std::same_as<T, Arg::List>) {
          Json list = Json::array();
          for (const Arg& one : value) list.push_back(toJson(one));
          return list;
        } else {
          return toJson(value);
        }
      },
      arg.value);
}

Json toJson(const Message& message) {
  Json args = Json::object();
  for (const auto& [name, arg] : message.args)
    if (arg.present()) args[name] = toJson(arg);
  Json json = {{"id", message.id}};
  if (!args.empty()) json["args"] = std::move(args);
  return json;
}

std::optional<Message> messageOf(const Json& json, int depth);

std::optional<double> numberOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_string()) return std::nullopt;
  for (const double special : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL})
    if (json.get_ref<const std::string&>() == numberText(special)) return special;
  return std::nullopt;
}

std::optional<Quantity> quantityOf(const Json& json) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    const auto value = json.find(kFormatNames[i]);
    if (value == json.end()) continue;
    Quantity quantity{.format = static_cast<Format>(i)};
    if (isDuration(quantity.format)) {
      if (!value->is_number_integer()) return std::nullopt;
      quantity.ns = value->get<std::int64_t>();
    } else {
      const auto number = numberOf(*value);
      if (!number) return std::nullopt;
      quantity.value = *number;
    }
    if (const auto decimals = json.find("decimals"); decimals != json.end()) {
      if (!decimals->is_number_integer()) return std::nullopt;
      quantity.decimals = std::clamp(decimals->get<int>(), -1, 17);
    }
    return quantity;
  }
  return std::nullopt;
}

std::optional<Ranks> ranksOf(const Json& json, const Json& list) {
  if (!list.is_array() || list.size() % 2 != 0 || list.size() > 2 * kMaxRanges) return std::nullopt;
  if (!std::ranges::all_of(list, [](const Json& one) { return one.is_number_integer(); })) return std::nullopt;
  Ranks ranks;
  for (std::size_t i = 0; i < list.size(); i += 2) ranks.ranges.emplace_back(list[i].get<std::int32_t>(), list[i + 1].get<std::int32_t>());
  if (const auto count = json.find("count"); count != json.end() && count->is_number_integer()) ranks.count = count->get<std::int64_t>();
  return ranks;
}

std::optional<Arg> argOf(const Json& json, int depth) {
  if (depth > kMaxDepth) return std::nullopt;
  if (json.is_string()) return Arg(json.get<std::string>());
  if (json.is_number_integer()) return Arg(json.get<std::int64_t>());
  if (json.is_array()) {
    Arg::List list;
    for (const Json& one : json) {
      auto arg = argOf(one, depth + 1);
      if (!arg) return std::nullopt;
      list.push_back(std::move(*arg));
    }
    return Arg(std::move(list));
  }
  if (!json.is_object()) return std::nullopt;
  const auto made = [](auto value) { return value ? std::optional<Arg>(Arg(std::move(*value))) : std::nullopt; };
  if (json.contains("id")) return made(messageOf(json, depth + 1));
  if (const auto list = json.find("ranks"); list != json.end()) return made(ranksOf(json, *list));
  if (const auto term = json.find("term"); term != json.end())
    return term->is_string() ? std::optional<Arg>(Term{term->get<std::string>()}) : std::nullopt;
  return made(quantityOf(json));
}

std::optional<Message> messageOf(const Json& json, int depth) {
  const auto id = json.find("id");
  if (id == json.end() || !id->is_string()) return std::nullopt;
  Message message{.id = id->get<std::string>(), .args = {}};
  const auto args = json.find("args");
  if (args == json.end()) return message;
  if (!args->is_object()) return std::nullopt;
  for (const auto& [name, value] : args->items()) {
    auto arg = argOf(value, depth);
    if (!arg) return std::nullopt;
    message.args.emplace_back(name, std::move(*arg));
  }
  return message;
}

}  // namespace

Quantity ratio(double value) { return {.format = Format::kRatio, .value = value}; }
Quantity number(double value) { return {.format = Format::kNumber, .value = value}; }
Quantity number(double value, int decimals) { return {.format = Format::kNumber, .value = value, .decimals = decimals}; }
Quantity duration(DurNs ns) { return {.format = Format::kDuration, .ns = ns}; }
Quantity shortDuration(DurNs ns) { return {.format = Format::kShortDuration, .ns = ns}; }

std::int64_t whole(double value) {
  constexpr double kMax = 9.2e18;
  return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::nearbyint(std::clamp(value, -kMax, kMax)));
}

Ranks ranksOf(std::vector<std::int32_t> ranks) {
  std::ranges::sort(ranks);
  Ranks out;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (out.ranges.size() == kMaxRanges) {
      out.count = static_cast<std::int64_t>(ranks.size());
      break;
    }
    out.ranges.emplace_back(ranks[i], ranks[end - 1]);
    i = end;
  }
  return out;
}

const Arg* Message::find(std::string_view name) const {
  const auto found = std::ranges::find(args, name, &Args::value_type::first);
  return found != args.end() && found->second.present() ? &found->second : nullptr;
}

std::string print(const Message& message) {
  std::string text = toJson(message).dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kMaxMessageBytes ? text : std::string();
}

std::optional<Message> parse(std::string_view json) {
  if (json.empty() || json.size() > kMaxMessageBytes) return std::nullopt;
  const Json document = Json::parse(json, nullptr, false);
  return document.is_object() ? messageOf(document, 0) : std::nullopt;
}

}  // namespace runglass::words
