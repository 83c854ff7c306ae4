// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Hidden views get neither state nor ticks; viewShown brings them up to date. 2. While paused no view is refreshed and the
// window is frozen; only the counters of the strip and the status bar change. 3. Nothing here waits for the store.
#include "widgets/frame/main_window.h"
#include "widgets/core/accessible_picture.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStackedLayout>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/run_summary/open_finding.h"
#include "widgets/core/finding_card.h"
#include "widgets/core/icon.h"
#include "widgets/core/language.h"
#include "widgets/core/popup_focus.h"
#include "widgets/frame/damage_banner.h"
#include "widgets/frame/estimate_dialog.h"
#include "widgets/frame/finder.h"
#include "widgets/frame/guide.h"
#include "widgets/frame/incident_commands.h"
#include "widgets/frame/navigation.h"
#include "widgets/frame/notice_watch.h"
#include "widgets/frame/object_menu.h"
#include "widgets/frame/time_bar.h"
#include "widgets/frame/waiting_page.h"
#include "widgets/frame/window_place.h"

namespace runglass {
namespace {

constexpr int kInfoPeriodMs = 1'000, kAgeingMs = 200;
constexpr std::int64_t kPixelsAcross = 1'500;
constexpr QSize kFirstSize{1'600, 900};
constexpr QSize kMinSize{640, 400};  // a screen of 1280 x 800 at a scale of 200 %
const QString kGeometryKey = QStringLiteral("geometry");

ViewContext contextOf(const WindowOptions& options, SharedState& state, std::function<TimeNs()> clock) {
  return {.queries = options.queries, .state = &state, .clock = std::move(clock), .edits = options.edits, .share = options.share};
}

// From the run's start to its end; a run that is reporting now extends to the clock, so that a following window moves evenly.
std::optional<TimeRange> extentOf(const RunSummary& summary, TimeNs now) {
  std::optional<TimeNs> begin = summary.first_data, end = summary.last_data;
  const bool live = summary.run.state == RunState::kRunning && stateWord(summary, now).severity == Severity::kInfo;
  if (live && end && summary.run.time_domain == TimeDomain::kUtc) end = std::max(*end, now);
  if (summary.run.start) begin = std::min(begin.value_or(*summary.run.start), *summary.run.start);
  if (summary.run.end) end = std::max(end.value_or(*summary.run.end), *summary.run.end);
  if (!begin || !end || *begin >= *end) return std::nullopt;
  return TimeRange{*begin, *end + 1};
}

}  // namespace

MainWindow::MainWindow(const WindowOptions& options, QWidget* parent)
    : QWidget(parent),
      m_options(options),
      m_commands(this),
      m_strip(new RunStrip(this)),
      m_bar(new TimeBar(this)),
      m_banner(new QLabel(this)),
      m_damage(new DamageBanner(options.repair, options.repaired_copy, this)),
      m_docks(new DockHost(contextOf(options, m_state, [this] { return now(); }), viewRegistry(), options.settings, this)),
      m_status(new StatusLine(this)),
      m_toast(new Toast(this)),
      m_settings(options.settings != nullptr ? readSettings(*options.settings) : ConsoleSettings{}),
      m_navigation(new Navigation(this)),
      m_menus(new QMenuBar(this)),
      m_ageing(new QTimer(this)),
      m_damage_watch(new QTimer(this)) {
  installAccessiblePictures();
  installPopupFocus();
  setWindowTitle(QStringLiteral("Runglass"));
  setAcceptDrops(true);
  m_banner->setTextFormat(Qt::PlainText);
  m_banner->setWordWrap(true);
  m_banner->setContentsMargins(3 * kGrid, kGrid, 3 * kGrid, kGrid);
  m_banner->hide();

  auto* work = new QWidget(this);
  m_stack = new QStackedLayout(work);
  m_stack->addWidget(m_docks);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(0);
  middle->addWidget(m_navigation);
  middle->addWidget(work, 1);
  auto* column = new QVBoxLayout(this);
  column->setSizeConstraint(QLayout::SetNoConstraint);  // a screenshot has the requested size, whatever the views' size hints
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->setMenuBar(m_menus);
  column->addWidget(m_strip);
  column->addWidget(m_bar);
  column->addWidget(m_banner);
  column->addWidget(m_damage);
  column->addLayout(middle, 1);
  column->addWidget(m_status);

  m_bar->hide();
  if (m_options.queries != nullptr)
    m_playhead = std::make_unique<Playhead>(
        *m_options.queries, m_state, [this] { return now(); }, *m_bar, nullptr);
  if (m_options.queries != nullptr)
    m_incidents = new IncidentCommands(
        contextOf(m_options, m_state, [this] { return now(); }), *m_docks, *m_toast,
        [this](const QString& name) { return showPlace(name); }, this);
  m_scale_at_start = scaleOfProgram();
  // The program may have been started with another theme or language than the stored one.
  if (themeOf(m_settings.theme) != currentTheme().name)
    m_settings.theme = currentTheme().name == ThemeName::kDark ? ThemeChoice::kDark : ThemeChoice::kLight;
  if (resolved(m_settings.language) != currentLanguage()) m_settings.language = currentLanguage();
  applyLookOf(m_settings);
  makeNavigation();
  makeCommands();
  makeObjects();
  makeNotices();
  makeMenus();
  m_state.setTimeStyle(m_settings.zone);
  connect(m_ageing, &QTimer::timeout, this, &MainWindow::updateStatus);
  connect(m_damage_watch, &QTimer::timeout, this, [this] {
    noteDamage();
    if (const std::uint64_t notes = m_options.damage_notes(); std::exchange(m_damage_notes, notes) != notes) askInfo();
  });
  connect(&m_state, &SharedState::changed, this, &MainWindow::onStateChanged);
  connect(m_strip, &RunStrip::viewRequested, this, &MainWindow::showPlace);
  connect(m_docks, &DockHost::currentChanged, this, &MainWindow::updateNavigation);
  connect(m_docks, &DockHost::viewShown, this, [this](View* view) {
    connect(view, &View::viewRequested, this, &MainWindow::showPlace, Qt::UniqueConnection);
    connect(view, &View::menuRequested, this, &MainWindow::showObjectMenu, Qt::UniqueConnection);
    connect(view, &View::reportRequested, this, &MainWindow::exportReport, Qt::UniqueConnection);
    if (m_incidents != nullptr) m_incidents->viewShown(view);
    if (auto* alerts = qobject_cast<AlertsView*>(view)) alerts->setReadMarks(m_marks);
    if (!m_tab.isEmpty() && view->showTab(m_tab)) m_tab.clear();
    if (m_options.orders != nullptr)
      for (FindingCard* card : view->findChildren<FindingCard*>()) card->offerCapture([this] { captureNow(); });
    view->applyState(shown());
    if (m_revealed) view->reveal(*std::exchange(m_revealed, std::nullopt));
    if (m_docks->visibleViews().size() == 1) view->setFocus();  // so that keys reach a view from the start
  });
  // The console's hotkeys work in that window too.
  connect(m_docks, &DockHost::windowOpened, this, [this](QWidget* window) {
    for (QAction* command : m_commands.all()) window->addAction(command);
  });
  if (m_options.queries != nullptr) {
    m_stack->setCurrentWidget(m_docks);
    m_strip->setMessage(tr("Reading the store …"));
    connect(m_options.queries, &QueryService::picturesDue, this, [this] { onTick(Tick::kPictures); });
    connect(m_options.queries, &QueryService::textDue, this, [this] { onTick(Tick::kText); });
    askSummary();
    askInfo();
    m_notices->look();
    if (m_options.damage_notes) m_damage_watch->start(kInfoPeriodMs);
  } else {
    m_strip->setMessage(tr("No store is open."));
    m_welcome = new WelcomePage(m_options.welcome, this);
    m_stack->addWidget(m_welcome);
    m_stack->setCurrentWidget(m_welcome);
    m_welcome->setFocusPolicy(Qt::StrongFocus);
    m_welcome->setFocus();  // else the navigation, which is still disabled, has it
    connect(m_welcome, &WelcomePage::openRequested, this, &MainWindow::openStoreRequested);
    connect(m_welcome, &WelcomePage::chooseRequested, this, &MainWindow::chooseStore);
    connect(m_welcome, &WelcomePage::listenRequested, this, &MainWindow::listenRequested);
    connect(m_welcome, &WelcomePage::connectRequested, this, &MainWindow::connectRequested);
  }
  setMinimumSize(kMinSize);
  resize(kFirstSize.boundedTo(screen()->availableSize() - kFrameRoom));
  if (m_options.settings != nullptr) restorePlace(*this, m_options.settings->value(kGeometryKey).toByteArray());
  updateNavigation();
  updateLiveButton();
  updateStatus();
}

MainWindow::~MainWindow() {
  m_docks->disconnect(this);
  delete m_docks;  // before m_state, which the views reference
}

bool MainWindow::showPlace(const QString& name) {
  if (m_options.queries == nullptr) return false;                // views need a store
  if (m_waiting != nullptr) m_stack->setCurrentWidget(m_docks);  // the user's choice
  const ViewInfo* view = findView(name.toStdString());
  return view != nullptr ? m_docks->showSingle(QString::fromLatin1(view->id)) : m_docks->showLayout(name);
}

void MainWindow::makeObjects() {
  const ViewContext context = contextOf(m_options, m_state, [this] { return now(); });
  const auto help = [this](const QString& heading) { (new GuideDialog(heading, this))->show(); };
  m_finder = new Finder(context, m_commands, m_options.settings,
                        {.open = [this](const Object& object) { openObject(object, mainView(object)); },
                         .settings = [this](const QString& field) { showSettings(field); },
                         .help = help,
                         .say = [this](const QString& why) { showToast(why, {}, Severity::kInfo); }},
                        this);
  if (m_options.queries == nullptr) return;
  m_objects =
      new ObjectMenu(context,
                     {.open = [this](const Object& object, const QString& view) { openObject(object, view); },
                      .link = [this](const Object& object) { return linkTo(object); },
                      .sql = [this](const Object& object) { return sqlOf(object, attemptNumber(object.selection.attempt)); },
                      .incident = [this](const IncidentSeed& seed) { m_incidents->fromSeed(seed); },
                      .help = help,
                      .say = [this](const QString& title, const QString& text, Severity severity) { showToast(title, text, severity); }},
                     this);
}

// The bell: its badge, toasts and the desktop's notifications.
void MainWindow::makeNotices() {
  if (m_options.queries == nullptr) return;
  m_marks = new ReadMarks(m_options.settings, this);
  m_notices = new NoticeWatch(contextOf(m_options, m_state, [this] { return now(); }), m_marks, this);
  connect(m_notices, &NoticeWatch::unreadChanged, this,
          [this](int count, Severity worst) { m_navigation->setBadge(QStringLiteral("alerts"), count, worst, tr("unread")); });
  connect(m_notices, &NoticeWatch::arrived, this, [this](const AlertRow& row) {
    if (!m_options.notify) return;
    const Object object = objectOf(row);
    const QString title = tr("%1: %2").arg(severityLabel(row.alert.severity), row.sentence(300));
    const auto open = [this, object, key = row.key()] {
      m_marks->markRead(key);
      openObject(object, mainView(object));
    };
    showNotice(title, {}, row.alert.severity, row.alert.cause, open);
    emit noticed(row.key(), title, {}, row.alert.severity, open);
  });
}

void MainWindow::showNotice(const QString& title, const QString& text, Severity severity, const std::string& cause,
                            std::function<void()> open) {
  if (m_settings.sound && severity >= Severity::kWarning) QApplication::beep();
  const AlertRow* row = m_notices != nullptr ? m_notices->ofCause(cause) : nullptr;
  if (row == nullptr || row->finding == nullptr) return showToast(title, text, severity, open, {{tr("Open"), open}});
  auto* card = new FindingCard(contextOf(m_options, m_state, [this] { return now(); }), m_toast);
  connect(card, &FindingCard::viewRequested, this, [this, key = row->key()](const QString& view) {
    m_toast->hide();
    m_marks->markRead(key);
    showPlace(view);
  });
  connect(card, &FindingCard::incidentRequested, this, [this, id = row->finding->id] {
    m_toast->hide();
    m_incidents->fromSeed({.finding = id});
  });
  if (m_options.orders != nullptr) card->offerCapture([this] { captureNow(); });
  card->setFinding(*row->finding);
  m_toast->showCard(card, title, severity, std::move(open));
}

// Views omit from an object's selection the parts that follow from their being about one run.
void MainWindow::showObjectMenu(const Object& object, const QPoint& at) {
  Object whole = object;
  if (!whole.selection.run && m_summary) whole.selection.run = m_summary->run.id;
  m_objects->show(whole, at);
}

// Selects the object in every view and shows its details in this one.
void MainWindow::openObject(const Object& object, const QString& view) {
  m_state.goTo(object.selection, object.window);
  m_revealed = object;
  showPlace(view);
  if (!m_revealed) return;  // the view has been shown
  for (View* one : m_docks->visibleViews())
    if (m_docks->idOf(one) == view) one->reveal(object);
  m_revealed.reset();
}

void MainWindow::showTab(const QString& tab) {
  m_tab = tab;
  for (View* view : m_docks->visibleViews())
    if (!m_tab.isEmpty() && view->showTab(m_tab)) m_tab.clear();
}

void MainWindow::noteDamage() {
  if (const std::string why = damagedPage(); !why.empty()) m_damage->note(screenText(why, 600));
}

std::string MainWindow::damagedPage() const { return m_options.damaged_page ? m_options.damaged_page() : std::string(); }

bool MainWindow::isFinal() const {
  if (m_damage->isHidden() && !damagedPage().empty()) return false;
  if (m_welcome != nullptr) return m_welcome->isFinal();
  if (m_waiting != nullptr && m_stack->currentWidget() == m_waiting) return true;
  if (!m_summary_known || m_summary_slot.busy() || m_info_slot.busy() || m_place_slot.busy() || !m_info_known) return false;
  if (m_moment != m_state.state().moment || m_then_slot.busy() || !m_playhead->isFinal() || m_veil.dims()) return false;
  const std::vector<View*> views = m_docks->visibleViews();
  return (!views.empty() || m_docks->allClosed()) && std::ranges::all_of(views, [](const View* view) { return view->isFinal(); });
}

void MainWindow::applySettings(const ConsoleSettings& chosen) {
  applyLookOf(chosen);
  if (chosen.zone != m_settings.zone) m_state.setTimeStyle(chosen.zone);
  const ConsoleSettings before = std::exchange(m_settings, chosen);
  m_navigation->setCollapsed(chosen.nav_collapsed);
  if (m_options.settings != nullptr) writeSettings(*m_options.settings, before, chosen);
  if (resolved(chosen.language) != resolved(before.language)) emit languageChosen();
}

void MainWindow::applyLookOf(const ConsoleSettings& chosen) {
  const Look look = lookOf(chosen, m_scale_at_start);
  if (themeOf(chosen.theme) != currentTheme().name || look != currentLook()) applyLook(*qApp, themeOf(chosen.theme), look);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  m_docks->closeWindows();
  if (m_options.settings != nullptr) m_options.settings->setValue(kGeometryKey, saveGeometry());
  QWidget::closeEvent(event);
}

void MainWindow::makeNavigation() {
  m_navigation->setPlacesEnabled(m_options.queries != nullptr);
  m_navigation->setCollapsed(m_settings.nav_collapsed);
  connect(m_navigation, &Navigation::placeRequested, this, [this](const QString& id) {
    showPlace(id);
    updateNavigation();
  });
  connect(m_navigation, &Navigation::collapsedChanged, this, [this](bool collapsed) {
    ConsoleSettings chosen = m_settings;
    chosen.nav_collapsed = collapsed;
    applySettings(chosen);
  });
  m_live = m_navigation->addButton(tr("Live"), QStringLiteral("live"), tr("Pause the views while data keeps arriving, or resume (Space)"));
  m_live->setCheckable(true);
  connect(m_live, &QPushButton::clicked, this, [this] {
    m_state.setPaused(!m_state.state().paused);
    updateLiveButton();
  });
  connect(m_navigation->addButton(tr("Settings"), QStringLiteral("settings"), tr("Theme, size, time zone, first view (Ctrl+,)")),
          &QPushButton::clicked, this, [this] { showSettings(); });
}

void MainWindow::showToast(const QString& title, const QString& text, Severity severity, std::function<void()> open,
                           const std::vector<Toast::Action>& actions) {
  m_toast->show(title, text, severity, std::move(open), actions);
}

void MainWindow::askSummary() {
  const RunId wanted = m_state.state().selection.run;
  const bool another = wanted != m_wanted;
  m_wanted = wanted;
  m_options.queries->submit<RunSummary>(
      m_summary_slot, another ? QueryService::Supersede::kCancelOlder : QueryService::Supersede::kAfterCurrent,
      [wanted](Reader& reader, std::stop_token stop) -> Result<RunSummary> {
        RG_ASSIGN(const Run run, chooseRun(reader, wanted));
        return readRunSummary(reader, run, std::move(stop));
      },
      [this](const auto& answer) { showSummary(answer); });
}

void MainWindow::askInfo() {
  m_info_age.start();
  m_options.queries->submit<StoreInfo>(
      m_info_slot, QueryService::Supersede::kAfterCurrent, [](Reader& reader, std::stop_token) { return reader.info(); },
      [this](const Result<std::shared_ptr<const StoreInfo>>& answer) {
        m_info_known = true;
        if (!answer.ok()) return;  // the strip's summary shows the reason
        noteRate(**answer);
        m_info = **answer;
        m_marks->setStore(QString::fromStdString(m_info->store_uuid), now());
        if (m_state.state().paused && !m_samples_at_pause) m_samples_at_pause = m_info->sample_count;
        noteCopy();
        showStrip();
        updateLiveButton();
        updateStatus();
      });
}

// A replica without new data is not a silent run, nor is a file that no process writes: their time stops at their last update.
void MainWindow::noteCopy() {
  const SourceStatus source = m_options.status != nullptr ? m_options.status->status() : SourceStatus();
  const bool known = m_copy_end.has_value();
  m_copy_end.reset();
  if (!source.followed && m_info->mirror && m_info->mirror->complete)
    m_copy_end = *m_info->mirror->complete + kLate;
  else if (source.stored && m_info->last)
    m_copy_end = *m_info->last + kLate;
  if (known || !m_copy_end) return;
  for (const Tick tick : {Tick::kPictures, Tick::kText}) onTick(tick);
}

void MainWindow::noteRate(const StoreInfo& info) {
  const double seconds = static_cast<double>(m_rate_age.isValid() ? m_rate_age.nsecsElapsed() : 0) / 1e9;
  m_rate_age.start();
  if (m_info && seconds > 0) m_samples_per_s = static_cast<double>(info.sample_count - m_info->sample_count) / seconds;
}

void MainWindow::showSummary(const Result<std::shared_ptr<const RunSummary>>& answer) {
  m_summary_known = true;
  m_no_run = answer.status().code() == Code::kNotFound;
  if (!answer.ok()) {
    if (m_no_run && m_ageing->isActive()) return showStrip();
    m_strip->setMessage(m_no_run ? tr("No run in this store yet.") : screenText(answer.status().message()));
    return;
  }
  const bool another = m_summary && m_summary->run.id != (*answer)->run.id;
  m_summary = *answer;
  updateBadges();
  updateLiveButton();
  moveExtent();
  m_playhead->setRun(*m_summary);
  // The playhead is kept when another run is shown, unless its moment is before that run's start.
  const auto extent = m_state.extent();
  if (another && m_state.state().moment && extent && *m_state.state().moment < extent->t0) m_playhead->goToNow();
  updateStatus();
  showStrip();
}

// The run as of the playhead.
void MainWindow::askThen() {
  const std::optional<TimeNs> moment = m_state.state().moment;
  if (!moment) {
    m_then_slot.cancel();
    m_then.reset();
    m_moment.reset();
    return showStrip();
  }
  m_options.queries->submitAt<RunSummary>(
      m_then_slot, moment, m_moment == moment ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder,
      [run = shown().selection.run](const MomentReaders& readers, std::stop_token stop) -> Result<RunSummary> {
        RG_ASSIGN(const Run then, chooseRun(readers.then, run));
        return readRunSummary(readers.then, then, std::move(stop));
      },
      [this, moment](const Result<std::shared_ptr<const RunSummary>>& answer) {
        m_moment = moment;
        m_then = answer.ok() ? *answer : nullptr;
        if (answer.ok()) return showStrip();
        m_strip->setMessage(answer.status().code() == Code::kNotFound ? tr("The run had not begun.")
                                                                      : screenText(answer.status().message()));
      });
}

void MainWindow::showStrip() {
  const ViewState& state = m_state.state();
  m_strip->setPast(state.moment.has_value());
  const std::span<const Issue> damage = m_info ? std::span<const Issue>(m_info->damage) : std::span<const Issue>();
  if (state.moment && m_then)
    m_strip->setItems(withDamage(stripItems(*m_then, *m_moment, state.time_style), damage));
  else if (!state.moment && m_summary && m_source_words)
    // How long ago a run ended is a matter of today, also in a copy.
    m_strip->setItems(withDamage(
        followedItems(stripItems(*m_summary, m_summary->run.state == RunState::kRunning ? now() : m_options.clock(), state.time_style),
                      *m_source_words),
        damage));
  else if (!state.moment && m_summary)
    m_strip->setItems(withDamage(stripItems(*m_summary, now(), state.time_style), damage));
  else if (!state.moment && m_no_run && m_ageing->isActive())
    m_strip->setMessage(tr("No run has come yet: %1").arg(m_source_words->text));
}

// The state passed to the views: at a past moment "the newest run" is still the one on screen, not the newest of that moment.
ViewState MainWindow::shown() const {
  ViewState state = m_state.state();
  if (state.moment && !state.selection.run && m_summary) state.selection.run = m_summary->run.id;
  return state;
}

void MainWindow::onStateChanged() {
  const ViewState& state = m_state.state();
  if (!state.paused) m_samples_at_pause.reset();
  if (state.paused && !m_samples_at_pause && m_info) m_samples_at_pause = m_info->sample_count;
  updateLiveButton();
  if (m_options.queries == nullptr) return;
  if (state.selection.run != m_wanted) askSummary();
  if (m_moment != state.moment) {
    askThen();
    m_veil.watch(m_docks->visibleViews());
  }
  showStrip();
  askRankPlace();
  m_playhead->applyState();
  for (View* view : m_docks->visibleViews()) view->applyState(shown());
}

// A rank was selected in a view that has no machine for it, or a GPU in one that has no ranks: adds the other for the other views.
void MainWindow::askRankPlace() {
  const Selection chosen = m_state.state().selection;
  const bool placed = chosen.rank.has_value() == bool{chosen.device};
  if (std::exchange(m_placed, placed ? Selection{} : chosen) == chosen || placed) return;
  m_options.queries->submit<Selection>(
      m_place_slot, QueryService::Supersede::kCancelOlder,
      [chosen](Reader& reader, std::stop_token) -> Result<Selection> {
        Selection placed = chosen;
        RG_ASSIGN(const Run run, chooseRun(reader, chosen.run));
        RG_ASSIGN(const auto attempts, reader.attempts(run.id));
        AttemptId attempt = chosen.attempt;
        if (!attempt && !attempts.empty()) attempt = attempts.back().id;
        RG_ASSIGN(const auto ranks, reader.ranks(attempt));
        const auto rank =
            chosen.rank ? std::ranges::find(ranks, *chosen.rank, &Rank::rank) : std::ranges::find(ranks, chosen.device, &Rank::device);
        if (rank == ranks.end()) return placed;
        placed.rank = rank->rank;
        if (!placed.node) placed.node = rank->node;
        if (placed.node == rank->node) placed.device = rank->device;
        return placed;
      },
      [this, chosen](const Result<std::shared_ptr<const Selection>>& answer) {
        if (answer.ok() && m_state.state().selection == chosen) m_state.complete(**answer);
      });
}

void MainWindow::onTick(Tick tick) {
  if (tick == Tick::kText) {
    if (!isMinimized()) askSummary();
    m_notices->look();
    if (!isMinimized() && m_state.state().moment) askThen();
    m_playhead->refresh();
    if (m_info_age.elapsed() >= kInfoPeriodMs) askInfo();
    updateStatus();
  }
  if (m_state.state().paused || isMinimized()) return;
  if (tick == Tick::kPictures) moveExtent();
  for (View* view : m_docks->visibleViews()) view->refresh(tick);
}

void MainWindow::moveExtent() {
  if (!m_summary) return;
  const std::optional<TimeRange> extent = extentOf(*m_summary, now()), shown = m_state.extent();
  const TimeRange window = m_state.state().window.range;
  // Every move makes all views query again: a window that would move by less than a pixel stays.
  if (extent && shown && extent->t0 == shown->t0 && extent->t1 > shown->t1 &&
      extent->t1 - shown->t1 < (window.t1 - window.t0) / kPixelsAcross)
    return;
  m_state.setExtent(extent);
}

void MainWindow::updateStatus() {
  SourceStatus source;
  if (m_options.status != nullptr) source = m_options.status->status();
  m_banner->setVisible(source.problem.has_value());
  if (source.problem) m_banner->setText(severityGlyph(Severity::kWarning) + u' ' + *source.problem);
  showWaiting(source);
  const bool copy = m_info && m_info->mirror;
  if (source.followed)
    m_source_words = sourceWords(*source.followed);
  else if (copy)
    m_source_words = copyWords(*m_info->mirror, source.written, wallNow(), m_state.state().time_style);
  else if (source.stored && m_copy_end && m_summary && m_summary->run.time_domain == TimeDomain::kUtc)
    m_source_words = storedWords(*m_info->last, m_options.clock(), m_state.state().time_style);
  else
    m_source_words.reset();
  const bool ages = source.followed || (copy && source.written);
  if (ages != m_ageing->isActive()) ages ? m_ageing->start(kAgeingMs) : m_ageing->stop();
  if (m_source_words) showStrip();
  StatusFacts facts{source, m_info, m_samples_per_s, 0, 0, m_state.state().time_style, m_source_words};
  if (m_options.queries != nullptr) {
    facts.query_time = m_options.queries->lastQueryTime();
    facts.pending = m_options.queries->pending();
  }
  m_status->setItems(statusItems(facts));
}

// Replaces empty views until data has arrived.
void MainWindow::showWaiting(const SourceStatus& source) {
  const bool waits = !source.listens.isEmpty() && m_no_run && m_info && m_info->sample_count == 0 && source.received == 0;
  if (!waits) {
    if (m_waiting == nullptr) return;
    m_stack->setCurrentWidget(m_docks);
    std::exchange(m_waiting, nullptr)->deleteLater();  // its timer may have called this
    return;
  }
  if (m_waiting == nullptr) {
    m_waiting = new WaitingPage(this);
    m_stack->addWidget(m_waiting);
    m_stack->setCurrentWidget(m_waiting);
    auto* timer = new QTimer(m_waiting);  // an agent that has sent nothing changes no store
    connect(timer, &QTimer::timeout, this, &MainWindow::updateStatus);
    timer->start(kAgeingMs);
  }
  m_waiting->setState(source);
}

void MainWindow::updateNavigation() { m_navigation->setCurrent(place()); }

QString MainWindow::place() const {
  QString current = m_docks->current();
  if (current.startsWith(QStringLiteral("single:"))) current.remove(0, 7);
  return current;
}

// Open findings: a badge at their navigation entry, and in the title, visible while the window is minimized.
void MainWindow::updateBadges() {
  const OpenCount open = openCount(m_summary->open_findings);
  m_navigation->setBadge(QStringLiteral("findings"), open.count, open.worst, tr("open of warning severity or above"));
  const QString name = screenText(m_summary->run.name, 80);
  setWindowTitle(open.count > 0 ? QStringLiteral("(%1) %2 – Runglass").arg(formatCount(open.count), name)
                                : QStringLiteral("%1 – Runglass").arg(name));
}

// Only a run that still receives data can be paused.
void MainWindow::updateLiveButton() {
  const bool paused = m_state.state().paused;
  const bool stored = m_options.status != nullptr && m_options.status->status().stored;
  const bool live = m_summary && m_summary->run.state == RunState::kRunning && !stored;
  m_live->setVisible(paused || live);
  m_live->setChecked(paused);
  m_live->setIcon(icon(paused ? QStringLiteral("pause") : QStringLiteral("live")));
  const std::int64_t fresh = paused && m_info && m_samples_at_pause ? m_info->sample_count - *m_samples_at_pause : 0;
  if (!paused)
    m_live->setLabel(tr("Live"));
  else
    m_live->setLabel(fresh > 0 ? tr("Paused · %1 new").arg(formatShortCount(static_cast<double>(fresh))) : tr("Paused"));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const DroppedFiles files = droppedFiles(*event->mimeData());
  if (!files.store.isEmpty() || !files.others.isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const DroppedFiles files = droppedFiles(*event->mimeData());
  if (files.others.isEmpty()) return emit openStoreRequested(files.store);
  if (m_welcome != nullptr) return m_welcome->offerImport(files.others);
  emit importRequested(files.others);
}

void MainWindow::chooseStore() {
  auto* dialog = new QFileDialog(this, tr("Open a store"), {}, tr("Runglass stores (*.rgl);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openStoreRequested);
  dialog->open();
}

TimeNs MainWindow::now() const { return std::min(m_options.clock(), m_copy_end.value_or(std::numeric_limits<TimeNs>::max())); }

}  // namespace runglass
