// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/welcome_page.h"

#include <QButtonGroup>
#include <QDateTime>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "widgets/core/language.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/welcome/connect_panel.h"
#include "widgets/welcome/hub_panel.h"
#include "widgets/welcome/import_panel.h"
#include "widgets/welcome/making_line.h"
#include "widgets/welcome/prometheus_panel.h"
#include "widgets/welcome/start_card.h"

namespace runglass {
namespace {

constexpr int kChoicesWidth = 60 * kGrid, kMaxRecent = 12;
const QString kSuffix = QStringLiteral(".rgl");

// Shows where to drop files; the page accepts them anywhere.
class DropZone : public QWidget {
 public:
  DropZone(const QString& words, const QString& action, QWidget* parent) : QWidget(parent), m_button(new QPushButton(action, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4 * kGrid, 4 * kGrid, 4 * kGrid, 4 * kGrid);
    auto* words_label = new QLabel(words, this);
    words_label->setTextFormat(Qt::PlainText);
    words_label->setAlignment(Qt::AlignCenter);
    words_label->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(words_label);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
  }
  QPushButton* button() const { return m_button; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(QPen(currentTheme().muted, kHairline, Qt::DashLine));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }

 private:
  QPushButton* m_button;
};

InkLabel* pageLabel(const QString& text, QWidget* parent) {
  auto* made = new InkLabel(parent);
  made->setText(text);
  made->setWordWrap(true);
  return made;
}

}  // namespace

DroppedFiles droppedFiles(const QMimeData& data) {
  DroppedFiles files;
  for (const QUrl& url : data.urls()) {
    const QString path = url.isLocalFile() ? url.toLocalFile() : QString();
    if (path.isEmpty()) continue;
    if (path.endsWith(kSuffix) && QFileInfo(path).isFile())
      files.store = path;
    else
      files.others << path;
  }
  return files;
}

WelcomePage::WelcomePage(const WelcomeOptions& options, QWidget* parent)
    : QWidget(parent),
      m_options(options),
      m_headline(pageLabel(options.problem.isEmpty() ? tr("No store is open.")
                           : options.hub_wanted      ? tr("The hub cannot be followed.")
                                                     : tr("The store cannot be opened."),
                           this)),
      m_problem(pageLabel(
          options.problem.isEmpty() ? tr("A store is one .rgl file: a live run writes it, an import makes one.") : options.problem, this)),
      m_choices(new QButtonGroup(this)),
      m_panels(new QStackedWidget(this)) {
  setAcceptDrops(true);
  m_headline->setFont(headlineFont());
  m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_problem->setInk(options.problem.isEmpty() ? themeInk<&Theme::muted>() : severityText(Severity::kError));
  auto* choices = makeChoices();
  auto* right = new QVBoxLayout;
  right->setSpacing(2 * kGrid);
  right->addWidget(m_headline);
  right->addWidget(m_problem);
  right->addSpacing(3 * kGrid);
  right->addWidget(m_panels, 1);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6 * kGrid, 6 * kGrid, 6 * kGrid, 4 * kGrid);
  row->setSpacing(6 * kGrid);
  row->addWidget(choices);
  row->addLayout(right, 1);

  addPanel(tr("Start"), tr("A store, the example, your files"), makeHome());
  auto* hubs = new HubPanel(options.hubs, m_panels);
  addPanel(tr("Connect to a hub"), tr("Follow a run that is elsewhere"), hubs);
  addPanel(tr("Try the example"), tr("A simulated run with two faults"), makeExamplePanel());
  m_import = new ImportPanel(*options.maker, options.folder, m_panels);
  addPanel(tr("Import files"), tr("Logs, traces, telemetry of your own"), m_import);
  m_connect = new ConnectPanel(options.folder + QStringLiteral("/live.rgl"), options.secrets, options.hosts, m_panels);
  addPanel(tr("Connect a cluster"), tr("The commands for this host"), m_connect);
  m_prometheus = new PrometheusPanel(*options.maker, options.folder, m_panels);
  addPanel(tr("Connect to Prometheus"), tr("Metrics of a job or a past window"), m_prometheus);
  qobject_cast<QVBoxLayout*>(choices->layout())->addStretch(1);
  connect(m_import, &ImportPanel::made, this, &WelcomePage::openRequested);
  connect(m_prometheus, &PrometheusPanel::made, this, &WelcomePage::openRequested);
  connect(m_connect, &ConnectPanel::listenRequested, this, &WelcomePage::listenRequested);
  connect(hubs, &HubPanel::connectRequested, this, &WelcomePage::connectRequested);
  connect(m_choices, &QButtonGroup::idClicked, m_panels, &QStackedWidget::setCurrentIndex);
  makeCards();
  showPanel(options.hub_wanted ? static_cast<QWidget*>(hubs) : m_panels->widget(0));
  offerImport(options.to_list);
  if (!options.metrics) return;
  showPanel(m_prometheus);
  m_prometheus->fill(*options.metrics);
  m_prometheus->start();
}

bool WelcomePage::isFinal() const { return !m_import->isBusy() && !m_example->isBusy() && !m_prometheus->isBusy(); }

QWidget* WelcomePage::makeChoices() {
  auto* choices = new QWidget(this);
  choices->setFixedWidth(kChoicesWidth);
  auto* column = new QVBoxLayout(choices);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid);
  m_choices->setExclusive(true);
  return choices;
}

void WelcomePage::addPanel(const QString& title, const QString& words, QWidget* panel) {
  const int id = m_panels->addWidget(panel);
  auto* choice = new QPushButton(title + QLatin1Char('\n') + words, this);
  choice->setCheckable(true);
  choice->setProperty("nav", true);
  m_choices->addButton(choice, id);
  layout()->itemAt(0)->widget()->layout()->addWidget(choice);
}

QWidget* WelcomePage::makeHome() {
  auto* panel = new QWidget(m_panels);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(3 * kGrid);
  m_cards = new QHBoxLayout;
  m_cards->setSpacing(3 * kGrid);
  column->addLayout(m_cards);
  auto* zone = new DropZone(tr("Drop a store, logs, traces or telemetry here"), tr("Open a store …"), panel);
  connect(zone->button(), &QPushButton::clicked, this, &WelcomePage::chooseRequested);
  column->addWidget(zone);
  if (!m_options.recent.isEmpty()) column->addWidget(pageLabel(tr("Recent stores"), panel));
  for (const QString& path : m_options.recent.mid(0, kMaxRecent)) {
    const QFileInfo file(path);
    const QString words = tr("%1   %2, changed %3")
                              .arg(screenText(path.toStdString(), 100), formatBytes(static_cast<double>(file.size())),
                                   formatTime(file.lastModified().toMSecsSinceEpoch() * kNsPerMs, TimeStyle::kLocal));
    auto* open = new QPushButton(words, panel);
    open->setProperty("nav", true);
    connect(open, &QPushButton::clicked, this, [this, path] { emit openRequested(path); });
    column->addWidget(open);
    m_options.maker->glance(path, open, [open, words](const Result<StoreGlance>& glance) {
      if (!glance.ok()) return open->setText(words + QStringLiteral("   ") + tr("cannot be read"));
      if (glance->run.isEmpty()) return open->setText(words + QStringLiteral("   ") + tr("no run yet"));
      const QString findings = glance->findings == 0   ? tr("no open findings")
                               : glance->findings == 1 ? tr("1 open finding")
                                                       : tr("%1 open findings").arg(formatCount(glance->findings));
      open->setText(words + QStringLiteral("   ") + tr("%1: %2, %3").arg(glance->run, termText(glance->state.toStdString()), findings));
    });
  }
  column->addStretch(1);
  return panel;
}

// In the order of their panels.
void WelcomePage::makeCards() {
  const auto card = [this](StartPicture picture, const QString& title, const QString& words, QWidget* panel) {
    auto* made = new StartCard(picture, title, words, m_panels->widget(0));
    connect(made, &QPushButton::clicked, this, [this, panel] { showPanel(panel); });
    m_cards->addWidget(made, 1);
  };
  card(StartPicture::kExample, tr("Example"), m_options.maker->exampleWords(), m_example->parentWidget());
  card(StartPicture::kImport, tr("Import"), tr("Logs, traces and telemetry of your own become a store, with findings."), m_import);
  card(StartPicture::kConnect, tr("Connect"), tr("Receive a run live: the commands for this host, Slurm, Kubernetes and ssh."), m_connect);
}

void WelcomePage::showPanel(QWidget* panel) {
  m_choices->button(m_panels->indexOf(panel))->setChecked(true);
  m_panels->setCurrentWidget(panel);
}

QWidget* WelcomePage::makeExamplePanel() {
  auto* panel = new QWidget(m_panels);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(3 * kGrid);
  m_example = new MakingLine(tr("Try the example"), panel);
  const QString store = m_options.folder + QStringLiteral("/example.rgl");
  column->addWidget(pageLabel(m_options.maker->exampleWords() + QLatin1Char(' ') +
                                  tr("Every view marks it as simulated. It is written to %1; delete it at any time.").arg(store),
                              panel));
  column->addWidget(m_example);
  column->addStretch(1);
  connect(m_example, &MakingLine::started, this, &WelcomePage::tryExample);
  connect(m_example, &MakingLine::stopped, this, [this] { m_options.maker->cancel(); });
  return panel;
}

void WelcomePage::tryExample() {
  const QString store = m_options.folder + QStringLiteral("/example.rgl");
  if (QFileInfo::exists(store)) return emit openRequested(store);
  m_example->begin();
  m_options.maker->example(
      store, this, [this](const MakeProgress& progress) { m_example->showProgress(progress); },
      [this](const Result<MadeStore>& made) {
        if (!made.ok()) return m_example->showFailed(screenText(made.status().message()));
        m_example->showIdle();
        emit openRequested(made->path);
      });
}

void WelcomePage::offerImport(const QStringList& paths) {
  if (paths.isEmpty()) return;
  showPanel(m_import);
  m_import->offer(paths);
}

void WelcomePage::dragEnterEvent(QDragEnterEvent* event) {
  const DroppedFiles files = droppedFiles(*event->mimeData());
  if (!files.store.isEmpty() || !files.others.isEmpty()) event->acceptProposedAction();
}

void WelcomePage::dropEvent(QDropEvent* event) {
  const DroppedFiles files = droppedFiles(*event->mimeData());
  if (files.others.isEmpty()) return emit openRequested(files.store);
  offerImport(files.others);
}

}  // namespace runglass
