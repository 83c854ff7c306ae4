// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: a view is in m_watched from watch() until it is final; it has at most one veil, which is removed with it.
#include "widgets/frame/stale_veil.h"

#include <QPainter>
#include <algorithm>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kLookMs = 40, kPatienceMs = 160;
constexpr float kDimmed = 0.45F;

class Veil : public QWidget {
 public:
  explicit Veil(QWidget* over) : QWidget(over) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setGeometry(over->rect());
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QColor ink = currentTheme().ground;
    ink.setAlphaF(kDimmed);
    QPainter(this).fillRect(rect(), ink);
  }
};

}  // namespace

StaleVeil::StaleVeil(QObject* parent) : QObject(parent) {
  m_timer.setInterval(kLookMs);
  connect(&m_timer, &QTimer::timeout, this, &StaleVeil::look);
}

void StaleVeil::watch(const std::vector<View*>& views) {
  for (View* view : views) {
    if (std::ranges::any_of(m_watched, [view](const Watched& one) { return one.view == view; })) continue;
    m_watched.push_back({view, nullptr, {}});
    m_watched.back().waiting.start();
  }
  m_timer.start();
}

bool StaleVeil::dims() const {
  return std::ranges::any_of(m_watched, [](const Watched& one) { return !one.veil.isNull(); });
}

void StaleVeil::look() {
  std::erase_if(m_watched, [](Watched& one) {
    const bool done = !one.view || !one.view->isVisible() || one.view->isFinal();
    if (done) delete one.veil;
    return done;
  });
  for (Watched& one : m_watched) {
    if (!one.veil && one.waiting.elapsed() >= kPatienceMs) {
      one.veil = new Veil(one.view);
      one.veil->show();
    }
    if (one.veil) one.veil->setGeometry(one.view->rect()), one.veil->raise();
  }
  if (m_watched.empty()) m_timer.stop();
}

}  // namespace runglass
