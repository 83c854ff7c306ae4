// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of the window: its commands with texts and keys, and the dialogs that they open.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDialog>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "model/place_link.h"
#include "widgets/frame/capture_dialog.h"
#include "widgets/frame/estimate_dialog.h"
#include "widgets/frame/finder.h"
#include "widgets/frame/guide.h"
#include "widgets/frame/incident_commands.h"
#include "widgets/frame/main_window.h"
#include "widgets/frame/navigation.h"
#include "widgets/frame/trace_dialog.h"
#include "widgets/report/report_dialog.h"
#include "widgets/welcome/hub_panel.h"

namespace runglass {
namespace {

constexpr DurNs kDefaultFollow = 600 * kNsPerSecond;
constexpr QSize kHubDialog{140 * kGrid, 100 * kGrid};

// Zooming keeps the centre; a window is never narrower than one nanosecond and never overflows int64.
TimeRange zoomed(TimeRange range, double factor) {
  const double middle = static_cast<double>(range.t0) / 2 + static_cast<double>(range.t1) / 2;
  const double half = std::max(static_cast<double>(range.t1 - range.t0) * factor / 2, 1.0);
  constexpr double kLimit = 9e18;
  return {static_cast<TimeNs>(std::clamp(middle - half, -kLimit, kLimit)), static_cast<TimeNs>(std::clamp(middle + half, -kLimit, kLimit))};
}

}  // namespace

void MainWindow::showKeys() {
  std::vector<KeyGroup> more = {{tr("Plots"),
                                 {{tr("drag"), tr("zoom into the range")},
                                  {tr("Shift+drag, middle drag"), tr("move")},
                                  {tr("Ctrl+wheel, W, S"), tr("zoom at the cursor; with Shift faster")},
                                  {tr("Shift+wheel, A, D, ← →"), tr("earlier, later")},
                                  {tr("double click, Home"), tr("show everything")},
                                  {tr("End"), tr("follow the newest data, now")},
                                  {tr("N, Shift+N"), tr("in curves: next, previous loss spike")},
                                  {tr("click on a mark"), tr("the window moves there")}}}};
  for (const ViewInfo& view : viewRegistry()) {
    if (view.keys == nullptr) continue;
    more.push_back({view.titleText(), {}});
    for (const QString& line : view.keysText().split(u'\n'))
      more.back().keys.emplace_back(line.section(u'\t', 0, 0), line.section(u'\t', 1));
  }
  (new ShortcutSheet(m_commands, more, this))->show();
}

void MainWindow::makeCommands() {
  makeFileCommands();
  makeViewCommands();
  makeGoCommands();
  if (m_incidents != nullptr) m_incidents->addTo(m_commands);
  makeHelpCommands();
}

void MainWindow::makeViewCommands() {
  const Commands::Text group = [] { return tr("View"); };
  for (const ViewInfo& view : viewRegistry()) {
    const QString id = QString::fromLatin1(view.id);
    m_panel_commands << m_commands.add(
        group, [&view] { return tr("Add %1 to this layout").arg(view.titleText()); }, {},
        [this, id] {
          if (m_options.queries != nullptr) m_docks->addView(id);
        });
  }
  m_commands.add(
      group, [] { return tr("Reset this layout"); }, {}, [this] { m_docks->resetLayout(m_docks->current()); });
  m_commands.add(
      group, [] { return tr("Float or dock the view with the focus"); }, {},
      [this] {
        const View* view = m_docks->focusedView();
        const QString id = view != nullptr ? m_docks->idOf(view) : QString();
        if (!m_docks->dockView(id)) m_docks->floatView(id);
      });
  // X11 sends a context menu event for the menu key only.
  m_commands.add(
      group, [] { return tr("Context menu"); }, {QKeySequence(QStringLiteral("Shift+F10"))},
      [] {
        QWidget* focus = QApplication::focusWidget();
        if (focus == nullptr) return;
        const QPoint at = focus->inputMethodQuery(Qt::ImCursorRectangle).toRect().center();
        QContextMenuEvent event(QContextMenuEvent::Keyboard, at, focus->mapToGlobal(at));
        QApplication::sendEvent(focus, &event);
      });
  m_commands.add(
      group, [] { return tr("Filter"); }, {QKeySequence(Qt::Key_Slash)},
      [this] {
        if (View* view = m_docks->focusedView()) view->focusFilter();
      });
  m_commands.add(
      group, [] { return tr("Collapse or expand the navigation"); }, {QKeySequence(QStringLiteral("Ctrl+B"))},
      [this] {
        ConsoleSettings chosen = m_settings;
        chosen.nav_collapsed = !chosen.nav_collapsed;
        applySettings(chosen);
      });
  m_commands.add(
      group, [] { return tr("Full screen"); }, {QKeySequence(Qt::Key_F11)}, [this] { isFullScreen() ? showNormal() : showFullScreen(); });
  m_commands.add(
      group, [] { return tr("Switch between dark and light"); }, {QKeySequence(QStringLiteral("Ctrl+Shift+T"))},
      [this] {
        ConsoleSettings chosen = m_settings;
        chosen.theme = currentTheme().name == ThemeName::kDark ? ThemeChoice::kLight : ThemeChoice::kDark;
        applySettings(chosen);
      });
  m_commands.add(
      group, [] { return tr("Pause or resume"); }, {QKeySequence(Qt::Key_Space)}, [this] { m_state.setPaused(!m_state.state().paused); });
  m_commands.add(
      group, [] { return tr("Zoom in"); }, {QKeySequence(Qt::Key_W)}, [this] { zoom(0.5); });
  m_commands.add(
      group, [] { return tr("Zoom out"); }, {QKeySequence(Qt::Key_S)}, [this] { zoom(2); });
  m_commands.add(
      group, [] { return tr("Earlier"); }, {QKeySequence(Qt::Key_A)}, [this] { pan(-0.25); });
  m_commands.add(
      group, [] { return tr("Later"); }, {QKeySequence(Qt::Key_D)}, [this] { pan(0.25); });
  m_commands.add(
      group, [] { return tr("The whole run"); }, {QKeySequence(QStringLiteral("Ctrl+Home"))}, [this] { m_state.showAll(); });
  m_commands.add(
      group, [] { return tr("Follow the newest data"); }, {QKeySequence(Qt::Key_End)},
      [this] {
        m_state.setPaused(false);
        m_state.followEnd(kDefaultFollow);
      });
  m_commands.add(
      group, [] { return tr("Switch between UTC and local time"); }, {QKeySequence(QStringLiteral("Ctrl+U"))},
      [this] {
        ConsoleSettings chosen = m_settings;
        chosen.zone = m_state.state().time_style == TimeStyle::kUtc ? TimeStyle::kLocal : TimeStyle::kUtc;
        applySettings(chosen);
      });
}

void MainWindow::makeHelpCommands() {
  const Commands::Text group = [] { return tr("Help"); };
  m_commands.add(
      group, [] { return tr("About this view"); }, {QKeySequence(QStringLiteral("Shift+F1"))}, [this] { explainView(); });
  m_commands.add(
      group, [] { return tr("Find …"); },
      {QKeySequence(QStringLiteral("Ctrl+K")), QKeySequence(QStringLiteral("Ctrl+Shift+P")), QKeySequence(Qt::Key_F1)},
      [this] { m_finder->show(); });
  m_commands.add(
      group, [] { return tr("All keys"); }, {QKeySequence(Qt::Key_Question)}, [this] { showKeys(); });
}

// A menu for each group of commands.
void MainWindow::makeMenus() {
  std::vector<std::pair<QString, QMenu*>> menus;
  auto* panels = new QMenu(tr("Add panel"), m_menus);
  panels->addActions(m_panel_commands);
  for (QAction* action : m_commands.all()) {
    const QString group = Commands::groupOf(action);
    auto menu = std::ranges::find(menus, group, &std::pair<QString, QMenu*>::first);
    if (menu == menus.end()) {
      menu = menus.insert(menus.end(), {group, m_menus->addMenu(u'&' + group)});
      if (group == tr("View")) menu->second->addMenu(panels);
    }
    if (!panels->actions().contains(action)) menu->second->addAction(action);
  }
}

void MainWindow::showSettings(const QString& field) {
  HubList hubs{.addresses = {}, .forget = {}, .add = [this] { chooseHub(); }};
  if (m_options.forget_hub) {
    hubs.forget = [this](const QString& address) {
      m_options.forget_hub(address);
      m_forgotten_hubs << address;
    };
    for (const HubAddress& hub : m_options.welcome.hubs.hubs)
      if (!m_forgotten_hubs.contains(hub.address)) hubs.addresses << hub.address;
  }
  auto* dialog = new SettingsDialog(
      m_settings, [this](const ConsoleSettings& chosen) { applySettings(chosen); }, std::move(hubs), this);
  dialog->open();
  dialog->focusField(field);
}

// The view with the focus; the layout as a whole if none has it.
void MainWindow::explainView() {
  const View* view = m_docks->focusedView();
  QString heading = m_welcome != nullptr ? QStringLiteral("The first hour") : QStringLiteral("Watch");
  if (view != nullptr) heading = QString::fromUtf8(findView(m_docks->idOf(view).toStdString())->title);
  (new GuideDialog(heading, this))->show();
}

void MainWindow::makeGoCommands() {
  const Commands::Text group = [] { return tr("Go"); };
  // Ctrl+1 to Ctrl+9, then Ctrl+0.
  int number = 0;
  for (const Navigation::Place& place : m_navigation->places()) {
    ++number;
    const QList<QKeySequence> keys =
        number <= 10 ? QList<QKeySequence>{QKeySequence(QStringLiteral("Ctrl+%1").arg(number % 10))} : QList<QKeySequence>{};
    m_commands.add(
        group, [id = place.id] { return Navigation::placeTitle(id); }, keys, [this, id = place.id] { showPlace(id); });
  }
  m_commands.add(
      group, [] { return tr("Back"); }, {QKeySequence(QStringLiteral("Alt+Left")), QKeySequence(Qt::Key_Backspace)},
      [this] { m_state.back(); });
  m_commands.add(
      group, [] { return tr("Forward"); }, {QKeySequence(QStringLiteral("Alt+Right"))}, [this] { m_state.forward(); });
  if (m_playhead == nullptr) return;
  m_commands.add(
      group, [] { return tr("Playhead: next event or finding"); }, {QKeySequence(Qt::Key_N)}, [this] { m_playhead->jump(1); });
  m_commands.add(
      group, [] { return tr("Playhead: previous event or finding"); }, {QKeySequence(QStringLiteral("Shift+N"))},
      [this] { m_playhead->jump(-1); });
  m_commands.add(
      group, [] { return tr("Playhead: next step"); }, {QKeySequence(QStringLiteral("Ctrl+Right"))}, [this] { m_playhead->step(1); });
  m_commands.add(
      group, [] { return tr("Playhead: previous step"); }, {QKeySequence(QStringLiteral("Ctrl+Left"))}, [this] { m_playhead->step(-1); });
  m_commands.add(
      group, [] { return tr("Playhead: play or stop"); }, {QKeySequence(QStringLiteral("Shift+Space"))}, [this] { m_playhead->play(); });
  m_commands.add(
      group, [] { return tr("Playhead: now"); }, {QKeySequence(QStringLiteral("Ctrl+End"))}, [this] { m_playhead->goToNow(); });
}

void MainWindow::makeFileCommands() {
  const Commands::Text group = [] { return tr("File"); };
  m_commands.add(
      group, [] { return tr("Open a store …"); }, {QKeySequence::Open}, [this] { chooseStore(); });
  m_commands.add(
      group, [] { return tr("Connect to a hub …"); }, {QKeySequence(QStringLiteral("Ctrl+Shift+O"))}, [this] { chooseHub(); });
  m_commands.add(
      group, [] { return tr("Start page"); }, {}, [this] { emit startPageRequested(); });
  if (m_options.orders != nullptr) {
    m_commands.add(
        group, [] { return tr("Capture now"); }, {}, [this] { captureNow(); });
    m_commands.add(
        group, [] { return tr("Trace kernels …"); }, {}, [this] { traceKernels(); });
  }
  m_commands.add(
      group, [] { return tr("Estimate …"); }, {}, [this] { estimate(); });
  m_commands.add(
      group, [] { return tr("Export report …"); }, {},
      [this] { exportReport(QString::fromStdString(m_state.state().selection.incident)); });
  if (m_options.test_alerts)
    m_commands.add(
        group, [] { return tr("Send a test notification"); }, {}, [this] { testAlerts(); });
  m_commands.add(
      group, [] { return tr("Copy"); }, {QKeySequence::Copy}, [this] { copyFocused(); });
  m_commands.add(
      group, [] { return tr("Copy link to this place"); }, {QKeySequence(QStringLiteral("Ctrl+Shift+C"))},
      [this] {
        if (const QString link = placeLink(); !link.isEmpty()) QApplication::clipboard()->setText(link);
      });
  m_commands.add(
      group, [] { return tr("Settings …"); }, {QKeySequence(QStringLiteral("Ctrl+,"))}, [this] { showSettings(); });
  m_commands.add(
      group, [] { return tr("Quit"); }, {QKeySequence(QStringLiteral("Ctrl+Q"))}, [this] { close(); });
}

// For the run on screen.
void MainWindow::captureNow() {
  if (m_summary == nullptr) return;
  (new CaptureDialog(*m_options.orders, QString::fromStdString(m_summary->run.name), this))->open();
}

void MainWindow::traceKernels() {
  if (m_summary == nullptr) return;
  (new TraceDialog(*m_options.orders, QString::fromStdString(m_summary->run.name), this))->open();
}

// With the numbers of the run on screen, as soon as they are read.
void MainWindow::estimate() {
  m_estimate = new EstimateDialog(this);
  m_estimate->open();
  if (m_options.queries == nullptr || m_summary == nullptr) return;
  m_options.queries->submit<EstimateInput>(
      m_estimate_slot, QueryService::Supersede::kCancelOlder,
      [summary = m_summary, now = now()](Reader& reader, std::stop_token stop) { return readEstimateInput(reader, *summary, now, stop); },
      [this](const Result<std::shared_ptr<const EstimateInput>>& answer) {
        if (m_estimate && answer.ok() && !m_estimate->touched()) m_estimate->fill(**answer);
      });
}

void MainWindow::exportReport(const QString& incident) {
  if (m_options.queries == nullptr || m_summary == nullptr) return;
  report::Question question{.incident = incident.toStdString()};
  if (incident.isEmpty()) question.run = m_summary->run.id;
  question.program = (QCoreApplication::applicationName() + u' ' + QCoreApplication::applicationVersion()).toStdString();
  question.made = now();
  (new ReportDialog(*m_options.queries, std::move(question), this))->open();
}

void MainWindow::testAlerts() {
  m_options.test_alerts(this, [this](const QString& said) { showToast(tr("Test of the alerts"), said, Severity::kInfo); });
}

void MainWindow::copyFocused() {
  const View* view = m_docks->focusedView();
  const QString text = view != nullptr ? view->copyText() : QString();
  if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

void MainWindow::chooseHub() {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Connect to a hub"));
  auto* column = new QVBoxLayout(dialog);
  column->setContentsMargins(4 * kGrid, 4 * kGrid, 4 * kGrid, 4 * kGrid);
  auto* panel = new HubPanel(m_options.welcome.hubs, dialog);
  column->addWidget(panel);
  connect(panel, &HubPanel::connectRequested, dialog, [this, dialog](const HubAddress& hub) {
    dialog->accept();
    emit connectRequested(hub);
  });
  dialog->resize(kHubDialog);
  dialog->open();
}

// Link to the shown place: the view, the window if it is fixed, the moment, rank, step and attempt.
QString MainWindow::placeLink() const {
  const ViewState& state = m_state.state();
  return linkWith(place(), state.selection, state.window.mode == WindowMode::kFixed ? std::optional(state.window.range) : std::nullopt,
                  state.moment);
}

QString MainWindow::linkTo(const Object& object) const {
  // The uuid and the attempts of other runs are not loaded.
  if (m_summary && object.selection.run && object.selection.run != m_summary->run.id) return {};
  const bool machine = object.kind == ObjectKind::kNode || object.kind == ObjectKind::kGpu;
  return linkWith(mainView(object), object.selection, object.window, m_state.state().moment, machine ? object.key : std::string());
}

std::optional<std::int32_t> MainWindow::attemptNumber(AttemptId attempt) const {
  if (m_summary)
    for (const Attempt& one : m_summary->attempts)
      if (one.id == attempt) return one.number;
  return std::nullopt;
}

QString MainWindow::linkWith(const QString& view, const Selection& selection, std::optional<TimeRange> window, std::optional<TimeNs> moment,
                             const std::string& node) const {
  if (!m_info || !m_summary) return {};
  // The links of a replica name the store that it replicates.
  const std::string& store = m_info->mirror ? m_info->mirror->source_uuid : m_info->store_uuid;
  PlaceLink link{.store_uuid = store, .run_uuid = m_summary->run.uuid, .view = view.toStdString(), .at = moment};
  if (window) link.t0 = window->t0, link.t1 = window->t1;
  const auto select = [&link](const char* key, std::int64_t value) {
    link.select += (link.select.empty() ? "" : ",") + std::string(key) + "=" + std::to_string(value);
  };
  if (selection.rank) select("rank", *selection.rank);
  if (selection.step) select("step", *selection.step);
  if (const auto attempt = attemptNumber(selection.attempt)) select("attempt", *attempt);
  if (!node.empty()) link.select += (link.select.empty() ? "node=" : ",node=") + node;
  return QString::fromStdString(linkText(link));
}

void MainWindow::zoom(double factor) {
  const TimeRange range = m_state.state().window.range;
  if (range.t0 < range.t1) m_state.setWindow(zoomed(range, factor), SharedState::Undo::kMerge);
}

void MainWindow::pan(double share) {
  const TimeRange range = m_state.state().window.range;
  const auto shift = static_cast<DurNs>(static_cast<double>(range.t1 - range.t0) * share);
  if (range.t0 < range.t1) m_state.setWindow({range.t0 + shift, range.t1 + shift}, SharedState::Undo::kMerge);
}

}  // namespace runglass
