// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/incident_commands.h"

#include <QCoreApplication>

#include "widgets/incidents/incidents_view.h"

namespace runglass {

IncidentCommands::IncidentCommands(ViewContext context, DockHost& docks, Toast& toast, std::function<bool(const QString&)> show,
                                   QObject* parent)
    : QObject(parent), m_docks(docks), m_toast(toast), m_show(std::move(show)), m_maker(std::move(context), this) {
  connect(&m_maker, &IncidentMaker::made, this, [this](const QString& uuid, bool fresh, const QString& words) {
    m_show(QStringLiteral("incidents"));
    m_toast.show(words, {}, Severity::kInfo, {});
    IncidentsView* const view = shownView();
    if (view == nullptr) return;
    view->showTab(QStringLiteral("incidents"));
    if (fresh) view->nameWhenShown(uuid);
  });
  connect(&m_maker, &IncidentMaker::failed, this,
          [this](const QString& why) { m_toast.show(tr("No incident was made"), why, Severity::kWarning, {}); });
}

void IncidentCommands::addTo(Commands& commands) {
  const Commands::Text group = [] { return tr("Incident"); };
  commands.add(
      group, [] { return tr("New from the chosen finding or event"); }, {QKeySequence(Qt::Key_I)}, [this] { fromChosen(); });
  commands.add(
      group, [] { return tr("New from the selection and the shown time"); }, {QKeySequence(QStringLiteral("Shift+I"))},
      [this] { fromSelection(); });
  for (const IncidentCommand& one : incidentCommands()) {
    const bool undoes = one.id == std::string_view("undo");
    const QList<QKeySequence> keys = undoes ? QList{QKeySequence(QStringLiteral("Ctrl+Z"))} : QList<QKeySequence>();
    commands.add(
        group, [&one] { return QCoreApplication::translate("Incidents", one.words); }, keys,
        [this, undoes, id = QString::fromLatin1(one.id)] {
          // Undo only where its effect is visible.
          if (!undoes || shownView() != nullptr) run(id);
        });
  }
}

void IncidentCommands::viewShown(View* view) {
  connect(view, &View::incidentRequested, this, &IncidentCommands::fromChosen, Qt::UniqueConnection);
  if (auto* incidents = qobject_cast<IncidentsView*>(view))
    connect(incidents, &IncidentsView::newWanted, this, &IncidentCommands::fromSelection, Qt::UniqueConnection);
}

// From the view with the focus, else from any view with a selection.
void IncidentCommands::fromChosen() {
  std::optional<IncidentSeed> seed;
  if (const View* focused = m_docks.focusedView()) seed = focused->incidentSeed();
  for (const View* view : m_docks.visibleViews())
    if (!seed) seed = view->incidentSeed();
  if (seed)
    m_maker.fromSeed(*seed);
  else
    m_toast.show(tr("No finding or event is chosen"), tr("Choose one and press I, or press Shift+I: of the selection and the shown time."),
                 Severity::kInfo, {});
}

void IncidentCommands::fromSelection() { m_maker.fromSelection(); }

IncidentsView* IncidentCommands::shownView() const {
  for (View* view : m_docks.visibleViews())
    if (auto* incidents = qobject_cast<IncidentsView*>(view)) return incidents;
  return nullptr;
}

void IncidentCommands::run(const QString& command) {
  if (shownView() == nullptr) m_show(QStringLiteral("incidents"));
  IncidentsView* const view = shownView();
  if (view != nullptr && !view->runCommand(command))
    m_toast.show(tr("Nothing is chosen that this could be done to"), {}, Severity::kInfo, {});
}

}  // namespace runglass
