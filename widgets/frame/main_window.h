// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: the console's frame around the views of one store: run strip, navigation, docks, status bar, commands.
//
// Threading:  GUI thread.
// Ownership:  owns its SharedState and views; services and settings of the options outlive it.
// Units:      TimeNs.
// Errors:     shown in place; nothing opens a message box.
// Cost:       frame refresh: one summary query per text tick (5 Hz), one info query a second.
#pragma once

#include <QElapsedTimer>
#include <QList>
#include <QPointer>
#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/core/order_port.h"
#include "widgets/core/query_service.h"
#include "widgets/core/run_words.h"
#include "widgets/core/selection.h"
#include "widgets/core/tab_order.h"
#include "widgets/core/theme.h"
#include "widgets/frame/commands.h"
#include "widgets/frame/console_settings.h"
#include "widgets/frame/dock_host.h"
#include "widgets/frame/playhead.h"
#include "widgets/frame/repair_port.h"
#include "widgets/frame/run_strip.h"
#include "widgets/frame/source_words.h"
#include "widgets/frame/stale_veil.h"
#include "widgets/frame/status_line.h"
#include "widgets/frame/toast.h"
#include "widgets/welcome/welcome_page.h"

class QAction;
class QLabel;
class QMenuBar;
class QSettings;
class QStackedLayout;
class QTimer;
class QVBoxLayout;

namespace runglass {

class DamageBanner;
class EstimateDialog;
class Finder;
class IncidentCommands;
class NavButton;
class NoticeWatch;
class ObjectMenu;
class ReadMarks;
class Navigation;
class TimeBar;
class WaitingPage;

struct WindowOptions {
  QueryService* queries = nullptr;          // null: no store is open
  EditPort* edits = nullptr;                // null: nothing can be added
  RepairPort* repair = nullptr;             // null: no repaired copy can be made
  QString repaired_copy;                    // the line of a repaired copy; empty: the store itself
  SharePort* share = nullptr;               // null: nothing can be exported
  OrderPort* orders = nullptr;              // null: commands cannot be sent
  StatusSource* status = nullptr;           // may be null
  QSettings* settings = nullptr;            // null: nothing is stored
  std::function<TimeNs()> clock = wallNow;  // frozen for reproducible pictures
  // Sends a test message to every target of the alert rules and reports the result on the GUI thread; empty: this window has no hub.
  std::function<void(QObject* context, std::function<void(const QString&)> done)> test_alerts;
  std::function<std::uint64_t()> damage_notes;  // grows when a Reader of this process found damage; may be empty
  std::function<std::string()> damaged_page;    // the first one that a query met; empty: none. May be empty
  WelcomeOptions welcome;                       // for a window without a store
  bool notify = true;  // true: a toast and noticed() for each finding or alert; false: the hub of this process notifies by its rules
  std::function<void(const QString&)> forget_hub;  // an address whose store this user replicated; may be empty
};

class MainWindow : public QWidget {
  Q_OBJECT

 public:
  explicit MainWindow(const WindowOptions& options, QWidget* parent = nullptr);
  ~MainWindow() override;

  SharedState& state() { return m_state; }
  // "watch" or a registered view; false: not built.
  bool showPlace(const QString& name);
  QString place() const;  // the shown one
  // In the shown view, or as soon as it is shown; names as in ViewInfo::tabs, empty: no change.
  void showTab(const QString& tab);
  // Everything visible is drawn from answers, no query is pending.
  bool isFinal() const;
  const ConsoleSettings& settings() const { return m_settings; }
  // They apply at once, and are stored.
  void applySettings(const ConsoleSettings& chosen);
  void showSettings(const QString& field = {});
  // In the window's corner; a click calls `open`.
  void showToast(const QString& title, const QString& text, Severity severity, std::function<void()> open = {},
                 const std::vector<Toast::Action>& actions = {});
  // A toast for a notification of this cause, with its actions; `open`: its target, if its finding is not known.
  void showNotice(const QString& title, const QString& text, Severity severity, const std::string& cause, std::function<void()> open);
  const Toast& toast() const { return *m_toast; }
  const Commands& commands() const { return m_commands; }
  DockHost& docks() { return *m_docks; }
  TimeBar& timeBar() { return *m_bar; }
  // A runglass:// link to the shown place; empty while that is not known.
  QString placeLink() const;
  QString linkTo(const Object& object) const;

 signals:
  void openStoreRequested(const QString& path);
  void startPageRequested();
  // The user selected another language: widgets keep their texts, so that a new window is needed.
  void languageChosen();
  // A new finding or alert, for the desktop's notifications; `open` shows it here.
  void noticed(const QString& id, const QString& title, const QString& text, Severity severity, const std::function<void()>& open);
  void importRequested(const QStringList& paths);  // files were dropped on a window that shows a store
  void listenRequested(const ListenOptions& hub);
  void connectRequested(const HubAddress& hub);

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool focusNextPrevChild(bool next) override { return focusNextControl(*this, next); }
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void makeNavigation();
  void makeMenus();
  void showKeys();
  void explainView();
  void makeCommands();
  void makeFileCommands();
  void makeViewCommands();
  void makeGoCommands();
  void makeHelpCommands();
  void makeObjects();
  void makeNotices();
  void applyLookOf(const ConsoleSettings& chosen);
  void openObject(const Object& object, const QString& view);
  void showObjectMenu(const Object& object, const QPoint& at);
  std::optional<std::int32_t> attemptNumber(AttemptId attempt) const;
  QString linkWith(const QString& view, const Selection& selection, std::optional<TimeRange> window, std::optional<TimeNs> moment,
                   const std::string& node = {}) const;
  void askSummary();
  void askThen();
  void showStrip();
  void askInfo();
  void showSummary(const Result<std::shared_ptr<const RunSummary>>& answer);
  void onStateChanged();
  void askRankPlace();
  void onTick(Tick tick);
  void moveExtent();
  void updateNavigation();
  void updateBadges();
  void updateLiveButton();
  void updateStatus();
  void showWaiting(const SourceStatus& source);
  void noteRate(const StoreInfo& info);
  void copyFocused();

  void captureNow();
  void traceKernels();
  void estimate();
  // Of the incident with this uuid; empty: of the run on screen.
  void exportReport(const QString& incident);
  void testAlerts();
  void zoom(double factor);
  void pan(double share);
  void chooseStore();
  void chooseHub();
  TimeNs now() const;
  void noteCopy();
  void noteDamage();
  std::string damagedPage() const;
  ViewState shown() const;

  const WindowOptions m_options;
  QStringList m_forgotten_hubs;      // removed since the options were created
  std::optional<TimeNs> m_copy_end;  // of a replica that this window does not update: later data is not in it
  SharedState m_state;
  Commands m_commands;
  RunStrip* m_strip;
  TimeBar* m_bar;
  QLabel* m_banner;
  DamageBanner* m_damage;
  WelcomePage* m_welcome = nullptr;  // without a store
  DockHost* m_docks;
  StatusLine* m_status;
  Toast* m_toast;
  IncidentCommands* m_incidents = nullptr;  // null: no store is open
  QString m_tab;                            // requested of the view that is shown next
  QStackedLayout* m_stack = nullptr;
  std::optional<Object> m_revealed;  // requested of the view that is shown next
  Finder* m_finder = nullptr;
  ObjectMenu* m_objects = nullptr;  // null: no store is open
  ReadMarks* m_marks = nullptr;
  NoticeWatch* m_notices = nullptr;  // null: no store is open
  WaitingPage* m_waiting = nullptr;  // while this window listens and no data has arrived
  int m_scale_at_start = 100;
  ConsoleSettings m_settings;
  Navigation* m_navigation;
  QMenuBar* m_menus;
  QList<QAction*> m_panel_commands;  // each adds a view to the layout
  NavButton* m_live = nullptr;

  RunId m_wanted;                               // the requested run; 0: the newest
  std::shared_ptr<const RunSummary> m_summary;  // of the whole run
  std::shared_ptr<const RunSummary> m_then;     // as of m_moment
  std::optional<TimeNs> m_moment;
  std::optional<StoreInfo> m_info;
  std::optional<std::int64_t> m_samples_at_pause;
  bool m_summary_known = false;  // an answer, good or bad, has arrived
  bool m_no_run = false;         // the answer was that there is no run
  bool m_info_known = false;
  std::optional<double> m_samples_per_s;
  QTimer* m_ageing;                           // while a hub is followed: ages grow even when no data arrives
  QTimer* m_damage_watch;                     // a view may meet damage long after the store was opened
  std::uint64_t m_damage_notes = 0;           // at the time of the query of m_info
  std::optional<SourceWords> m_source_words;  // of a replica or a stored file
  QElapsedTimer m_info_age;                   // since the query
  QElapsedTimer m_rate_age;                   // since the answer
  QuerySlot m_summary_slot, m_then_slot, m_place_slot;
  Selection m_placed;                    // the selection whose machine was queried
  std::unique_ptr<Playhead> m_playhead;  // null: no store is open
  StaleVeil m_veil{this};
  QPointer<EstimateDialog> m_estimate;  // deletes itself when closed
  QuerySlot m_estimate_slot;
  QuerySlot m_info_slot;
};

}  // namespace runglass
