// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/object_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <algorithm>
#include <utility>

#include "analysis/run_summary/run_summary.h"
#include "widgets/core/icon.h"
#include "widgets/core/object_edits.h"
#include "widgets/core/theme.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

constexpr int kNameWidth = 80 * kGrid;

constexpr qsizetype kMaxMark = 200;

void copy(const QString& text) { QApplication::clipboard()->setText(text); }

struct Marked {
  Run run;
  std::string text;
};

// The text of a mark: in English, like all stored text, whatever the language of the console.
Result<std::string> markText(const Object& object, Reader& reader) {
  QString text =
      object.kind == ObjectKind::kRank && object.selection.rank ? QStringLiteral("Rank %1").arg(*object.selection.rank) : object.name;
  if (object.kind == ObjectKind::kFinding) {
    RG_ASSIGN(const std::vector<Finding> findings, reader.findings(std::nullopt));
    const auto found = std::ranges::find(findings, object.id, &Finding::id);
    if (found != findings.end()) text = screenText(found->summary, kMaxMark);
  }
  return text.left(kMaxMark).toStdString();
}

}  // namespace

ObjectMenu::ObjectMenu(ViewContext context, ObjectActions actions, QWidget* window)
    : QObject(window), m_context(std::move(context)), m_actions(std::move(actions)), m_window(window) {}

void ObjectMenu::show(const Object& object, const QPoint& at) { make(object)->popup(at); }

QMenu* ObjectMenu::make(const Object& object) {
  auto* menu = new QMenu(m_window);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  menu->setTitle(object.name);
  // A menu opened by keyboard has no pointer that shows its object.
  menu->addAction(menu->fontMetrics().elidedText(object.name, Qt::ElideMiddle, kNameWidth).replace(u'&', QStringLiteral("&&")))
      ->setEnabled(false);
  addOpen(menu, object);
  menu->addSeparator();
  addCopies(menu, object);
  menu->addSeparator();
  addEdits(menu, object);
  menu->addSeparator();
  const ViewInfo* main = findView(mainView(object).toStdString());
  menu->addAction(tr("Help"), this, [help = m_actions.help, heading = QString::fromUtf8(main->title)] { help(heading); });
  return menu;
}

void ObjectMenu::addOpen(QMenu* menu, const Object& object) {
  QMenu* open = menu->addMenu(tr("Open in"));
  for (const QString& id : viewsOf(object))
    if (const ViewInfo* view = findView(id.toStdString()))
      open->addAction(icon(id), view->titleText(), this, [this, object, id] { m_actions.open(object, id); });
}

void ObjectMenu::addCopies(QMenu* menu, const Object& object) {
  menu->addAction(icon(QStringLiteral("copy")), tr("Copy value"), this,
                  [value = object.value.isEmpty() ? object.name : object.value] { copy(value); });
  const QString link = m_actions.link(object);
  menu->addAction(tr("Copy link"), this, [link] { copy(link); })->setEnabled(!link.isEmpty());
  menu->addAction(tr("Copy SQL"), this, [sql = m_actions.sql(object)] { copy(sql); });
}

void ObjectMenu::addEdits(QMenu* menu, const Object& object) {
  for (const OfferedEdit& offer : editsOf(object, m_context.edits)) {
    QAction* action = menu->addAction(offer.words, this, [this, object, edit = offer.edit] {
      if (edit == ObjectEdit::kMark) mark(object);
      if (edit == ObjectEdit::kIncident) m_actions.incident(*seedOf(object));
      if (edit == ObjectEdit::kMute) mute(object);
    });
    action->setEnabled(offer.refusal.isEmpty());
    action->setToolTip(offer.refusal);
  }
}

QuerySlot& ObjectMenu::freeSlot() {
  std::erase_if(m_slots, [](const std::unique_ptr<QuerySlot>& slot) { return !slot->busy(); });
  return *m_slots.emplace_back(std::make_unique<QuerySlot>());
}

// A note at the object's time, shown as a flag in the timeline.
void ObjectMenu::mark(const Object& object) {
  m_context.queries->submit<Marked>(
      freeSlot(), QueryService::Supersede::kCancelOlder,
      [object](Reader& reader, std::stop_token) -> Result<Marked> {
        RG_ASSIGN(Run run, chooseRun(reader, object.selection.run));
        RG_ASSIGN(std::string text, markText(object, reader));
        return Marked{std::move(run), std::move(text)};
      },
      [this, object](const Result<std::shared_ptr<const Marked>>& marked) {
        const auto failed = [this](const Status& status) {
          m_actions.say(tr("Not marked"), screenText(status.message()), Severity::kWarning);
        };
        if (!marked.ok()) return failed(marked.status());
        const TimeRange window = *object.window;
        Note note{.run_uuid = (*marked)->run.uuid,
                  .time = object.event != nullptr && object.event->time ? object.event->time : window.t0 + (window.t1 - window.t0) / 2,
                  .author = qgetenv("USER").toStdString(),
                  .text = (*marked)->text};
        m_context.edits->submit(std::move(note), this, [this, failed, name = object.name](const Status& made) {
          if (!made.ok()) return failed(made);
          m_actions.say(tr("Marked in the timeline"), name, Severity::kInfo);
        });
      });
}

void ObjectMenu::mute(const Object& finding) {
  muteFinding(m_context, freeSlot(), finding, this, [this, name = finding.name](const Status& made) {
    if (!made.ok()) return m_actions.say(tr("Not muted"), screenText(made.message()), Severity::kWarning);
    m_actions.say(tr("Muted for 2 h"), name, Severity::kInfo);
  });
}

}  // namespace runglass
