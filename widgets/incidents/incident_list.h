// SPDX-License-Identifier: GPL-3.0-or-later
// The left column of the view `incidents`: the proposals, with Accept, Merge and Dismiss; below them the incidents, open first.
//
// Threading:  GUI thread.
// Ownership:  shares the list.
// Units:      TimeNs.
// Cost:       O(rows) per reading; two lines a row, painted when they are on screen.
#pragma once

#include <QAbstractListModel>
#include <QWidget>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/incident/incident_costs.h"
#include "widgets/core/units.h"
#include "widgets/incidents/incident_data.h"

class QLabel;
class QLineEdit;
class QListView;
class QMenu;
class QPushButton;

namespace runglass {

// A row of either list.
struct IncidentEntry {
  std::string key;  // uuid
  Severity severity = Severity::kInfo;
  QString title, second, cost, tip;
  bool quiet = false;  // ended: painted muted
  friend bool operator==(const IncidentEntry&, const IncidentEntry&) = default;
};
IncidentEntry entryOf(const Incident& incident, const IncidentImpact* cost, const IncidentList& list, TimeStyle style);
IncidentEntry entryOf(const IncidentProposal& proposal, const IncidentList& list, TimeStyle style);

class IncidentEntryModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role : int { kSecondRole = Qt::UserRole, kCostRole, kSeverityRole, kQuietRole };
  using QAbstractListModel::QAbstractListModel;

  // Rows that remain are changed in place, so that the selected one stays selected.
  void setEntries(std::vector<IncidentEntry> entries);
  const std::vector<IncidentEntry>& entries() const { return m_entries; }
  int rowOf(std::string_view key) const;  // −1: none
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<IncidentEntry> m_entries;
};

class IncidentListPanel : public QWidget {
  Q_OBJECT

 public:
  explicit IncidentListPanel(QWidget* parent = nullptr);

  void setList(std::shared_ptr<const IncidentList> list, TimeStyle style);
  void setCosts(std::shared_ptr<const IncidentCosts> costs);
  // Marks the row in its list without emitting a signal.
  void choose(const std::string& key);
  const std::string& chosen() const { return m_chosen; }
  bool chosenIsProposal() const;
  // For the selected proposal; false: none is selected.
  bool acceptChosen();
  bool dismissChosen();  // asks for the reason in place
  bool mergeChosen();    // shows the menu of incidents; also for a selected incident
  const IncidentEntryModel* incidents() const { return m_incidents; }
  const IncidentEntryModel* proposals() const { return m_proposals; }
  QListView* incidentView() const { return m_incident_view; }
  QListView* proposalView() const { return m_proposal_view; }

 signals:
  void chosenChanged(const QString& key);  // by the user
  void acceptWanted(const QString& proposal);
  void mergeWanted(const QString& key, const QString& incident);
  void dismissWanted(const QString& proposal, const QString& reason);
  void newWanted();

 private:
  QWidget* makeProposals();
  void fill();
  void fillMenu(QMenu* menu);
  void rowChosen(QListView* view, int row);
  void updateButtons();

  std::shared_ptr<const IncidentList> m_list;
  std::shared_ptr<const IncidentCosts> m_costs;
  TimeStyle m_style = TimeStyle::kUtc;
  std::string m_chosen;
  IncidentEntryModel *m_proposals, *m_incidents;
  QListView *m_proposal_view, *m_incident_view;
  QWidget* m_proposal_box;
  QLabel *m_proposal_head, *m_incident_head;
  QPushButton *m_accept, *m_merge, *m_dismiss, *m_merge_incident;
  QLineEdit* m_reason;
  QMenu* m_merge_menu;
  bool m_quiet = false;
};

}  // namespace runglass
