// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/palette.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/core/icon.h"
#include "widgets/core/theme.h"
#include "widgets/frame/fuzzy.h"

namespace runglass {
namespace {

constexpr int kWidth = 180 * kGrid, kPaletteHeight = 120 * kGrid;
constexpr int kDetailWidth = 64 * kGrid, kKeysWidth = 32 * kGrid;
constexpr int kRecent = 6;      // bonus for earlier choices: lower than that of a whole word in the name
constexpr int kFuzzy = -1'000;  // separated letters rank after words
enum Column : int { kTitle, kDetail, kKeys };

struct KindWords {
  const char *group, *icon;
};

KindWords wordsOf(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kRun:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "Run"), "runs"};
    case ObjectKind::kRank:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "Rank"), "ranking"};
    case ObjectKind::kNode:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "Node"), "gpus"};
    case ObjectKind::kGpu:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "GPU"), "gpus"};
    case ObjectKind::kCurve:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "Curve"), "curves"};
    case ObjectKind::kSpan:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "Span"), "timeline"};
    case ObjectKind::kEvent:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "Event"), "events"};
    case ObjectKind::kFinding:
      return {QT_TRANSLATE_NOOP("runglass::Palette", "Finding"), "findings"};
  }
  return {"", ""};
}

std::optional<int> scoreOf(const PaletteEntry& entry, const QString& pattern, const QStringList& words) {
  const QString english = entry.english.section(u'\n', 1);
  const auto shown = paletteScore((entry.title + u'\n' + entry.detail).toLower(), words), source = paletteScore(english.toLower(), words);
  if (shown || source) return std::max(shown, source);
  auto letters = fuzzyScore(pattern, entry.detail + u' ' + entry.title);
  if (!letters) letters = fuzzyScore(pattern, english);
  return letters ? std::optional(kFuzzy + *letters) : std::nullopt;
}

}  // namespace

Palette::Palette(PaletteSource source, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      m_source(std::move(source)),
      m_pattern(new QLineEdit(this)),
      m_list(new QTreeWidget(this)),
      m_none(new QLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Find"));
  m_pattern->setPlaceholderText(tr("Rank, node, GPU, step, time, run, finding, curve, setting, command, help"));
  m_pattern->setAccessibleName(tr("Find"));
  m_list->setAccessibleName(tr("Matches"));
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setUniformRowHeights(true);
  m_list->setRootIsDecorated(false);
  m_list->setColumnCount(3);
  m_list->setHeaderHidden(true);
  m_list->header()->setStretchLastSection(false);
  m_list->header()->setSectionResizeMode(kTitle, QHeaderView::Stretch);
  m_list->setColumnWidth(kDetail, kDetailWidth);
  m_list->setColumnWidth(kKeys, kKeysWidth);
  m_none->setTextFormat(Qt::PlainText);
  m_none->setWordWrap(true);
  m_none->setForegroundRole(QPalette::PlaceholderText);
  m_none->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(m_pattern);
  column->addWidget(m_none);
  column->addWidget(m_list, 1);
  resize(QSize(kWidth, kPaletteHeight).boundedTo(parent->size()));
  move(parent->mapToGlobal(QPoint((parent->width() - width()) / 2, std::min(kStripHeight * 2, (parent->height() - height()) / 2))));
  m_pattern->installEventFilter(this);
  connect(m_pattern, &QLineEdit::textChanged, this, &Palette::fill);
  connect(m_pattern, &QLineEdit::returnPressed, this, &Palette::runCurrent);
  connect(m_list, &QTreeWidget::itemClicked, this, &Palette::runCurrent);
  fill();
  m_pattern->setFocus();
}

void Palette::setNames(std::shared_ptr<const PaletteNames> names) {
  m_source.names = std::move(names);
  fillAgain();
}

void Palette::setProblem(const QString& problem) {
  m_problem = problem;
  fillAgain();
}

void Palette::fillAgain() {
  const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
  const bool moved = m_moved && row >= 0;
  const QString key = moved ? m_listed[static_cast<std::size_t>(row)].first : QString();
  const QString title = moved ? m_list->currentItem()->text(kTitle) : QString();
  fill();
  m_moved = moved;
  for (int at = 0; moved && at < m_list->topLevelItemCount(); ++at)
    if (m_listed[static_cast<std::size_t>(at)].first == key && m_list->topLevelItem(at)->text(kTitle) == title)
      return m_list->setCurrentItem(m_list->topLevelItem(at));
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_pattern && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : key == Qt::Key_PageDown ? 10 : key == Qt::Key_PageUp ? -10 : 0;
    if (const int count = m_list->topLevelItemCount(); step != 0 && count > 0) {
      m_moved = true;
      const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
      m_list->setCurrentItem(m_list->topLevelItem(std::clamp(row + step, 0, count - 1)));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

// Earlier choices, the newest first, then all commands.
std::vector<Palette::Hit> Palette::recentHits() const {
  std::vector<Hit> hits;
  std::vector<bool> listed(m_source.entries.size());
  for (const QString& key : m_source.recent) {
    for (std::size_t i = 0; i < m_source.entries.size(); ++i)
      if (keyOf({.number = i}) == key) {
        hits.push_back({.number = i});
        listed[i] = true;
      }
    if (m_source.names == nullptr) continue;
    const auto& keys = m_source.names->keys;
    const auto found = std::ranges::find(keys, key.section(u'\n', 1));
    for (auto at = found; at != keys.end(); at = std::find(at + 1, keys.end(), *found)) {
      const Hit hit{.number = static_cast<std::size_t>(at - keys.begin()), .named = true};
      if (keyOf(hit) != key) continue;
      hits.push_back(hit);
      break;
    }
  }
  for (std::size_t i = 0; i < m_source.entries.size() && hits.size() < kMaxListed; ++i)
    if (!listed[i]) hits.push_back({.number = i});
  return hits;
}

std::vector<Palette::Hit> Palette::search(const QString& pattern) const {
  const QStringList words = paletteWords(pattern);
  std::vector<Hit> hits;
  const std::size_t names = m_source.names != nullptr ? m_source.names->objects.size() : 0;
  for (std::size_t i = 0; i < names; ++i)
    if (const auto score = paletteScore(m_source.names->folded[i], words)) hits.push_back({.score = *score, .number = i, .named = true});
  for (std::size_t i = 0; i < m_source.entries.size(); ++i)
    if (const auto score = scoreOf(m_source.entries[i], pattern, words)) hits.push_back({.score = *score, .number = i});
  const auto listed = hits.begin() + static_cast<std::ptrdiff_t>(std::min(hits.size(), kMaxListed));
  const auto better = [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.named != b.named ? a.named : a.number < b.number;
  };
  std::partial_sort(hits.begin(), listed, hits.end(), better);
  hits.erase(listed, hits.end());
  for (Hit& hit : hits)
    if (m_source.recent.contains(keyOf(hit))) hit.score += kRecent;
  std::ranges::sort(hits, better);
  return hits;
}

QString Palette::keyOf(const Hit& hit) const {
  if (!hit.named) return m_source.entries[hit.number].english;
  return QString::fromLatin1(wordsOf(m_source.names->objects[hit.number].kind).group) + u'\n' + m_source.names->keys[hit.number];
}

void Palette::list(const PaletteEntry& entry, const QString& key) {
  auto* item = new QTreeWidgetItem(m_list, {entry.title, entry.detail, entry.keys.isEmpty() ? entry.group : entry.keys});
  if (!entry.icon.isEmpty()) item->setIcon(kTitle, icon(entry.icon));
  item->setToolTip(kTitle, entry.title.toHtmlEscaped());
  for (const int column : {kDetail, kKeys}) item->setForeground(column, palette().brush(QPalette::PlaceholderText));
  item->setTextAlignment(kKeys, Qt::AlignRight | Qt::AlignVCenter);
  m_listed.emplace_back(key, entry.run);
}

void Palette::fill() {
  const QString pattern = m_pattern->text().trimmed();
  m_moved = false;
  m_list->clear();
  m_listed.clear();
  if (!pattern.isEmpty() && m_source.typed)
    for (const PaletteEntry& entry : m_source.typed(pattern)) list(entry, {});
  for (const Hit& hit : pattern.isEmpty() ? recentHits() : search(pattern)) {
    if (!hit.named) {
      list(m_source.entries[hit.number], keyOf(hit));
      continue;
    }
    const Object& object = m_source.names->objects[hit.number];
    const KindWords words = wordsOf(object.kind);
    list({.group = tr(words.group),
          .title = object.name,
          .detail = object.detail,
          .english = {},
          .keys = {},
          .icon = QString::fromLatin1(words.icon),
          .run = [open = m_source.open, number = hit.number, names = m_source.names] { open(names->objects[number]); }},
         keyOf(hit));
  }
  QString none = tr("No match for “%1”.").arg(pattern);
  if (!m_problem.isEmpty())
    none += u' ' + tr("The names of the store could not be read: %1").arg(m_problem);
  else if (m_source.open && m_source.names == nullptr)
    none = tr("No match for “%1” yet. The names of the store are being read.").arg(pattern);
  m_none->setText(none);
  m_none->setVisible(m_listed.empty());
  m_list->setVisible(!m_listed.empty());
  if (!m_listed.empty()) m_list->setCurrentItem(m_list->topLevelItem(0));
}

void Palette::runCurrent() {
  const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
  if (row < 0 || static_cast<std::size_t>(row) >= m_listed.size()) return;
  const auto& [key, run] = m_listed[static_cast<std::size_t>(row)];
  if (!key.isEmpty()) {
    m_source.recent.removeAll(key);
    m_source.recent.prepend(key);
    if (m_source.recent.size() > static_cast<qsizetype>(kMaxRecent)) m_source.recent.resize(kMaxRecent);
    m_source.remember(m_source.recent);
  }
  // The palette closes before the choice runs, so that the action sees the window as the user left it.
  close();
  QMetaObject::invokeMethod(parentWidget(), run, Qt::QueuedConnection);
}

}  // namespace runglass
