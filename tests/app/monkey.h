// SPDX-License-Identifier: GPL-3.0-or-later
// Monkey: random events on the windows of a console, as sent by a person's mouse and keyboard, and the invariants checked after each of
// them.
//
// Threading:  GUI thread; messages of other threads count too.
// Ownership:  the objects passed in must outlive it.
// Units:      ns; events are counted.
// Errors:     failure(): the violated invariant, with the seed and the last events. A crash or an event that never ends prints them to
//             stderr.
// Cost:       10 to 30 ms per event.
//
// The seed determines every choice among the visible widgets. Which widgets are visible also depends on answers, so each event waits for
// them; live data is not replayed.
#pragma once

#include <QPointer>
#include <QString>
#include <QTimer>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>

#include "model/time.h"
#include "widgets/frame/main_window.h"

namespace runglass::test {

struct MonkeyTotals {
  std::map<QString, int> events;  // by kind
  int checks = 0, pictures = 0;
  TimeNs longest = 0;  // over all events
  QString longest_event;
};

class Monkey {
 public:
  struct Options {
    std::uint64_t seed = 0;
    // Maximum time that an event may block the GUI thread. A layout has 0.3 of it to be right, a view 3 of it to show something.
    TimeNs limit = 0;
    std::function<MainWindow&()> window;
    std::function<void()> restart;  // ends and restarts the console
  };

  explicit Monkey(Options options);
  ~Monkey();
  Monkey(const Monkey&) = delete;
  Monkey& operator=(const Monkey&) = delete;

  // At most this number of events and this time. False: an invariant failed.
  bool run(int events, TimeNs time);
  const QString& failure() const { return m_failure; }
  const MonkeyTotals& totals() const { return m_totals; }

 private:
  struct Kind;
  static const std::vector<Kind>& kinds();

  void click(Qt::MouseButton button, bool twice);
  void drag();
  void wheel();
  void key();
  void tab();
  void shortcut();
  void command();
  void panel();
  void resize();
  void restart();
  void act();
  void leaveDialogs();

  int any(int below) { return static_cast<int>(m_random() % static_cast<unsigned>(below)); }
  QWidget* anyWindow();
  bool aim(QWindow*& window, QPoint& at);  // a position in a visible widget; false: none
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {});
  void note(const QString& words);
  void timed(const std::function<void()>& work);
  void pump();
  void settle();

  QString problem();
  QString blankView();
  void fail(const QString& why);
  void message(QtMsgType type, const QString& text);
  void lookForNestedLoop();

  const Options m_options;
  std::mt19937_64 m_random;
  MonkeyTotals m_totals;
  QString m_failure;
  std::deque<QString> m_last;
  QString m_now;
  int m_number = 0, m_in_dialog = 0, m_on_start_page = 0;
  QString m_focus;  // why the focus was wrong after Tab
  QTimer m_watch;
  std::mutex m_message_mutex;
  QString m_message;
  QtMessageHandler m_before = nullptr;
};

}  // namespace runglass::test
