// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "analysis/words/render.h"
#include "analysis/words/sentences.h"
#include "model/events.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/units.h"

// Outside of any namespace, as Qt requires; a static library's resources are not registered by themselves.
static void initTranslations() { Q_INIT_RESOURCE(translations); }

namespace runglass {
namespace {

constexpr std::array<const char*, 3> kNames = {"system", "en", "zh_CN"};
// Contexts of resources/translations/translations.py.
constexpr const char *kSentences = "findings", *kTerms = "terms";

// Also read by the workers of views.
std::atomic<Language>* current() {
  static std::atomic<Language> language = Language::kEnglish;
  return &language;
}

// Per thread, see InEnglish.
bool* inEnglish() {
  thread_local bool english = false;
  return &english;
}

bool isChinese() { return currentLanguage() == Language::kChinese && !*inEnglish(); }

// For languages other than English.
class Translator : public QTranslator {
 public:
  using QTranslator::QTranslator;
  QString translate(const char* context, const char* text, const char* comment, int n) const override {
    return *inEnglish() ? QString() : QTranslator::translate(context, text, comment, n);
  }
};

template <class T>
void install(const QString& file, const QString& folder) {
  auto* translator = new T(QCoreApplication::instance());
  if (translator->load(file, folder))
    QCoreApplication::installTranslator(translator);
  else
    delete translator;
}

// English plurals are a translation too.
void installEnglish() { setLanguage(Language::kEnglish); }
Q_COREAPP_STARTUP_FUNCTION(installEnglish)

words::Phrases phrases() {
  return {.sentence = [](std::string_view id) -> std::string {
            const std::string english(words::templateOf(id));
            return english.empty() ? english
                                   : QCoreApplication::translate(kSentences, english.c_str(), std::string(id).c_str()).toStdString();
          },
          .term = [](std::string_view english) { return termText(english).toStdString(); }};
}

}  // namespace

std::optional<Language> languageFromName(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Language>(std::distance(kNames.begin(), found));
}

const char* languageName(Language language) { return kNames[static_cast<std::size_t>(language)]; }

QString languageTitle(Language language) {
  switch (language) {
    case Language::kEnglish:
      return QStringLiteral("English");
    case Language::kChinese:
      return QStringLiteral("简体中文");
    case Language::kSystem:
      break;
  }
  return QCoreApplication::translate("Language", "System");
}

Language resolved(Language language) {
  if (language != Language::kSystem) return language;
  for (const QString& name : QLocale::system().uiLanguages()) {
    const QLocale locale(name);
    if (locale.language() == QLocale::English) return Language::kEnglish;
    if (locale.language() == QLocale::Chinese && locale.script() == QLocale::SimplifiedHanScript) return Language::kChinese;
  }
  return Language::kEnglish;
}

void setLanguage(Language language) {
  initTranslations();
  *current() = resolved(language);
  for (QTranslator* translator : QCoreApplication::instance()->findChildren<QTranslator*>(Qt::FindDirectChildrenOnly)) {
    QCoreApplication::removeTranslator(translator);  // waits for workers that translate; ~QTranslator would only after ~Translator
    delete translator;
  }
  const QString ours = QStringLiteral(":/translations");
  install<QTranslator>(QStringLiteral("runglass_en"), ours);
  if (currentLanguage() == Language::kEnglish) return;
  // The translator installed last is queried first. Texts of Qt's own dialogs come from Qt's package.
  const QString name = QLatin1String(languageName(currentLanguage()));
  install<Translator>(QStringLiteral("qtbase_") + name, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
  install<Translator>(QStringLiteral("runglass_") + name, ours);
}

Language currentLanguage() { return *current(); }

InEnglish::InEnglish() : m_before(std::exchange(*inEnglish(), true)) {}
InEnglish::~InEnglish() { *inEnglish() = m_before; }

QString findingText(const Finding& finding, int max_chars) {
  const std::string& english = finding.summary.empty() ? finding.kind : finding.summary;
  if (!isChinese()) return screenText(english, max_chars);
  const auto message = words::parse(finding.message);
  const auto text = message ? words::render(*message, phrases()) : std::nullopt;
  return screenText(text.value_or(english), max_chars);
}

QString sentenceText(const words::Sentence& sentence, int max_chars) {
  const auto text = isChinese() ? words::render(sentence.message, phrases()) : std::nullopt;
  return screenText(text.value_or(sentence.english), max_chars);
}

QString severityLabel(Severity severity) { return termText(severityName(severity)); }

QString termText(std::string_view english) { return QCoreApplication::translate(kTerms, std::string(english).c_str()); }

QString phraseText(std::string_view english, int max_chars) { return screenText(termText(english).toStdString(), max_chars); }

}  // namespace runglass
