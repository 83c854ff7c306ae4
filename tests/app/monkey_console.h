// SPDX-License-Identifier: GPL-3.0-or-later
// The console that a Monkey uses: over a store that agents fill meanwhile, over one of a run with faults, over one without a run.
#pragma once

#include <QSettings>
#include <QTemporaryDir>
#include <memory>
#include <optional>

#include "app/console/console.h"
#include "tests/analysis/simulated_incident.h"
#include "tests/support/process.h"
#include "widgets/core/theme.h"

namespace runglass::test {

enum class MonkeyStore : std::uint8_t { kLive, kStored, kEmpty };

class MonkeyConsole {
 public:
  explicit MonkeyConsole(MonkeyStore store) {
    for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}) qputenv(name, m_dir.path().toUtf8());
    m_session.store = m_dir.filePath(QStringLiteral("monkey.rgl")).toStdString();
    if (store == MonkeyStore::kStored) {
      sim::Scenario job = slowRankOf(5);
      job.steps = 240;
      job.spans = sim::SpanDetail::kCoarse;
      job.faults.push_back(lostGpu().faults.front());
      m_stored.emplace(job);
      m_session.store = m_stored->path();
    }
    if (store == MonkeyStore::kEmpty) (void)openStore(m_session.store).writer().value()->close();
    if (store == MonkeyStore::kLive) {
      const std::string hub = m_dir.filePath(QStringLiteral("hub")).toStdString();
      m_session.hub = HubOptions{.listen = {}, .socket = hub};
      m_agents.emplace(std::vector<std::string>{"runglass-agent", "--simulate", RG_SOURCE_DIR "/resources/scenarios/example.toml", "--hub",
                                                "unix:" + hub, "--speed", "8", "--state-dir",
                                                m_dir.filePath(QStringLiteral("agent")).toStdString()});
    }
    restart();
  }

  MainWindow& window() { return m_console->window(); }
  void restart() {
    m_console.reset();
    m_console = std::make_unique<Console>(m_session, Place{}, &m_settings);
    window().show();
    window().activateWindow();
  }

 private:
  QTemporaryDir m_dir;
  QSettings m_settings{m_dir.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
  SessionOptions m_session;
  std::optional<SimulatedIncident> m_stored;
  std::optional<Process> m_agents;
  std::unique_ptr<Console> m_console;
};

}  // namespace runglass::test
