// SPDX-License-Identifier: GPL-3.0-or-later
// runglass: the console. Exit 0 ok, 1 failed (one line on stderr), 2 wrong usage or an unknown view.
#include <fcntl.h>
#include <unistd.h>

#include <QApplication>
#include <QHashSeed>
#include <QSettings>
#include <QSocketNotifier>
#include <QUrl>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include "app/cli/control_arguments.h"
#include "app/cli/damage_warning.h"
#include "app/cli/hub_arguments.h"
#include "app/cli/hub_problem.h"
#include "app/cli/options.h"
#include "app/cli/private_files.h"
#include "app/cli/repaired_copy.h"
#include "app/cli/service_import.h"
#include "app/console/console.h"
#include "app/console/report.h"
#include "app/console/screenshot.h"
#include "widgets/core/icon.h"
#include "widgets/core/language.h"
#include "widgets/frame/console_settings.h"
#include "widgets/frame/view_registry.h"

namespace {

using namespace runglass;

struct Arguments {
  std::string store, select, at, theme, language, size = "1920x1080", out;
  Place place;
  bool live = false;
  HubArguments hub;
  std::string tls_ca, alerts, link;
  std::string connect, copy;                  // a hub to connect to
  std::string token_file, tls_cert, tls_key;  // for a screenshot of it
};

int fail(const std::string& message, int code = 1) {
  std::string line = message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "runglass: %s\n", line.c_str());
  return code;
}

constexpr const char* kWithoutDisplay =
    "; set DISPLAY or WAYLAND_DISPLAY, or write a picture: runglass screenshot --store FILE --view overview --out FILE.png";

// Qt's messages before it has connected to a display.
struct Startup {
  bool done = false;
  std::vector<std::string> problems;
};
Startup g_startup;

// Qt aborts if it cannot reach the display.
[[noreturn]] void endWithoutDisplay(const QString& last) {
  const std::string why = g_startup.problems.empty() ? last.toStdString() : g_startup.problems.front();
  std::_Exit(fail("cannot open a window: " + why + kWithoutDisplay));
}

// Messages of the offscreen platform about itself are not printed.
void onQtMessage(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (!g_startup.done && type == QtFatalMsg) endWithoutDisplay(message);
  if (type == QtDebugMsg || message.startsWith(QLatin1String("This plugin does not support ")) ||
      message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set")))
    return;
  if (g_startup.done)
    std::fprintf(stderr, "runglass: %s\n", message.toUtf8().constData());
  else
    g_startup.problems.push_back(message.toStdString());
}

std::array<int, 2> g_signal_pipe{-1, -1};

void onSignal(int) {
  const char byte = 0;
  const ssize_t ignored = ::write(g_signal_pipe[1], &byte, 1);
  (void)ignored;
}

// SIGTERM, SIGINT and a closed terminal close the window in an orderly way, so that a hub closes its store and a repaired copy is removed.
void quitOnSignals(QApplication& app) {
  if (::pipe2(g_signal_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  auto* notifier = new QSocketNotifier(g_signal_pipe[0], QSocketNotifier::Read, &app);
  QObject::connect(notifier, &QSocketNotifier::activated, &app, [] { QApplication::quit(); });
  std::signal(SIGTERM, onSignal);
  std::signal(SIGINT, onSignal);
  if (std::signal(SIGHUP, onSignal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

std::string builtViews() {
  std::string names = "watch";
  for (const ViewInfo& view : viewRegistry()) names += std::string(", ") + view.id;
  return names;
}

// "topology: lattice, links, step; ranking: ..."
std::string builtTabs() {
  std::string words;
  for (const ViewInfo& view : viewRegistry()) {
    std::string names;
    for (const std::string_view tab : tabsOf(view)) names += (names.empty() ? ": " : ", ") + std::string(tab);
    if (!names.empty()) words += (words.empty() ? "" : "; ") + std::string(view.id) + names;
  }
  return words;
}

void declarePlace(Options options, Arguments& arguments) {
  options.add("--view", arguments.place.view, "View or layout: " + builtViews());
  options.add("--tab", arguments.place.tab, "Part of the view: " + builtTabs());
  options.add("--run", arguments.place.run, "Run, by id or name; default: the running or newest one");
  options.add("--t0", arguments.place.t0, "Begin of the time window, ns since 1970 UTC");
  options.add("--t1", arguments.place.t1, "End of the time window, ns");
  options.add("--at", arguments.at, "Playhead: ns since 1970 UTC, or 2026-11-20T21:43:07Z; default: now");
  options.add("--select", arguments.select, "rank=N,attempt=N,step=N,node=NAME,incident=UUID");
  options.add("--theme", arguments.theme, "dark or light").oneOf({"dark", "light"});
  options.add("--language", arguments.language, "en, zh_CN or system; a picture's default: en").oneOf({"en", "zh_CN", "system"});
}

// Checks that need no store; absent: continue.
std::optional<int> wrongUsage(Arguments& arguments) {
  const std::string& view = arguments.place.view;
  if (!view.empty() && view != "watch" && findView(view) == nullptr)
    return fail("view '" + view + "' is not built; there are: " + builtViews(), 2);
  if (const std::string& tab = arguments.place.tab; !tab.empty()) {
    const ViewInfo* info = findView(view);
    const auto tabs = info != nullptr ? tabsOf(*info) : std::vector<std::string_view>{};
    if (std::ranges::find(tabs, tab) == tabs.end())
      return fail("--tab: view '" + view + "' has no part '" + tab + "'; there are: " + builtTabs(), 2);
  }
  if (const Status select = parseSelect(arguments.select, arguments.place); !select.ok()) return fail(select.message(), 2);
  if (!arguments.at.empty()) {
    const Result<TimeNs> at = parseMoment(arguments.at);
    if (!at.ok()) return fail(at.status().message(), 2);
    arguments.place.at = *at;
  }
  if (arguments.place.t0 && arguments.place.t1 && *arguments.place.t0 >= *arguments.place.t1) return fail("--t0 must be before --t1", 2);
  return std::nullopt;
}

ThemeName wantedTheme(const Arguments& arguments, const QSettings* settings) {
  if (const auto named = themeFromName(arguments.theme)) return *named;
  return themeOf((settings != nullptr ? readSettings(*settings) : ConsoleSettings{}).theme);
}

Language wantedLanguage(const Arguments& arguments, Language otherwise) { return languageFromName(arguments.language).value_or(otherwise); }

// File managers may pass file:///path/run.rgl instead of a path.
void takeFileUrl(Arguments& arguments) {
  const QUrl url(QString::fromStdString(arguments.store), QUrl::StrictMode);
  if (url.isLocalFile()) arguments.store = url.toLocalFile().toStdString();
}

// A link names a store by its uuid; the user's settings have the path at which that store was opened here.
std::optional<int> takeLink(Arguments& arguments) {
  if (isLink(arguments.store)) arguments.link = std::exchange(arguments.store, "");
  if (arguments.link.empty()) return std::nullopt;
  const Result<PlaceLink> link = parseLink(arguments.link);
  if (!link.ok()) return fail(link.status().message(), 2);
  const Result<Place> place = placeOf(*link);
  if (!place.ok()) return fail(place.status().message(), 2);
  arguments.place = *place;
  const QSettings settings;
  if (arguments.store.empty()) arguments.store = Console::rememberedStore(&settings, link->store_uuid);
  if (arguments.store.empty())
    return fail("link: store " + link->store_uuid + " was never opened here: say where it is: runglass STORE.rgl --link " + arguments.link);
  return wrongUsage(arguments);
}

// The hub of --connect, in the form that a person would enter.
HubAddress hubAddress(const Arguments& arguments, const HubOptions& options) {
  const auto text = [](const std::string& value) { return QString::fromStdString(value); };
  return {text(arguments.connect), text(options.token_file), text(arguments.tls_ca), text(options.tls_cert), text(options.tls_key)};
}

// --connect replaces the options for a store or a hub of this window.
std::optional<int> wrongConnect(const Arguments& arguments, Options options) {
  if (arguments.connect.empty()) return arguments.copy.empty() ? std::nullopt : std::optional(fail("--mirror: needs --connect", 2));
  if (!isHubAddress(QString::fromStdString(arguments.connect)))
    return fail("--connect " + arguments.connect + ": expected HOST:PORT or unix:PATH", 2);
  if (!arguments.store.empty() && !isLink(arguments.store)) return fail("--connect: the file for the copy is named with --mirror", 2);
  for (const char* of_hub : {"--live", "--listen", "--trust", "--tls-client-ca", "--durability", "--scrape", "--receive", "--receive-grpc",
                             "--kubernetes", "--prometheus", "--alerts"})
    if (options.find(of_hub).count() > 0) return fail(std::string("--connect: ") + of_hub + " is of a hub of this window", 2);
  return std::nullopt;
}

// A past window or job; with --live, --prometheus is recorded instead.
std::optional<int> wrongMetrics(const Arguments& arguments) {
  const ServiceArguments& service = arguments.hub.prometheus().service();
  const ServiceQuestion& question = service.question();
  if (const std::string wrong = service.wrongWindow(); !wrong.empty()) return fail(wrong, 2);
  if (question.job && question.url.empty()) return fail("--slurm: needs --prometheus", 2);
  if (arguments.live && (service.windowGiven() || question.job)) return fail("--live: --from, --to and --slurm are of a past job", 2);
  if (!question.url.empty() && !arguments.live && !arguments.store.empty())
    return fail("--prometheus: makes a store of its own; with one, use --live, or runglassctl import", 2);
  if (!question.url.empty() && !arguments.live)
    if (const auto wanted = serviceImport(question); !wanted.ok()) return fail(wanted.status().message(), 2);
  return std::nullopt;
}

MetricsQuestion metricsOf(const ServiceQuestion& question) {
  const auto text = [](const std::string& value) { return QString::fromStdString(value); };
  return {.url = text(question.url),
          .access_file = text(question.access_file),
          .match = text(question.match),
          .nodes = text(question.nodes),
          .from = text(question.from),
          .to = text(question.to),
          .job = question.job ? QString::number(*question.job) : QString()};
}

int runScreenshot(const Arguments& arguments) {
  const QSize size = sizeFromText(QString::fromStdString(arguments.size));
  if (!size.isValid()) return fail("--size " + arguments.size + ": expected WIDTHxHEIGHT, 64 to 16384 each", 2);
  setLanguage(wantedLanguage(arguments, Language::kEnglish));
  applyTheme(*qApp, wantedTheme(arguments, nullptr));
  SessionOptions session{.store = arguments.store};
  if (!arguments.connect.empty()) {
    const HubOptions shown{.token_file = arguments.token_file, .tls_cert = arguments.tls_cert, .tls_key = arguments.tls_key};
    Result<SessionOptions> following = sessionOf({.hub = hubAddress(arguments, shown), .copy = arguments.copy});
    if (!following.ok()) return fail(following.status().message());
    session = std::move(*following);
  }
  const Status taken = takeScreenshot({session, arguments.place, size, QString::fromStdString(arguments.out)});
  return taken.ok() ? 0 : fail(taken.message());
}

int runWindow(QApplication& app, const Arguments& arguments) {
  QSettings settings;
  setLanguage(wantedLanguage(arguments, readSettings(settings).language));
  applyTheme(app, wantedTheme(arguments, &settings));
  const Result<HubOptions> hub = arguments.hub.options();
  if (!hub.ok()) return fail(hub.status().message());
  SessionOptions session{.store = arguments.store};
  if (!arguments.connect.empty()) {
    Result<SessionOptions> following = sessionOf({.hub = hubAddress(arguments, *hub), .copy = arguments.copy});
    if (!following.ok()) return fail(following.status().message());
    session = std::move(*following);
  } else if (const auto followed = hubOfCopy(settings, QString::fromStdString(arguments.store)); followed && !arguments.link.empty()) {
    // A link is opened to see the current state, not that of an old replica.
    Result<SessionOptions> following = sessionOf({.hub = *followed, .copy = arguments.store});
    if (following.ok()) session = std::move(*following);
    if (!following.ok()) fail(following.status().message());
  }
  if (arguments.live) session.hub = *hub;
  Result<std::vector<ScrapeTarget>> scrape = arguments.hub.scrapeTargets();
  if (!scrape.ok()) return fail(scrape.status().message());
  session.scrape = std::move(*scrape);
  session.receive = arguments.hub.receive();
  Result<std::optional<KubeSelection>> kubernetes = arguments.hub.kubernetes();
  if (!kubernetes.ok()) return fail(kubernetes.status().message());
  session.kubernetes = std::move(*kubernetes);
  Result<std::optional<PrometheusSelection>> prometheus = arguments.hub.prometheus().selection();
  if (!prometheus.ok()) return fail(prometheus.status().message());
  if (arguments.live) session.prometheus = std::move(*prometheus);
  if (*prometheus && !arguments.live) session.metrics = metricsOf(arguments.hub.prometheus().service().question());
  if (!arguments.alerts.empty()) {
    Result<AlertOptions> alerts = readAlertRules(arguments.alerts);
    if (!alerts.ok()) return fail(alerts.status().message());
    session.alerts = std::move(alerts).value();
  }
  // If another process's hub writes the store, the same options are the credentials for that hub.
  ControlArguments control;
  if (!arguments.live)
    control = {.token_file = hub->token_file, .tls_ca = arguments.tls_ca, .tls_cert = hub->tls_cert, .tls_key = hub->tls_key};
  const Result<ControlTarget> target = control.target();
  if (!target.ok()) return fail(target.status().message());
  session.control = *target;
  quitOnSignals(app);
  Console console(session, arguments.place, &settings);
  QObject::connect(&console, &Console::placedChanged, &console, [&console] {
    if (!console.placed()->ok()) fail(console.placed()->message());
  });
  console.window().show();
  return QApplication::exec();
}

int runConsole(int argc, char** argv) {
  Arguments arguments;
  CommandLine line("runglass", "Watches GPU clusters and training runs.");
  const Options options = line.options();
  options.helpFlag("Print this help and exit");
  options.add("store", arguments.store, "The store, a .rgl file; or a runglass:// link into one that was opened here before");
  options.add("--link", arguments.link, "Open this runglass:// link");
  options.flag("--live", arguments.live, "Write the store and receive agents (127.0.0.1, any free port, or --listen)");
  const Option listen = options.add("--listen", arguments.hub.listen, "Address of the hub, HOST:PORT or unix:PATH; implies --live");
  arguments.hub.declare(options);
  arguments.hub.declareWindow(options);
  options.add("--alerts", arguments.alerts, "Hub: alert rules and targets (TOML; docs/operate/alerts.md); default: screen");
  options.add("--tls-ca", arguments.tls_ca, "CA certificate of the hub to connect to (PEM); enables TLS");
  declarePlace(options, arguments);
  const Options shot = options.subcommand("screenshot", "Write one view as a PNG; needs no display");
  shot.add("--store", arguments.store, "The store, a .rgl file");
  shot.add("--size", arguments.size, "WIDTHxHEIGHT in pixels").defaultShown();
  shot.add("--out", arguments.out, "The PNG to write").required();
  declarePlace(shot, arguments);
  shot.find("--view").required();
  const Options report = options.subcommand("report", "Write a report of an incident, a finding or a run; needs no display");
  ReportArguments report_of;
  report_of.declare(report);
  options.find("--token-file").help("Hub: bearer tokens, one per line; client: its token; mode 0600");
  options.find("--tls-cert").help("Hub: server certificate (PEM), required beyond loopback; client: its certificate");
  const auto declareConnect = [&arguments](Options to) {
    to.add("--connect", arguments.connect, "Replicate the hub at HOST:PORT or unix:PATH and show it");
    to.add("--mirror", arguments.copy, "With --connect: file of the replica (.rgl); default: one for each hub");
  };
  declareConnect(options);
  declareConnect(shot);
  shot.add("--token-file", arguments.token_file, "Bearer token for the hub, mode 0600");
  shot.add("--tls-ca", arguments.tls_ca, "CA certificate of the hub (PEM); enables TLS");
  shot.add("--tls-cert", arguments.tls_cert, "Client certificate for the hub (PEM)");
  shot.add("--tls-key", arguments.tls_key, "Its key (PEM)");
  options.examples(
      "runglass night.rgl --view timeline --select rank=37,step=48210\n"
      "runglass --live run.rgl --listen 127.0.0.1:7070\n"
      "runglass --prometheus http://prom:9090 --slurm 4711\n"
      "runglass --connect unix:$HOME/hub.sock\n"
      "runglass --connect hub.example:7070 --tls-ca ca.pem --token-file read.token\n");
  shot.examples("runglass screenshot --store night.rgl --view overview --size 1920x1080 --out overview.png\n");
  report.examples(
      "runglass report --store night.rgl --out report\n"
      "runglass report --store night.rgl --incident 7f3a --redact hosts,users --format pdf,html --out report\n");
  if (const auto exit = line.parse(argc, argv)) return *exit;
  if (const auto wrong = wrongUsage(arguments)) return *wrong;
  if (shot.parsed() && arguments.store.empty() == arguments.connect.empty()) return fail("screenshot: needs --store or --connect", 2);
  if (const auto wrong = wrongConnect(arguments, options)) return *wrong;
  takeFileUrl(arguments);
  silenceLibraries();
  arguments.live = arguments.live || listen.count() > 0;
  if (const auto wrong = wrongMetrics(arguments)) return *wrong;
  if (arguments.live && arguments.store.empty()) return fail("--live: needs a store to write", 2);
  if (shot.parsed() || report.parsed())
    qputenv("QT_QPA_PLATFORM", "offscreen");
  else if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
           qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    return fail(std::string("no display to open a window on") + kWithoutDisplay);
  // The order of a PDF's fonts depends on hashes; with a fixed seed, the same report is the same bytes in each process.
  if (report.parsed()) QHashSeed::setDeterministicGlobalSeed();
  qInstallMessageHandler(onQtMessage);
  QCoreApplication::setOrganizationName("runglass");
  QCoreApplication::setApplicationName("runglass");
  QCoreApplication::setApplicationVersion(RG_VERSION);
  QGuiApplication::setDesktopFileName(RG_APPLICATION_ID);
  if (!shot.parsed() && !report.parsed()) scaleAtStart(readSettings(QSettings()));
  QApplication app(argc, argv);
  g_startup.done = true;
  for (const std::string& problem : g_startup.problems) fail(problem);
  QGuiApplication::setWindowIcon(icon(QStringLiteral("runglass")));
  if (shot.parsed()) {
    const int exit = runScreenshot(arguments);
    warnOfDamage();
    return exit;
  }
  if (report.parsed()) {
    const Status made = runAroundDamage([&] { return makeReport(report_of, std::string("runglass ") + RG_VERSION); });
    warnOfDamage();
    return made.ok() ? 0 : fail(made.message(), made.code() == Code::kInvalidArgument ? 2 : 1);
  }
  if (const auto wrong = takeLink(arguments)) return *wrong;
  return runWindow(app, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  runglass::keepFilesPrivate();
  try {
    return runConsole(argc, argv);
  } catch (const std::exception& error) {
    // Third-party code and out of memory; Runglass itself throws nothing.
    return fail(error.what());
  }
}
