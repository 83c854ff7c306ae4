// SPDX-License-Identifier: GPL-3.0-or-later
// Switching the theme gives the same pixels as starting in it: for visible views and for views shown before.
#include "tests/widgets/console_fixture.h"
#include "tests/widgets/fake_store_maker.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

struct Place {
  std::string view, tab;
};

class ThemeSwitchTest : public ConsoleTest {
 protected:
  static std::vector<Place> places() {
    std::vector<Place> all = {{"watch", ""}};
    for (const ViewInfo& view : viewRegistry()) {
      if (tabsOf(view).empty()) all.push_back({view.id, ""});
      for (const std::string_view tab : tabsOf(view)) all.push_back({view.id, std::string(tab)});
    }
    return all;
  }
  void goTo(const Place& place) {
    ASSERT_TRUE(m_window->showPlace(QString::fromStdString(place.view)));
    m_window->showTab(QString::fromStdString(place.tab));
    settle();
  }
  // Something is selected, so that details have content.
  void start(ThemeName theme) {
    applyTheme(*qApp, theme);
    open();
    goTo(places().front());
    Selection selection;
    selection.run = run().run().id;
    selection.rank = 5;
    m_window->state().select(selection);
    settle();
  }
  // The whole window except the status bar, which shows the duration of a query.
  QImage picture() {
    settle();
    m_window->setFocus();  // no blinking caret
    QImage whole = m_window->grab().toImage().convertToFormat(QImage::Format_RGB32);
    const QWidget* status = m_window->findChild<StatusLine*>();
    return whole.copy(0, 0, whole.width(), status->mapTo(m_window.get(), QPoint()).y());
  }
  static std::string differences(const QImage& a, const QImage& b, const std::string& name) {
    if (a == b) return {};
    if (a.size() != b.size()) return "sizes differ";
    QRect where;
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
      for (int x = 0; x < a.width(); ++x)
        if (a.pixel(x, y) != b.pixel(x, y)) where |= QRect(x, y, 1, 1), ++count;
    if (const QByteArray out = qgetenv("RG_PICTURES"); !out.isEmpty()) {
      const QString base = QString::fromUtf8(out) + u'/' + QString::fromStdString(name);
      a.save(base + "-switched.png");
      b.save(base + "-started.png");
    }
    return std::to_string(count) + " pixels differ, within " + std::to_string(where.x()) + "," + std::to_string(where.y()) + " " +
           std::to_string(where.width()) + "x" + std::to_string(where.height());
  }
  // Every place is visited once before, so that both sides have the same history.
  std::vector<QImage> picturesOf(ThemeName theme) {
    std::vector<QImage> pictures;
    start(theme);
    for (const Place& place : places()) goTo(place);
    for (const Place& place : places()) {
      goTo(place);
      pictures.push_back(picture());
    }
    return pictures;
  }
  void switchTo(ThemeChoice theme) {
    ConsoleSettings chosen = m_window->settings();
    chosen.theme = theme;
    m_window->applySettings(chosen);
  }
  static void expectSame(const QImage& switched, const QImage& started, const Place& place) {
    const std::string name = place.view + (place.tab.empty() ? "" : "-" + place.tab);
    EXPECT_EQ(differences(switched, started, name), "") << name;
  }
};

// Switches between the two themes alternately, a place each.
TEST_F(ThemeSwitchTest, WhatIsShownWhileItIsSwitched) {
  const std::vector<QImage> dark = picturesOf(ThemeName::kDark), light = picturesOf(ThemeName::kLight);
  for (std::size_t i = 0; i < places().size(); ++i) {
    goTo(places()[i]);
    const bool to_dark = currentTheme().name == ThemeName::kLight;
    switchTo(to_dark ? ThemeChoice::kDark : ThemeChoice::kLight);
    expectSame(picture(), to_dark ? dark[i] : light[i], places()[i]);
  }
}

TEST_F(ThemeSwitchTest, WhatWasShownBefore) {
  const std::vector<QImage> dark = picturesOf(ThemeName::kDark);
  (void)picturesOf(ThemeName::kLight);
  switchTo(ThemeChoice::kDark);
  for (std::size_t i = 0; i < places().size(); ++i) {
    goTo(places()[i]);
    expectSame(picture(), dark[i], places()[i]);
  }
}

TEST_F(ThemeSwitchTest, TheStatusLineWithAWarningAndTheStartPage) {
  const auto pictures = [](ThemeName first, ThemeName then) {
    applyTheme(*qApp, first);
    StatusLine line;
    line.resize(900, line.height());
    line.setItems({{"hub login1:9400 · line cut 14 s ago", {}, Severity::kWarning}, {"store 1 GiB", {}}});
    WindowOptions options;
    options.welcome.problem = "open: /data/x.rgl: no such file";
    test::FakeStoreMaker maker;
    options.welcome.maker = &maker;
    MainWindow window(options);
    window.resize(1'000, 700);
    line.show();
    window.show();
    if (first != then) applyTheme(*qApp, then);
    window.setFocus();
    return std::pair(line.grab().toImage(), window.grab().toImage());
  };
  const auto switched = pictures(ThemeName::kDark, ThemeName::kLight), started = pictures(ThemeName::kLight, ThemeName::kLight);
  EXPECT_EQ(differences(switched.first, started.first, "status"), "");
  EXPECT_EQ(differences(switched.second, started.second, "start"), "");
}

}  // namespace
}  // namespace runglass
