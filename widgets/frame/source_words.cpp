// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/source_words.h"

#include <QCoreApplication>

namespace runglass {
namespace {

constexpr DurNs kInTenths = 10 * kNsPerSecond;

struct SourceText {
  Q_DECLARE_TR_FUNCTIONS(SourceText)
};

// formatAge() with tenths for ages so short that tenths show whether replication keeps up.
QString shortAge(DurNs age) {
  if (age >= kInTenths) return formatAge(age);
  return formatScaled(static_cast<double>(std::max<DurNs>(age, 0)), {1e-9, 1, "s"}) + QChar(kThinSpace) + u's';
}

QString dataAge(const std::optional<DurNs>& age) {
  return age ? SourceText::tr("data %1 old").arg(shortAge(*age)) : SourceText::tr("nothing is here yet");
}

QString standing(const FollowedSource& source) {
  if (!source.age) return SourceText::tr("copying, %1 so far").arg(formatBytes(static_cast<double>(source.bytes)));
  return SourceText::tr("%1 behind").arg(shortAge(*source.age));
}

}  // namespace

SourceWords sourceWords(const FollowedSource& source) {
  SourceWords words;
  if (source.refused)
    words.short_text = SourceText::tr("refused · %1").arg(dataAge(source.age));
  else if (source.connected)
    words.short_text = standing(source);
  else if (source.silent)
    words.short_text = SourceText::tr("line cut %1 ago · %2, trying again").arg(shortAge(*source.silent), dataAge(source.age));
  else
    words.short_text = SourceText::tr("no connection yet · %1, trying").arg(dataAge(source.age));
  words.text = SourceText::tr("hub %1 · %2").arg(source.hub, words.short_text);
  const bool late = source.age && *source.age > kLate;
  // Before the first data an open connection is copying, and a closed one is not late yet until kLate has passed.
  const bool gone = !source.connected && source.silent.value_or(source.since_start) > kLate;
  if (source.refused || late || gone) words.severity = Severity::kWarning;
  words.tip = SourceText::tr("This window replicates the hub's store. Lag by the hub's clock since the replica was last complete.");
  if (!source.connected)
    words.tip += u'\n' + SourceText::tr(
                             "Single samples over time, spans and captures stay at the hub: they are shown again when the line stands. "
                             "Until then curves over "
                             "time are drawn from summaries of every 64 samples.");
  if (!source.why.isEmpty()) words.tip += u'\n' + source.why;
  return words;
}

SourceWords copyWords(const StoreInfo::Mirror& mirror, bool written, TimeNs now, TimeStyle style) {
  SourceWords words;
  const QString hub = screenText(mirror.from, 120);
  if (!mirror.complete)
    words.short_text = SourceText::tr("not complete yet");
  else if (written)
    words.short_text = SourceText::tr("%1 behind").arg(shortAge(now - *mirror.complete));
  else
    words.short_text = SourceText::tr("as of %1, %2 ago").arg(formatTime(*mirror.complete, style), formatAge(now - *mirror.complete));
  words.text = SourceText::tr("copy of hub %1 · %2").arg(hub, words.short_text);
  // A replica that no process updates is old, not late.
  if (written && mirror.complete && now - *mirror.complete > kLate) words.severity = Severity::kWarning;
  words.tip = written ? SourceText::tr("Another process copies the hub's store into this file; this window reads along.")
                      : SourceText::tr("A replica of the hub's store as of then. runglass --connect %1 continues it.").arg(hub);
  return words;
}

SourceWords storedWords(TimeNs last, TimeNs now, TimeStyle style) {
  SourceWords words;
  words.short_text = SourceText::tr("as of %1, %2 ago").arg(formatTime(last, style), formatAge(now - last));
  words.text = SourceText::tr("stored file · %1").arg(words.short_text);
  words.tip = SourceText::tr("No process writes this store: all ages and shares are those of its newest data.");
  return words;
}

std::vector<StripItem> followedItems(std::vector<StripItem> items, const SourceWords& words) {
  if (!items.empty()) items.back() = {SourceText::tr("data"), words.short_text, words.text + u'\n' + words.tip, words.severity};
  // A narrow window drops items from the end.
  if (words.severity > Severity::kInfo && !items.empty()) {
    StripItem first = std::move(items.back());
    items.pop_back();
    first.caption.clear();
    items.insert(items.begin(), std::move(first));
  }
  return items;
}

}  // namespace runglass
