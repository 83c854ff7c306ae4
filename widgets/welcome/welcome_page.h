// SPDX-License-Identifier: GPL-3.0-or-later
// WelcomePage: what a window without a store shows: open one, follow a hub, try the example, import files, connect a cluster.
//
// Threading:  GUI thread; what takes time is the StoreMaker's.
// Ownership:  owns its widgets; the StoreMaker outlives it.
// Units:      none.
// Errors:     shown where they belong, in words.
// Cost:       none while nothing is being made.
#pragma once

#include <QWidget>

#include "widgets/core/ink_label.h"
#include "widgets/welcome/connect_commands.h"
#include "widgets/welcome/hub_address.h"

class QButtonGroup;
class QHBoxLayout;
class QMimeData;
class QStackedWidget;

namespace runglass {

class ConnectPanel;
class ImportPanel;
class MakingLine;
class StoreMaker;

struct WelcomeOptions {
  StoreMaker* maker = nullptr;
  QString problem;     // why the wanted store is not open; empty: none was wanted
  QString folder;      // where stores are proposed
  QString secrets;     // where token and certificate are proposed
  QStringList hosts;   // names and addresses of this host, the best first
  QStringList recent;  // stores opened here before that still exist, newest first
  KnownHubs hubs;
  bool hub_wanted = false;  // `problem` is of a hub; the panel for hubs is shown first
  QStringList to_list;      // files that were dropped on the window before
};

class WelcomePage : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(const WelcomeOptions& options, QWidget* parent = nullptr);

  // Shows what an import of these would take.
  void offerImport(const QStringList& paths);
  bool isFinal() const;

 signals:
  void openRequested(const QString& path);
  void chooseRequested();  // a file dialog for a store
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
  MakingLine* m_example = nullptr;
};

// ".rgl" files are opened, anything else is imported. Empty: neither.
struct DroppedFiles {
  QString store;
  QStringList others;
};
DroppedFiles droppedFiles(const QMimeData& data);

}  // namespace runglass
