// SPDX-License-Identifier: GPL-3.0-or-later
// The names of a store that the palette searches: runs, and of one run its findings, ranks, nodes, GPUs and curves.
//
// Threading:  readPaletteNames() on a query worker; the value is immutable afterwards.
// Errors:     the Reader's.
// Cost:       a search visits every name once: 100,000 names take a few milliseconds (bench_palette).
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "storage/reader.h"
#include "widgets/core/object.h"

namespace runglass {

struct PaletteNames {
  // `english`: its name in English, where it is translated.
  void add(Object object, const QString& english = {});

  std::vector<Object> objects;
  std::vector<QString> folded;            // the searched text of each: name, detail, English name, a line each, in lower case
  std::vector<QString> keys;              // of each, equal in every language
  std::optional<std::int64_t> last_step;  // of the run
};

// Of the run with this id, else of the newest. A store without runs still has nodes, GPUs and curves.
Result<PaletteNames> readPaletteNames(Reader& reader, RunId run, const std::stop_token& stop);

// The words of a pattern, in lower case: "GPU5" and "gpu 5" are the same.
QStringList paletteWords(const QString& pattern);
// Higher is better; absent: a word is not in the text. Whole words, prefixes of words, and words in the first line score higher.
std::optional<int> paletteScore(const QString& folded, const QStringList& words);

}  // namespace runglass
