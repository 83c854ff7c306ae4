// SPDX-License-Identifier: Apache-2.0
#include "analysis/words/render.h"

#include <algorithm>

#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::words {
namespace {

// Text up to the next brace or bracket, or a brace or bracket with its contents.
struct Token {
  char kind = 't';  // 't' text, '{' argument, '[' part
  std::string_view text;
};

// Absent at a brace or bracket that does not match.
std::optional<Token> nextToken(std::string_view& rest) {
  const char first = rest.front();
  if (first == '}' || first == ']') return std::nullopt;
  if (first != '{' && first != '[') {
    const std::size_t end = std::min(rest.find_first_of("{}[]"), rest.size());
    const Token token{.kind = 't', .text = rest.substr(0, end)};
    rest.remove_prefix(end);
    return token;
  }
  const std::size_t end = rest.find(first == '{' ? '}' : ']');
  if (end == std::string_view::npos) return std::nullopt;
  const Token token{.kind = first, .text = rest.substr(1, end - 1)};
  if (token.text.find(first) != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(end + 1);
  return token;
}

Placeholder placeholderOf(std::string_view text, bool optional) {
  Placeholder out{.name = text.substr(0, text.find('|')), .plurals = {}, .optional = optional};
  for (std::size_t at = text.find('|'); at != std::string_view::npos;) {
    const std::size_t end = text.find('|', at + 1);
    out.plurals.push_back(text.substr(at + 1, end == std::string_view::npos ? end : end - at - 1));
    at = end;
  }
  return out;
}

std::string quantityText(const Quantity& quantity) {
  switch (quantity.format) {
    case Format::kRatio:
      return percentText(quantity.value);
    case Format::kDuration:
      return durationText(quantity.ns);
    case Format::kShortDuration:
      return shortDurationText(quantity.ns);
    case Format::kNumber:
      break;
  }
  return quantity.decimals < 0 ? numberText(quantity.value) : fixedText(quantity.value, quantity.decimals);
}

std::string ranksText(const Ranks& ranks, const Phrases& phrases) {
  std::string text;
  for (const auto& [first, last] : ranks.ranges) {
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  if (!ranks.count) return text;
  return render(Message{"ranks_more", {{"ranks", std::move(text)}, {"count", *ranks.count}}}, phrases).value_or(std::string());
}

std::optional<std::string> argText(const Arg& arg, const Phrases& phrases) {
  return std::visit(
      [&]<class T>(const T& value) -> std::optional<std::string> {
        if constexpr (std::same_as<T, std::monostate>) {
          return std::nullopt;
        } else if constexpr (std::same_as<T, std::string>) {
          return value;
        } else if constexpr (std::same_as<T, std::int64_t>) {
          return std::to_string(value);
        } else if constexpr (std::same_as<T, Quantity>) {
          return quantityText(value);
        } else if constexpr (std::same_as<T, Ranks>) {
          return ranksText(value, phrases);
        } else if constexpr (std::same_as<T, Term>) {
          return phrases.term ? phrases.term(value.text) : value.text;
        } else if constexpr (std::same_as<T, Message>) {
          return render(value, phrases);
        } else {
          std::string text;
          for (const Arg& one : value) {
            const auto part = argText(one, phrases);
            if (!part) return std::nullopt;
            if (!text.empty()) text += phrases.sentence("list_separator");
            text += *part;
          }
          return text;
        }
      },
      arg.value);
}

std::optional<std::string> placeholderText(const Placeholder& place, const Message& message, const Phrases& phrases) {
  const Arg* arg = message.find(place.name);
  if (arg == nullptr) return std::nullopt;
  if (place.plurals.empty()) return argText(*arg, phrases);
  const auto* count = std::get_if<std::int64_t>(&arg->value);
  if (count == nullptr || place.plurals.size() > 2) return std::nullopt;
  std::string text;
  for (const char c : place.plurals[*count == 1 ? 0 : place.plurals.size() - 1])
    if (c == '#')
      text += std::to_string(*count);
    else
      text += c;
  return text;
}

// Of a template without parts, or of a part.
std::optional<std::string> filled(std::string_view text, const Message& message, const Phrases& phrases) {
  std::string out;
  while (!text.empty()) {
    const auto token = nextToken(text);
    if (!token) return std::nullopt;
    if (token->kind == 't') {
      out += token->text;
      continue;
    }
    if (token->kind == '[') {
      const auto places = placeholdersOf(token->text);
      if (!places) return std::nullopt;
      if (std::ranges::any_of(*places, [&](const Placeholder& one) { return message.find(one.name) == nullptr; })) continue;
    }
    const auto part =
        token->kind == '[' ? filled(token->text, message, phrases) : placeholderText(placeholderOf(token->text, false), message, phrases);
    if (!part) return std::nullopt;
    out += *part;
  }
  return out;
}

}  // namespace

std::optional<std::vector<Placeholder>> placeholdersOf(std::string_view text) {
  std::vector<Placeholder> out;
  while (!text.empty()) {
    const auto token = nextToken(text);
    if (!token) return std::nullopt;
    if (token->kind == '{') out.push_back(placeholderOf(token->text, false));
    if (token->kind != '[') continue;
    auto inside = placeholdersOf(token->text);
    if (!inside) return std::nullopt;
    for (Placeholder& one : *inside) {
      one.optional = true;
      out.push_back(std::move(one));
    }
  }
  return out;
}

std::optional<std::string> render(const Message& message, const Phrases& phrases) {
  const std::string text = phrases.sentence(message.id);
  return text.empty() ? std::nullopt : filled(text, message, phrases);
}

}  // namespace runglass::words
