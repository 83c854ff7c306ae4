// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/shell_word.h"

#include <QRegularExpression>

namespace runglass {

QString shellWord(const QString& text) {
  static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:,@%+=-]+$"));
  QString kept;
  for (const QChar c : text)
    if (c.isPrint()) kept += c;
  // A word that starts with a dash would be an option.
  if (plain.match(kept).hasMatch() && !kept.startsWith(u'-')) return kept;
  return u'\'' + QString(kept).replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

}  // namespace runglass
