// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The text passed to the importer nests no deeper than kMaxDepth: it recurses for each level of a quote or list. 2. When
// setNoteText() returns no format of the document is a picture or an anchor.
#include "widgets/incidents/note_text.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextFragment>
#include <vector>

#include "widgets/core/units.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr int kMaxDepth = 16, kAddressChars = 300;

// Control characters made visible line by line; line breaks and tabs stay.
QString readable(std::string_view markdown) {
  QString out;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    std::string line(markdown.substr(0, end));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    for (char& c : line)
      if (c == '\t') c = ' ';
    out += screenText(line, kMaxNoteChars);
    if (end < markdown.size()) out += u'\n';
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return out;
}

// The markers at the start of a line that open quotes and lists, cut where they nest too deep.
QString shallow(const QString& text) {
  QStringList lines = text.split(u'\n');
  for (QString& line : lines) {
    int depth = 0;
    qsizetype at = 0;
    for (; at < line.size(); ++at) {
      const QChar c = line[at];
      const bool opens = c == u'>' || ((c == u'-' || c == u'*' || c == u'+') && at + 1 < line.size() && line[at + 1] == u' ');
      if (opens && ++depth > kMaxDepth) break;
      if (!opens && c != u' ') break;
    }
    if (depth > kMaxDepth) line = line.left(at) + u'\\' + line.mid(at);
    qsizetype spaces = 0;
    while (spaces < line.size() && line[spaces] == u' ') ++spaces;
    if (spaces > 4 * kMaxDepth) line.remove(0, spaces - 4 * kMaxDepth);
  }
  return lines.join(u'\n');
}

struct Piece {
  int from = 0, length = 0;
  QTextCharFormat format;
  QString text;
};

std::vector<Piece> activePieces(const QTextDocument& document) {
  std::vector<Piece> pieces;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextFragment fragment = it.fragment();
      const QTextCharFormat format = fragment.charFormat();
      if (format.isAnchor() || format.isImageFormat()) pieces.push_back({fragment.position(), fragment.length(), format, fragment.text()});
    }
  }
  return pieces;
}

void disarm(QTextDocument& document) {
  const std::vector<Piece> pieces = activePieces(document);
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    QTextCursor cursor(&document);
    cursor.setPosition(piece->from);
    cursor.setPosition(piece->from + piece->length, QTextCursor::KeepAnchor);
    QTextCharFormat plain;
    plain.setFontWeight(piece->format.fontWeight());
    plain.setFontItalic(piece->format.fontItalic());
    if (piece->format.isImageFormat()) {
      const QTextImageFormat image = piece->format.toImageFormat();
      const QString words = image.property(QTextFormat::ImageAltText).toString();
      cursor.insertText(IncidentText::tr("[picture %1]").arg((words + u' ' + image.name()).trimmed().left(kAddressChars)), plain);
      continue;
    }
    const QString address = piece->format.anchorHref().left(kAddressChars);
    const bool says_it = address.isEmpty() || piece->text.contains(address);
    cursor.insertText(says_it ? piece->text : QStringLiteral("%1 (%2)").arg(piece->text, address), plain);
  }
}

}  // namespace

void setNoteText(QTextDocument& document, std::string_view markdown) {
  const bool cut = markdown.size() > static_cast<std::size_t>(kMaxNoteChars);
  document.setMarkdown(shallow(readable(markdown.substr(0, static_cast<std::size_t>(kMaxNoteChars)))),
                       QTextDocument::MarkdownFeatures(QTextDocument::MarkdownNoHTML) | QTextDocument::MarkdownDialectGitHub);
  disarm(document);
  if (!cut) return;
  QTextCursor end(&document);
  end.movePosition(QTextCursor::End);
  end.insertBlock();
  end.insertText(IncidentText::tr("… the rest is too long to be shown."), QTextCharFormat());
}

}  // namespace runglass
