// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the console: English is the source of every text, Simplified Chinese a translation (docs/contribute/translations.md).
//
// Threading:  setLanguage() on the GUI thread; texts on any thread.
// Errors:     a text without a translation is shown in English.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/words/message.h"
#include "model/findings.h"

namespace runglass {

enum class Language : std::uint8_t { kSystem, kEnglish, kChinese };

// "system", "en", "zh_CN": as in settings and on command lines.
std::optional<Language> languageFromName(std::string_view name);
const char* languageName(Language language);
// Label of the choice: each language named in itself.
QString languageTitle(Language language);
// For kSystem: the first of the user's languages that has a translation.
Language resolved(Language language);

// Applies to all texts created from now on; existing widgets keep theirs. English, with its plurals, is installed when an application is
// created.
void setLanguage(Language language);
Language currentLanguage();  // never kSystem

// While it lives, texts created on this thread are English: those of a report, which is one document for readers of any language.
class InEnglish {
 public:
  InEnglish();
  ~InEnglish();
  InEnglish(const InEnglish&) = delete;
  InEnglish& operator=(const InEnglish&) = delete;

 private:
  const bool m_before;
};

// The sentence of a finding in the current language; its summary where it has no message, or one of another version.
QString findingText(const Finding& finding, int max_chars = 400);
QString severityLabel(Severity severity);
// A phrase of a catalogue in model or analysis: the name of a metric, the meaning of a fault, a kind of finding.
QString termText(std::string_view english);
// The same for a text that may contain outside data.
QString phraseText(std::string_view english, int max_chars = 400);

}  // namespace runglass
