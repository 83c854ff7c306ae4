// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/monkey.h"

#include <execinfo.h>
#include <unistd.h>

#include <QAction>
#include <QApplication>
#include <QDesktopServices>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QTest>
#include <QThread>
#include <QToolButton>
#include <QWheelEvent>
#include <QWindow>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "tests/widgets/sound_window.h"

namespace runglass::test {
namespace {

constexpr std::size_t kKept = 20;  // events listed on a failure
constexpr int kPictureEach = 8;    // events between two checks of the pixels
constexpr int kPatience = 12;      // events before a dialog is closed
constexpr int kSettleMs = 300;
constexpr unsigned kStuckSeconds = 60;
constexpr QSize kSmallest{1'280, 800}, kLargest{2'560, 1'440};

// Messages of Qt that are not a defect of the console.
constexpr std::array kExpected = {
    "This plugin does not support ",  // the offscreen platform, about itself
};

Monkey* g_monkey = nullptr;
std::array<char, 8'192> g_last{};  // printed on a crash

[[noreturn]] void onCrash(int signal) {
  const auto put = [](const char* text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); };
  put(signal == SIGALRM ? "\nmonkey: an event never ended; " : "\nmonkey: crashed; ");
  put(g_last.data());
  std::array<void*, 64> frames{};
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), static_cast<int>(frames.size())), STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  ::raise(signal == SIGALRM ? SIGABRT : signal);
  ::_exit(1);
}

QString nameOf(const QWidget* widget) {
  QString words = widget->objectName();
  if (words.isEmpty()) words = widget->accessibleName();
  if (words.isEmpty()) words = widget->property("text").toString();
  if (words.isEmpty()) words = widget->windowTitle();
  return QString::fromLatin1(widget->metaObject()->className()).section(u':', -1) + u' ' + words.simplified().left(40);
}

// The menu of a button or of a field, for which Qt runs its own event loop and checks whether the widget still exists.
bool isOfButton(const QWidget* over) {
  const QWidgetList all = QApplication::allWidgets();
  return over != nullptr && (over->objectName() == QLatin1String("qt_edit_menu") || std::ranges::any_of(all, [over](const QWidget* widget) {
                               const auto* tool = qobject_cast<const QToolButton*>(widget);
                               const auto* button = qobject_cast<const QPushButton*>(widget);
                               return (tool != nullptr && tool->menu() == over) || (button != nullptr && button->menu() == over);
                             }));
}

QString pathOf(const QWidget* widget) {
  QStringList names;
  for (; widget != nullptr; widget = widget->parentWidget()) names << nameOf(widget).trimmed();
  return names.join(QStringLiteral(" in "));
}

// All pixels equal the first one.
bool uniform(const QImage& picture) {
  const auto* first = reinterpret_cast<const QRgb*>(picture.constScanLine(0));
  const std::vector<QRgb> row(static_cast<std::size_t>(picture.width()), first[0]);
  for (int y = 0; y < picture.height(); ++y)
    if (std::memcmp(picture.constScanLine(y), row.data(), row.size() * sizeof(QRgb)) != 0) return false;
  return true;
}

}  // namespace

struct Monkey::Kind {
  const char* name;
  int weight;
  void (*act)(Monkey&);
};

const std::vector<Monkey::Kind>& Monkey::kinds() {
  static const std::vector<Kind> all = {
      {"click", 24, [](Monkey& m) { m.click(Qt::LeftButton, false); }},
      {"double click", 6, [](Monkey& m) { m.click(Qt::LeftButton, true); }},
      {"right click", 4, [](Monkey& m) { m.click(Qt::RightButton, false); }},
      {"drag", 8, [](Monkey& m) { m.drag(); }},
      {"wheel", 8, [](Monkey& m) { m.wheel(); }},
      {"key", 8, [](Monkey& m) { m.key(); }},
      {"tab", 8, [](Monkey& m) { m.tab(); }},
      {"shortcut", 16, [](Monkey& m) { m.shortcut(); }},
      {"command", 6, [](Monkey& m) { m.command(); }},
      {"panel", 6, [](Monkey& m) { m.panel(); }},
      {"resize", 3, [](Monkey& m) { m.resize(); }},
      {"restart", 1, [](Monkey& m) { m.restart(); }},
  };
  return all;
}

Monkey::Monkey(Options options) : m_options(std::move(options)), m_random(m_options.seed) {
  g_monkey = this;
  m_before = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) { g_monkey->message(type, text); });
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGALRM}) std::signal(signal, onCrash);
  // A nested event loop runs timers, so that it is detected and left.
  QObject::connect(&m_watch, &QTimer::timeout, [this] { lookForNestedLoop(); });
  m_watch.start(5);
}

Monkey::~Monkey() {
  ::alarm(0);
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGALRM}) std::signal(signal, SIG_DFL);
  qInstallMessageHandler(m_before);
}

bool Monkey::run(int events, TimeNs time) {
  const TimeNs begun = monotonicNow();
  for (int i = 0; i < events && m_failure.isEmpty() && monotonicNow() - begun < time; ++i) act();
  ::alarm(0);
  return m_failure.isEmpty();
}

void Monkey::act() {
  ::alarm(kStuckSeconds);
  int total = 0;
  for (const Kind& kind : kinds()) total += kind.weight;
  int choice = any(total);
  const auto kind = std::ranges::find_if(kinds(), [&](const Kind& one) { return (choice -= one.weight) < 0; });
  ++m_number;
  ++m_totals.events[QString::fromLatin1(kind->name)];
  m_now.clear();
  kind->act(*this);
  if (m_now.isEmpty()) note(QString::fromLatin1(kind->name));
  any(3) == 0 ? pump() : settle();
  if (!m_options.window().isVisible()) {
    note(QStringLiteral("the window was closed: start again"));
    timed(m_options.restart);
    settle();
  }
  leaveDialogs();
  if (const QString wrong = problem(); !wrong.isEmpty()) fail(wrong);
}

void Monkey::note(const QString& words) {
  m_now = QStringLiteral("%1: %2").arg(m_number).arg(words);
  m_last.push_back(m_now);
  if (m_last.size() > kKept) m_last.pop_front();
  const QByteArray text =
      ("seed " + QString::number(m_options.seed) + ", last events:\n" + QStringList(m_last.begin(), m_last.end()).join(u'\n') + u'\n')
          .toUtf8();
  const auto length = std::min<std::size_t>(g_last.size() - 1, static_cast<std::size_t>(text.size()));
  std::memcpy(g_last.data(), text.constData(), length);
  g_last[length] = 0;
}

void Monkey::fail(const QString& why) {
  if (m_failure.isEmpty()) m_failure = why + u'\n' + QString::fromUtf8(g_last.data());
}

void Monkey::timed(const std::function<void()>& work) {
  const TimeNs begun = monotonicNow();
  work();
  const TimeNs took = monotonicNow() - begun;
  if (took > m_totals.longest) m_totals.longest = took, m_totals.longest_event = m_now;
  if (took > m_options.limit) fail(QStringLiteral("%1 ms on the GUI thread").arg(took / 1'000'000));
}

void Monkey::pump() {
  timed([] { QCoreApplication::processEvents(); });
}

// Waits until the answers are on screen, so that the seed determines the next choice; a live store has no such moment.
void Monkey::settle() {
  QElapsedTimer age;
  age.start();
  do {
    pump();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QTest::qSleep(2);
  } while (age.elapsed() < kSettleMs && !m_options.window().isFinal());
  pump();
}

QWidget* Monkey::anyWindow() {
  if (QWidget* popup = QApplication::activePopupWidget(); popup != nullptr && any(8) > 0) return popup;
  if (QWidget* modal = QApplication::activeModalWidget(); modal != nullptr && any(8) > 0) return modal;
  std::vector<QWidget*> shown;
  for (QWidget* window : QApplication::topLevelWidgets())
    if (window->isVisible() && window->windowType() != Qt::ToolTip && window->windowHandle() != nullptr) shown.push_back(window);
  // Their order depends on a hash.
  std::ranges::sort(shown, {}, [](const QWidget* window) { return nameOf(window); });
  MainWindow& main = m_options.window();
  return shown.empty() || any(2) == 0 ? &main : shown[static_cast<std::size_t>(any(static_cast<int>(shown.size())))];
}

bool Monkey::aim(QWindow*& window, QPoint& at) {
  QWidget* top = anyWindow();
  if (!top->isVisible() || top->windowHandle() == nullptr) return false;
  std::vector<QWidget*> targets = {top};
  for (QWidget* widget : top->findChildren<QWidget*>())
    if (widget->window() == top && !seenOf(widget).isEmpty()) targets.push_back(widget);
  QWidget* widget = targets[static_cast<std::size_t>(any(static_cast<int>(targets.size())))];
  const QRect seen = seenOf(widget);
  if (seen.isEmpty()) return false;
  const QPoint inside = seen.topLeft() + QPoint(any(seen.width()), any(seen.height()));
  window = top->windowHandle();
  at = widget->mapTo(top, inside);
  m_now = QStringLiteral("%1 at %2,%3 in %4").arg(nameOf(widget)).arg(at.x()).arg(at.y()).arg(nameOf(top));
  return top->rect().contains(at);
}

void Monkey::click(Qt::MouseButton button, bool twice) {
  static constexpr std::array<Qt::KeyboardModifier, 6> kModifiers = {Qt::NoModifier, Qt::NoModifier,    Qt::NoModifier,
                                                                     Qt::NoModifier, Qt::ShiftModifier, Qt::ControlModifier};
  QPointer<QWindow> window;
  QWindow* aimed = nullptr;
  QPoint at;
  if (!aim(aimed, at)) return;
  window = aimed;
  const Qt::KeyboardModifier modifier = kModifiers[static_cast<std::size_t>(any(static_cast<int>(kModifiers.size())))];
  note((twice ? QStringLiteral("double click ") : QStringLiteral("click ")) + QString::number(button) + u' ' + m_now);
  timed([&] { QTest::mouseMove(window, at); });
  if (window) timed([&] { QTest::mousePress(window, button, modifier, at); });
  if (window) timed([&] { QTest::mouseRelease(window, button, modifier, at); });
  if (window && twice) timed([&] { QTest::mouseDClick(window, button, modifier, at); });
}

void Monkey::drag() {
  QWindow* aimed = nullptr;
  QPoint at;
  if (!aim(aimed, at)) return;
  const QPointer<QWindow> window = aimed;
  note(QStringLiteral("drag from ") + m_now);
  const Qt::MouseButton button = any(4) == 0 ? Qt::MiddleButton : Qt::LeftButton;
  const Qt::KeyboardModifier modifier = any(4) == 0 ? Qt::ShiftModifier : any(4) == 0 ? Qt::AltModifier : Qt::NoModifier;
  timed([&] { QTest::mousePress(window, button, modifier, at); });
  QPoint to = at;
  for (int moves = 1 + any(5); moves > 0 && window; --moves) {
    to = QPoint(any(std::max(window->width(), 1)), any(4) == 0 ? any(std::max(window->height(), 1)) : at.y());
    if (!QRect(QPoint(), window->size()).contains(to)) continue;
    timed([&] { QTest::mouseMove(window, to); });
  }
  if (window && !QRect(QPoint(), window->size()).contains(to)) to = {};
  if (window) timed([&] { QTest::mouseRelease(window, button, modifier, to); });
}

void Monkey::wheel() {
  QWindow* window = nullptr;
  QPoint at;
  if (!aim(window, at)) return;
  static constexpr std::array<Qt::KeyboardModifier, 4> kModifiers = {Qt::NoModifier, Qt::ControlModifier, Qt::ControlModifier,
                                                                     Qt::ShiftModifier};
  const Qt::KeyboardModifier modifier = kModifiers[static_cast<std::size_t>(any(4))];
  const int turns = (any(2) == 0 ? 120 : -120) * (1 + any(4));
  note(QStringLiteral("wheel %1 %2 ").arg(turns).arg(modifier) + m_now);
  QWheelEvent event(at, window->mapToGlobal(at), {}, {0, turns}, Qt::NoButton, modifier, Qt::NoScrollPhase, false);
  timed([&] { QCoreApplication::sendEvent(window, &event); });
}

void Monkey::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  const QWidget* window = QApplication::activePopupWidget();
  if (window == nullptr) window = QApplication::activeWindow();
  if (window == nullptr) window = &m_options.window();
  if (!window->isVisible()) return;
  // QTest::keyClick runs the event loop between the keys of a combination, and sends the next one to a window that is destroyed meanwhile.
  const QPointer<QWindow> to = window->windowHandle();
  const auto send = [&](bool down, Qt::Key code, Qt::KeyboardModifiers held, const QString& text) {
    if (to) timed([&] { QTest::simulateEvent(to.data(), down, code, held, text, false); });
  };
  static constexpr std::array kHeld = {std::pair{Qt::ShiftModifier, Qt::Key_Shift}, std::pair{Qt::ControlModifier, Qt::Key_Control},
                                       std::pair{Qt::AltModifier, Qt::Key_Alt}};
  Qt::KeyboardModifiers held;
  for (const auto& [modifier, code] : kHeld)
    if (modifiers.testFlag(modifier)) send(true, code, held, {}), held.setFlag(modifier);
  const char ascii = QTest::keyToAscii(key);
  const QString text = ascii != 0 ? QString(QChar::fromLatin1(ascii)) : QString();
  send(true, key, modifiers, text);
  send(false, key, modifiers, text);
  for (auto one = kHeld.rbegin(); one != kHeld.rend(); ++one)
    if (modifiers.testFlag(one->first)) send(false, one->second, held, {}), held.setFlag(one->first, false);
}

void Monkey::key() {
  static constexpr std::array kKeys = {
      Qt::Key_Escape, Qt::Key_Escape, Qt::Key_Return, Qt::Key_Up,          Qt::Key_Down,        Qt::Key_Left, Qt::Key_Right,
      Qt::Key_Home,   Qt::Key_End,    Qt::Key_PageUp, Qt::Key_PageDown,    Qt::Key_Delete,      Qt::Key_Menu, Qt::Key_1,
      Qt::Key_5,      Qt::Key_9,      Qt::Key_L,      Qt::Key_F,           Qt::Key_M,           Qt::Key_Q,    Qt::Key_G,
      Qt::Key_P,      Qt::Key_Comma,  Qt::Key_Period, Qt::Key_BracketLeft, Qt::Key_BracketRight};
  const Qt::Key chosen = kKeys[static_cast<std::size_t>(any(static_cast<int>(kKeys.size())))];
  const Qt::KeyboardModifiers modifiers = any(5) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
  note(QStringLiteral("key ") + QKeySequence(QKeyCombination(modifiers, chosen)).toString());
  press(chosen, modifiers);
}

void Monkey::tab() {
  const bool back = any(3) == 0;
  note(back ? QStringLiteral("Shift+Tab") : QStringLiteral("Tab"));
  const bool in_popup = QApplication::activePopupWidget() != nullptr;
  QWidget* window = QApplication::activeWindow();
  const QWidget* had = QApplication::focusWidget();
  const QImage before = in_popup || window == nullptr ? QImage() : window->grab().toImage();
  back ? press(Qt::Key_Backtab, Qt::ShiftModifier) : press(Qt::Key_Tab);
  const QWidget* focus = QApplication::focusWidget();
  if (before.isNull() || QApplication::activeWindow() != window || focus == nullptr) return;
  // Without a window manager the focus stays in a popup that has closed.
  if (focus->window()->windowType() == Qt::Popup && !focus->window()->isVisible()) return;
  if (seenOf(focus).isEmpty())
    m_focus = QStringLiteral("after Tab the focus is on %1, which cannot be seen").arg(pathOf(focus));
  else if (focus != had && focus->window() == window && !showsFocus(focus, before, window->grab().toImage()))
    m_focus = QStringLiteral("after Tab the focus is on %1, which does not show it").arg(pathOf(focus));
}

void Monkey::shortcut() {
  std::vector<const QAction*> with_keys;
  for (const QAction* action : m_options.window().commands().all())
    if (!action->shortcut().isEmpty() && action->shortcut() != QKeySequence(QStringLiteral("Ctrl+Q"))) with_keys.push_back(action);
  const QAction* action = with_keys[static_cast<std::size_t>(any(static_cast<int>(with_keys.size())))];
  const QKeyCombination keys = action->shortcut()[0];
  note(QStringLiteral("%1 (%2)").arg(action->shortcut().toString(), action->text()));
  press(keys.key(), keys.keyboardModifiers());
}

// Runs a command, as from the palette or a menu.
void Monkey::command() {
  if (QApplication::activeModalWidget() != nullptr || QApplication::activePopupWidget() != nullptr) return;
  const std::vector<QAction*>& all = m_options.window().commands().all();
  QAction* action = all[static_cast<std::size_t>(any(static_cast<int>(all.size())))];
  if (!action->isEnabled() || action->shortcut() == QKeySequence(QStringLiteral("Ctrl+Q"))) return;
  note(QStringLiteral("command ") + action->text());
  timed([&] { action->trigger(); });
}

// Clicks a button in a panel's title: it floats, docks or closes.
void Monkey::panel() {
  std::vector<QToolButton*> buttons;
  for (const QWidget* window : QApplication::topLevelWidgets())
    for (QToolButton* button : window->findChildren<QToolButton*>())
      if (button->isVisible() && dynamic_cast<PanelTitle*>(button->parentWidget()) != nullptr) buttons.push_back(button);
  if (buttons.empty() || QApplication::activeModalWidget() != nullptr) return;
  std::ranges::sort(buttons, {}, [](const QToolButton* button) { return nameOf(button); });
  QToolButton* button = buttons[static_cast<std::size_t>(any(static_cast<int>(buttons.size())))];
  note(nameOf(button));
  QTest::mouseClick(button->window()->windowHandle(), Qt::LeftButton, {}, button->mapTo(button->window(), button->rect().center()));
}

void Monkey::resize() {
  const QSize size(kSmallest.width() + any(kLargest.width() - kSmallest.width() + 1),
                   kSmallest.height() + any(kLargest.height() - kSmallest.height() + 1));
  note(QStringLiteral("resize to %1x%2").arg(size.width()).arg(size.height()));
  MainWindow& window = m_options.window();
  if (window.isFullScreen()) timed([&] { window.showNormal(); });
  timed([&] { window.resize(size); });
}

void Monkey::restart() {
  note(QStringLiteral("close, and start again"));
  timed([this] { m_options.window().close(); });
  timed(m_options.restart);
  settle();
  const MainWindow& window = m_options.window();
  if (const QRect screen = window.screen()->availableGeometry(); window.width() > screen.width() || window.height() > screen.height())
    fail(QStringLiteral("started with %1x%2 on a screen of %3x%4")
             .arg(window.width())
             .arg(window.height())
             .arg(screen.width())
             .arg(screen.height()));
}

// Opened menus and dialogs are closed after a while; file dialogs at once, because they could reach files of others.
void Monkey::leaveDialogs() {
  QWidget* open = QApplication::activePopupWidget();
  if (open == nullptr) open = QApplication::activeModalWidget();
  if (open == nullptr)
    for (QWidget* window : QApplication::topLevelWidgets())
      if (window->isVisible() && qobject_cast<QDialog*>(window) != nullptr) open = window;
  m_in_dialog = open == nullptr ? 0 : m_in_dialog + 1;
  if (open != nullptr && (m_in_dialog > kPatience || qobject_cast<QFileDialog*>(open) != nullptr)) {
    note(QStringLiteral("close ") + nameOf(open));
    timed([&] { open->close(); });
    settle();
    m_in_dialog = 0;
  }
  const bool start_page = m_options.window().findChild<WelcomePage*>() != nullptr;
  m_on_start_page = start_page ? m_on_start_page + 1 : 0;
  if (m_on_start_page > 3 * kPatience) {
    note(QStringLiteral("start again"));
    timed(m_options.restart);
    settle();
    m_on_start_page = 0;
  }
}

QString Monkey::problem() {
  ++m_totals.checks;
  {
    const std::lock_guard lock(m_message_mutex);
    if (!m_message.isEmpty()) return QStringLiteral("a message of Qt: ") + m_message;
  }
  if (!m_focus.isEmpty()) return m_focus;
  // A layout may follow its event late, and a view may wait for its first answer: by the machine's speed, as the limit is.
  TimeNs begun = monotonicNow();
  const DockHost& docks = m_options.window().docks();
  QString wrong = docks.isVisible() ? dockProblem(docks) : QString();
  while (!wrong.isEmpty() && monotonicNow() - begun < m_options.limit * 3 / 10) {
    settle();
    wrong = docks.isVisible() ? dockProblem(docks) : QString();
  }
  if (!wrong.isEmpty()) return wrong;
  if (m_number % kPictureEach != 0) return {};
  ++m_totals.pictures;
  begun = monotonicNow();
  QString blank = blankView();
  while (!blank.isEmpty() && monotonicNow() - begun < m_options.limit * 3) {
    settle();
    blank = blankView();
  }
  return blank;
}

QString Monkey::blankView() {
  MainWindow& window = m_options.window();
  std::vector<QWidget*> shown;
  for (View* view : window.docks().visibleViews()) shown.push_back(view);
  if (auto* page = window.findChild<WelcomePage*>(); page != nullptr && page->isVisible()) shown.push_back(page);
  for (auto* panel : window.docks().findChildren<StatePanel*>())
    if (panel->isVisible() && qobject_cast<DockPage*>(panel->parentWidget()) != nullptr) shown.push_back(panel);
  for (QWidget* widget : shown) {
    QImage picture;
    timed([&] { picture = widget->grab().toImage().convertToFormat(QImage::Format_RGB32); });
    if (uniform(picture)) return nameOf(widget) + QStringLiteral(" is blank");
  }
  return shown.empty() && window.isVisible() ? QStringLiteral("the window shows nothing") : QString();
}

void Monkey::message(QtMsgType type, const QString& text) {
  if (type == QtDebugMsg || type == QtInfoMsg) return;
  if (std::ranges::any_of(kExpected, [&](const char* known) { return text.startsWith(QLatin1String(known)); })) return;
  const std::lock_guard lock(m_message_mutex);
  if (m_message.isEmpty()) m_message = text;
}

void Monkey::lookForNestedLoop() {
  if (QThread::currentThread()->loopLevel() == 0) return;
  QWidget* over = QApplication::activePopupWidget();
  if (over == nullptr) over = QApplication::activeModalWidget();
  if (isOfButton(over)) return void(over->close());
  fail(QStringLiteral("a nested event loop under %1").arg(over != nullptr ? nameOf(over) : QStringLiteral("no dialog")));
  if (over != nullptr) over->close();
}

}  // namespace runglass::test
