// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/object_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <algorithm>
#include <utility>

#include "analysis/run_summary/run_summary.h"
#include "model/alert_cause.h"
#include "widgets/core/icon.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

std::optional<IncidentSeed> seedOf(const Object& object) {
  if (object.kind == ObjectKind::kFinding) return IncidentSeed{.finding = object.id};
  if (object.event != nullptr) return IncidentSeed{.event = *object.event};
  if (object.kind == ObjectKind::kRank) return IncidentSeed{.rank = object.selection.rank, .attempt = object.selection.attempt};
  return std::nullopt;
}

void copy(const QString& text) { QApplication::clipboard()->setText(text); }

}  // namespace

ObjectMenu::ObjectMenu(ViewContext context, ObjectActions actions, QWidget* window)
    : QObject(window), m_context(std::move(context)), m_actions(std::move(actions)), m_window(window) {}

void ObjectMenu::show(const Object& object, const QPoint& at) { make(object)->popup(at); }

QMenu* ObjectMenu::make(const Object& object) {
  auto* menu = new QMenu(m_window);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  menu->setTitle(object.name);
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
  const QString refused = refusal();
  const auto add = [&](const QString& words, const QString& why_not, auto done) {
    QAction* action = menu->addAction(words, this, done);
    action->setEnabled(why_not.isEmpty());
    action->setToolTip(why_not);
  };
  const auto first = [](const QString& a, const QString& b) { return a.isEmpty() ? b : a; };
  add(tr("Mark"), first(object.window ? QString() : tr("It has no time."), refused), [this, object] { mark(object); });
  const auto seed = seedOf(object);
  add(tr("Incident"), first(seed ? QString() : tr("Incidents are made of findings, events and ranks."), refused),
      [this, seed] { m_actions.incident(*seed); });
  add(tr("Mute for 2 h"), first(object.kind == ObjectKind::kFinding ? QString() : tr("Only findings can be muted here."), refused),
      [this, object] { mute(object); });
}

QString ObjectMenu::refusal() const { return m_context.edits != nullptr ? m_context.edits->refusal() : tr("This store is read-only."); }

QuerySlot& ObjectMenu::freeSlot() {
  std::erase_if(m_slots, [](const std::unique_ptr<QuerySlot>& slot) { return !slot->busy(); });
  return *m_slots.emplace_back(std::make_unique<QuerySlot>());
}

// A note where it happened, which the timeline shows as a flag.
void ObjectMenu::mark(const Object& object) {
  m_context.queries->submit<Run>(
      freeSlot(), QueryService::Supersede::kCancelOlder,
      [run = object.selection.run](Reader& reader, std::stop_token) { return chooseRun(reader, run); },
      [this, object](const Result<std::shared_ptr<const Run>>& run) {
        const auto failed = [this](const Status& status) {
          m_actions.say(tr("Not marked"), screenText(status.message()), Severity::kWarning);
        };
        if (!run.ok()) return failed(run.status());
        const TimeRange window = *object.window;
        Note note{.run_uuid = (*run)->uuid,
                  .time = object.event != nullptr && object.event->time ? object.event->time : window.t0 + (window.t1 - window.t0) / 2,
                  .author = qgetenv("USER").toStdString(),
                  .text = object.name.left(200).toStdString()};
        m_context.edits->submit(std::move(note), this, [this, failed, name = object.name](const Status& made) {
          if (!made.ok()) return failed(made);
          m_actions.say(tr("Marked in the timeline"), name, Severity::kInfo);
        });
      });
}

void ObjectMenu::mute(const Object& finding) {
  m_context.queries->submit<std::string>(
      freeSlot(), QueryService::Supersede::kCancelOlder,
      [run = finding.selection.run, id = finding.id](Reader& reader, std::stop_token) -> Result<std::string> {
        RG_ASSIGN(const std::vector<Finding> findings, reader.findings(run));
        const auto found = std::ranges::find(findings, id, &Finding::id);
        if (found == findings.end()) return Status(Code::kNotFound, "the finding is not in this store any more");
        RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
        const auto node = std::ranges::find(nodes, found->node, &Node::id);
        RG_ASSIGN(const Run of, reader.run(run));
        return causeOfFinding(*found, node == nodes.end() ? std::string() : node->name, of.uuid);
      },
      [this, name = finding.name](const Result<std::shared_ptr<const std::string>>& cause) {
        const auto failed = [this](const Status& status) {
          m_actions.say(tr("Not muted"), screenText(status.message()), Severity::kWarning);
        };
        if (!cause.ok()) return failed(cause.status());
        Snooze snooze{.rule = "", .cause = **cause, .until = m_context.clock() + kMuteFor, .author = qgetenv("USER").toStdString()};
        m_context.edits->submit(std::move(snooze), this, [this, failed, name](const Status& made) {
          if (!made.ok()) return failed(made);
          m_actions.say(tr("Muted for 2 h"), name, Severity::kInfo);
        });
      });
}

}  // namespace runglass
