// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/fuzzy.h"

#include <algorithm>
#include <vector>

namespace runglass {
namespace {
constexpr int kHit = 1, kWordStart = 8, kNeighbour = 5, kImpossible = -1'000'000;
}

std::optional<int> fuzzyScore(const QString& pattern, const QString& text) {
  QString letters;
  for (const QChar c : pattern)
    if (!c.isSpace()) letters += c.toLower();
  if (letters.isEmpty()) return 0;
  if (text.isEmpty()) return std::nullopt;
  const auto n = static_cast<std::size_t>(text.size());
  // best[j]: best score of the letters so far with the last one matched exactly at text[j].
  std::vector<int> best(n, kImpossible);
  for (qsizetype i = 0; i < letters.size(); ++i) {
    std::vector<int> next(n, kImpossible);
    int before = i == 0 ? 0 : kImpossible;  // best score that ends left of j-1
    for (std::size_t j = 0; j < n; ++j) {
      if (i > 0 && j >= 2) before = std::max(before, best[j - 2]);
      const int joined = i > 0 && j >= 1 ? best[j - 1] + kNeighbour : kImpossible;
      const QChar c = text[static_cast<qsizetype>(j)];
      if (c.toLower() != letters[i]) continue;
      const bool start = j == 0 || !text[static_cast<qsizetype>(j) - 1].isLetterOrNumber();
      const int base = std::max(before, joined);
      if (base > kImpossible / 2) next[j] = base + kHit + (start ? kWordStart : 0);
    }
    best = std::move(next);
  }
  const int score = *std::max_element(best.begin(), best.end());
  return score > kImpossible / 2 ? std::optional<int>(score) : std::nullopt;
}

}  // namespace runglass
