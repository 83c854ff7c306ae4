// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of answers in the console's language.
//
// Threading:  any thread.
#pragma once

#include <QString>

#include "analysis/words/sentence.h"

namespace runglass {

QString sentenceText(const words::Sentence& sentence, int max_chars = 400);

}  // namespace runglass
