// SPDX-License-Identifier: Apache-2.0
#include "analysis/estimate/launch_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace runglass {
namespace {

constexpr std::size_t kMaxWords = 10'000, kMaxName = 200;

std::vector<std::string> wordsOf(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (const char c : line) {
    if (words.size() >= kMaxWords) break;
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c, open = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (open) words.push_back(std::move(word));
      word.clear(), open = false;
    } else {
      word += c, open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

std::string nameOf(std::string_view text) {
  std::string name(text.substr(0, kMaxName));
  for (char& c : name) c = c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

bool isNumber(std::string_view text) { return numberOfText(std::string(text)).has_value(); }

// "model.dim=4096", the form of Hydra and torchtitan.
bool isAssignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return std::ranges::all_of(word.substr(0, equals),
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '+'; });
}

bool isOption(std::string_view word) { return word.size() > 1 && word.front() == '-' && !isNumber(word); }

// Tokens of text and tokenizers are not secrets: "train_tokens" with a number, "tokenizer_type".
bool hides(std::string name, std::string_view value) {
  for (const std::string_view word : {"tokenizer", "tokens"}) {
    const std::size_t at = name.find(word);
    if (at != std::string::npos && (word == "tokenizer" || isNumber(value))) name.erase(at, word.size());
  }
  return looksSecret(name);
}

void put(std::map<std::string, std::string>& options, std::string name, std::string value) {
  if (name.empty() || (std::isalnum(static_cast<unsigned char>(name.front())) == 0 && name.front() != '_')) return;
  if (hides(name, value)) value = "(not shown)";
  options[std::move(name)] = std::move(value);
}

}  // namespace

std::map<std::string, std::string> optionsOf(std::string_view command_line) {
  std::map<std::string, std::string> options;
  const std::vector<std::string> words = wordsOf(command_line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (isOption(word)) {
      const std::size_t begin = std::min(word.find_first_not_of('-'), word.size());
      if (equals != std::string::npos && equals > begin) {
        put(options, nameOf(std::string_view(word).substr(begin, equals - begin)), word.substr(equals + 1));
        continue;
      }
      std::string value;  // of several words: "--data-path 0.3 a 0.7 b"
      while (i + 1 < words.size() && !isOption(words[i + 1]) && !isAssignment(words[i + 1])) {
        ++i;
        value += (value.empty() ? "" : " ") + words[i];
      }
      put(options, nameOf(std::string_view(word).substr(begin)), value.empty() ? "true" : value);
    } else if (isAssignment(word)) {
      put(options, nameOf(std::string_view(word).substr(word.front() == '+' ? 1 : 0, equals - (word.front() == '+' ? 1 : 0))),
          word.substr(equals + 1));
    }
  }
  return options;
}

std::map<std::string, std::string> optionsOf(std::span<const Fact> facts) {
  std::map<std::string, std::string> options;
  for (const Fact& fact : facts)
    if (fact.key == "argv" && (!fact.rank || *fact.rank == 0))
      for (auto& [name, value] : optionsOf(fact.value)) options[name] = value;
  for (const Fact& fact : facts)
    if (fact.key != "argv" && !fact.node && !fact.rank) put(options, nameOf(fact.key), fact.value);
  return options;
}

std::optional<double> numberOfText(std::string text) {
  std::erase(text, ',');
  std::erase(text, '_');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> optionNumber(const std::map<std::string, std::string>& options, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = options.find(std::string(name));
    if (found == options.end()) continue;
    if (const auto value = numberOfText(found->second)) return value;
  }
  return std::nullopt;
}

}  // namespace runglass
