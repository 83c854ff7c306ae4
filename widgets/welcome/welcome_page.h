// SPDX-License-Identifier: GPL-3.0-or-later
// WelcomePage: the content of a window without a store: open a store, follow a hub, try the example, import files or metrics, connect a
// cluster.
//
// Threading:  GUI thread; long work is the StoreMaker's.
// Ownership:  owns its widgets; the StoreMaker outlives it.
// Errors:     shown in place, as text.
// Cost:       none while no job runs.
#pragma once

#include <QWidget>

#include "widgets/core/ink_label.h"
#include "widgets/welcome/connect_commands.h"
#include "widgets/welcome/hub_address.h"
#include "widgets/welcome/store_maker.h"

class QButtonGroup;
class QHBoxLayout;
class QMimeData;
class QStackedWidget;

namespace runglass {

class ConnectPanel;
class ImportPanel;
class MakingLine;
class PrometheusPanel;

struct WelcomeOptions {
  StoreMaker* maker = nullptr;
  QString problem;     // why the requested store is not open; empty: none was requested
  QString folder;      // default folder of stores
  QString secrets;     // default folder of token and certificate
  QStringList hosts;   // names and addresses of this host, the best first
  QStringList recent;  // stores opened here before that still exist, newest first
  KnownHubs hubs;
  bool hub_wanted = false;                      // `problem` concerns a hub; the hub panel is shown first
  QStringList to_list;                          // files that were dropped on the previous window
  std::optional<MetricsQuestion> metrics = {};  // imported at once
};

class WelcomePage : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(const WelcomeOptions& options, QWidget* parent = nullptr);

  // Previews an import of these files.
  void offerImport(const QStringList& paths);
  bool isFinal() const;

 signals:
  void openRequested(const QString& path);
  void chooseRequested();  // opens a file dialog for a store
  void listenRequested(const ListenOptions& hub);
  void connectRequested(const HubAddress& hub);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* makeChoices();
  QWidget* makeHome();
  void makeCards();
  void showPanel(QWidget* panel);
  QWidget* makeExamplePanel();
  void addPanel(const QString& title, const QString& words, QWidget* panel);
  void tryExample();

  const WelcomeOptions m_options;
  InkLabel* m_headline;
  InkLabel* m_problem;
  QButtonGroup* m_choices;
  QStackedWidget* m_panels;
  QHBoxLayout* m_cards = nullptr;
  ImportPanel* m_import = nullptr;
  ConnectPanel* m_connect = nullptr;
  PrometheusPanel* m_prometheus = nullptr;
  MakingLine* m_example = nullptr;
};

// ".rgl" files are opened, anything else is imported. Empty: neither.
struct DroppedFiles {
  QString store;
  QStringList others;
};
DroppedFiles droppedFiles(const QMimeData& data);

}  // namespace runglass
