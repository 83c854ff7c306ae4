// SPDX-License-Identifier: GPL-3.0-or-later
// A console connected to a hub: it shows the hub's data and its lag, a broken connection recovers by itself, and edits made here are
// written there.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <QLabel>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <fstream>

#include "app/cli/hub_problem.h"
#include "app/console/console.h"
#include "app/console/screenshot.h"
#include "storage/open_store.h"
#include "tests/app/live_store.h"
#include "tests/support/reserved_port.h"
#include "tests/widgets/offscreen.h"

namespace runglass {
namespace {

using testing::HasSubstr;
using testing::Not;

class ConnectTest : public testing::Test {
 protected:
  void SetUp() override {
    QStandardPaths::setTestModeEnabled(false);  // its folders are the same for all tests
    ::setenv("XDG_DATA_HOME", dir.filePath("data").toLocal8Bit().constData(), 1);
  }
  std::string file(const char* name) const { return dir.filePath(QString::fromLatin1(name)).toStdString(); }
  // A hub with a live run.
  std::unique_ptr<Hub> serve(const std::string& store, HubOptions options = {}) {
    options.listen = address;
    auto hub = Hub::start(store, options);
    EXPECT_TRUE(hub.ok()) << hub.status().message();
    if (!hub.ok()) return nullptr;
    (*hub)->post([](Writer& writer) {
      recordLiveRun(writer, wallNow() - 20 * kNsPerSecond);
      EXPECT_TRUE(writer.flush().ok());
    });
    return std::move(*hub);
  }
  static void tell(Hub& hub, std::int64_t step) {
    hub.post([step](Writer& writer) {
      const RunId run = writer.run({.uuid = "live-uuid", .name = "live live-uuid", .state = RunState::kRunning});
      const AttemptId attempt = writer.attempt({.run = run, .key = "0"});
      writer.scalar(writer.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar}), step, wallNow(), 1.5);
      EXPECT_TRUE(writer.flush().ok());
    });
  }
  SessionOptions session(const std::string& copy = {}) const {
    auto options = sessionOf({.hub = {.address = QString::fromStdString(address), .token_file = token}, .copy = copy});
    EXPECT_TRUE(options.ok()) << options.status().message();
    return options.ok() ? *options : SessionOptions();
  }
  Console& open(const SessionOptions& options, const Place& place = {.view = "overview"}) {
    console.reset();
    console = std::make_unique<Console>(options, place, settings.get());
    console->window().show();
    return *console;
  }
  std::string strip() const {
    std::string text;
    for (const StripItem& item : console->window().findChild<RunStrip*>()->items())
      text += QString(item.caption + u' ' + item.value + u';').replace(QChar(kThinSpace), u' ').toStdString();
    return text;
  }
  Severity worst() const {
    Severity worst = Severity::kInfo;
    for (const StripItem& item : console->window().findChild<RunStrip*>()->items()) worst = std::max(worst, item.severity);
    return worst;
  }
  // Searches the whole window: banner, status bar and all.
  bool says(const char* words) const {
    for (const QLabel* label : console->window().findChildren<QLabel*>())
      if (label->isVisibleTo(&console->window()) && label->text().contains(QLatin1String(words))) return true;
    return false;
  }
  bool caughtUp() const {
    return waitFor([&] { return console->followed() && console->followed()->caught_up; });
  }
  static std::vector<Note> notesOf(const std::string& store) {
    const auto reader = openStore(store).reader();
    const auto runs = reader.ok() ? (*reader)->runs() : Result<std::vector<runglass::Run>>(reader.status());
    if (!runs.ok() || runs->empty()) return {};
    const auto notes = (*reader)->notes(runs->front().id);
    return notes.ok() ? *notes : std::vector<Note>();
  }

  QTemporaryDir dir;
  // Reserved, so that a console that reconnects while no hub listens cannot connect to itself.
  const test::ReservedPort port;
  const std::string address = port.address();
  QString token;
  std::unique_ptr<QSettings> settings = std::make_unique<QSettings>(dir.filePath("settings.ini"), QSettings::IniFormat);
  std::unique_ptr<Console> console;
};

TEST_F(ConnectTest, TheRunOfTheHubIsOnTheScreenAndHowOldItIs) {
  const auto hub = serve(file("there.rgl"));
  open(session());
  ASSERT_TRUE(caughtUp());
  EXPECT_TRUE(waitFor([&] { return strip().find("live live-uuid") != std::string::npos && strip().find("s behind") != std::string::npos; }))
      << strip();
  EXPECT_TRUE(says(("hub " + address + " · ").c_str()) || says(address.c_str()));
  tell(*hub, 4'711);
  EXPECT_TRUE(waitFor([&] { return strip().find("step 4 711") != std::string::npos; })) << strip();
  EXPECT_TRUE(console->placed() && console->placed()->ok());
}

TEST_F(ConnectTest, ACutLineGrowsOldStandsStillInTimeAndHealsByItself) {
  auto hub = serve(file("there.rgl"));
  open(session());
  ASSERT_TRUE(caughtUp());
  ASSERT_TRUE(waitFor([&] { return strip().find("s behind") != std::string::npos; })) << strip();
  ASSERT_TRUE(hub->stop().ok());
  hub.reset();
  EXPECT_TRUE(waitFor([&] { return strip().find("line cut 6") != std::string::npos; })) << strip();
  EXPECT_EQ(strip().find("line cut"), 1u) << "what a narrow window drops is at the end: " << strip();
  EXPECT_EQ(worst(), Severity::kWarning);
  EXPECT_THAT(strip(), HasSubstr("data 6")) << strip();
  EXPECT_FALSE(console->window().findChild<RunStrip*>()->isHidden());
  const TimeNs stood = console->window().findChild<RunStrip*>() != nullptr ? console->followed()->complete.value_or(0) : 0;
  EXPECT_TRUE(waitFor([&] { return strip().find("line cut 8") != std::string::npos; })) << strip();
  EXPECT_EQ(console->followed()->complete, stood);
  hub = serve(file("there.rgl"));
  tell(*hub, 9'999);
  EXPECT_TRUE(waitFor([&] { return strip().find("step 9 999") != std::string::npos; })) << strip();
  EXPECT_TRUE(waitFor([&] { return strip().find("s behind") != std::string::npos; })) << strip();
  EXPECT_THAT(strip(), Not(HasSubstr("line cut")));
}

TEST_F(ConnectTest, TimeStandsStillWhileTheLineIsCutSoThatNobodyIsCalledSilent) {
  auto hub = serve(file("there.rgl"));
  StoreSession followed(session(file("copy.rgl")));
  ASSERT_TRUE(waitFor([&] { return followed.followed() && followed.followed()->caught_up; }));
  EXPECT_LT(std::abs(followed.now() - wallNow()), 60 * kNsPerSecond);
  ASSERT_TRUE(hub->stop().ok());
  ASSERT_TRUE(waitFor([&] { return !followed.followed()->connected; }));
  const TimeNs complete = followed.followed()->complete.value_or(0);
  ASSERT_TRUE(waitFor([&] { return wallNow() - complete > 7 * kNsPerSecond; }));
  EXPECT_LE(followed.now(), complete + 2 * kNsPerSecond);
  EXPECT_GE(followed.now(), complete);
}

TEST_F(ConnectTest, ANoteOfTheConsoleIsMadeAtTheHubAndComesBack) {
  const auto hub = serve(file("there.rgl"));
  const std::string copy = file("copy.rgl");
  StoreSession followed(session(copy));
  ASSERT_TRUE(waitFor([&] { return followed.followed() && followed.followed()->caught_up; }));
  EXPECT_EQ(followed.edits().refusal(), QString());
  QObject context;
  std::optional<Status> said;
  followed.edits().submit(Note{.run_uuid = "live-uuid", .author = "ada", .text = "seen from home"}, &context,
                          [&](const Status& status) { said = status; });
  ASSERT_TRUE(waitFor([&] { return said.has_value(); }));
  EXPECT_TRUE(said->ok()) << said->message();
  EXPECT_EQ(notesOf(file("there.rgl")).size(), 1u);
  EXPECT_TRUE(waitFor([&] { return notesOf(copy).size() == 1; }));
}

TEST_F(ConnectTest, ASecondWindowReadsAlongAndItsNotesGoToTheHub) {
  const auto hub = serve(file("there.rgl"));
  const std::string copy = file("copy.rgl");
  StoreSession first(session(copy));
  ASSERT_TRUE(waitFor([&] { return first.followed() && first.followed()->caught_up; }));
  open(session(copy));
  EXPECT_TRUE(waitFor([&] { return strip().find("live live-uuid") != std::string::npos && says("copy of hub"); })) << strip();
  EXPECT_FALSE(console->followed());
  StoreSession second(session(copy));
  QObject context;
  std::optional<Status> said;
  second.edits().submit(Note{.run_uuid = "live-uuid", .author = "ada", .text = "x"}, &context,
                        [&](const Status& status) { said = status; });
  ASSERT_TRUE(waitFor([&] { return said.has_value(); }));
  EXPECT_TRUE(said->ok()) << said->message();
  EXPECT_EQ(notesOf(file("there.rgl")).size(), 1u);
}

TEST_F(ConnectTest, AFileWithDataOfItsOwnIsLeftAloneAndNotShownAsTheHubs) {
  const auto hub = serve(file("there.rgl"));
  const std::string own = file("own.rgl");
  {
    const auto writer = openStore(own).writer();
    ASSERT_TRUE(writer.ok());
    recordLiveRun(**writer, kLiveStart, 1, "own-uuid");
    ASSERT_TRUE((*writer)->close().ok());
  }
  open(session(own));
  EXPECT_TRUE(waitFor([&] { return says("it is a store with data of its own; name a new file"); }));
  EXPECT_TRUE(waitFor([&] { return console->placed().has_value(); }));
  EXPECT_EQ(console->placed()->code(), Code::kFailedPrecondition);
  EXPECT_THAT(strip(), Not(HasSubstr("own-uuid")));
  console.reset();
  const auto reader = openStore(own).reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->runs()->size(), 1u);
}

TEST_F(ConnectTest, AHubThatRefusesIsSaidWithWhatToDoAndNothingIsKeptOfTheToken) {
  std::ofstream(file("access")) << "the-right-token-of-this-hub\n";
  std::ofstream(file("token")) << "a-wrong-token-that-is-secret\n";
  for (const char* name : {"access", "token"}) ASSERT_EQ(::chmod(file(name).c_str(), 0600), 0);
  const auto hub = serve(file("there.rgl"), {.token_file = file("access")});
  open(session());
  EXPECT_TRUE(waitFor([&] { return says("it requires a credential. Give a token"); }));
  token = dir.filePath("token");
  open(session());
  EXPECT_TRUE(waitFor([&] { return says("it does not know the credential"); }));
  EXPECT_EQ(worst(), Severity::kInfo) << "there is no run to warn about";
  settings->sync();
  std::ifstream kept(dir.filePath("settings.ini").toStdString());
  const std::string text{std::istreambuf_iterator<char>(kept), {}};
  EXPECT_THAT(text, HasSubstr("token_file"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  const KnownHubs known = knownHubs(settings.get());
  ASSERT_EQ(known.hubs.size(), 1u);
  EXPECT_EQ(known.hubs.front().address.toStdString(), address);
  EXPECT_EQ(known.hubs.front().token_file, token);
}

TEST_F(ConnectTest, AnotherStoreBehindTheSameAddressGetsACopyOfItsOwn) {
  auto hub = serve(file("first.rgl"));
  open(session());
  ASSERT_TRUE(caughtUp());
  // The window stays open for a while.
  ASSERT_TRUE(
      waitFor([&] { return console->followed()->frames > 0 && console->placed() && strip().find("s behind") != std::string::npos; }));
  const std::string first = copyFile(knownHubs(nullptr).folder, address);
  const std::string first_source = (*openStore(file("first.rgl")).reader())->info()->store_uuid;
  ASSERT_TRUE(hub->stop().ok());
  hub = serve(file("second.rgl"));
  tell(*hub, 77);
  EXPECT_TRUE(waitFor([&] { return strip().find("step 77") != std::string::npos; })) << strip();
  console.reset();
  const std::string second_source = (*openStore(file("second.rgl")).reader())->info()->store_uuid;
  const std::string second = copyFile(knownHubs(nullptr).folder, address, second_source);
  EXPECT_NE(first, second);
  EXPECT_EQ((*openStore(first).reader())->info()->mirror->source_uuid, first_source);
  EXPECT_EQ((*openStore(second).reader())->info()->mirror->source_uuid, second_source);
  EXPECT_EQ(copyFile(knownHubs(nullptr).folder, address, first_source), first);
}

TEST_F(ConnectTest, ALinkOfTheHubFindsTheCopyAndFollowsAgain) {
  const auto hub = serve(file("there.rgl"));
  const std::string source = (*openStore(file("there.rgl")).reader())->info()->store_uuid;
  open(session(), {.store_uuid = source, .view = "overview", .run = "live-uuid", .rank = 3});
  EXPECT_TRUE(waitFor([&] { return console->placed().has_value(); }));
  EXPECT_TRUE(console->placed()->ok()) << console->placed()->message();
  EXPECT_EQ(console->window().state().state().selection.rank, 3);
  EXPECT_TRUE(waitFor([&] { return !Console::rememberedStore(settings.get(), source).empty(); }));
  const std::string copy = Console::rememberedStore(settings.get(), source);
  EXPECT_EQ(hubOfCopy(*settings, QString::fromStdString(copy))->address.toStdString(), address);
  EXPECT_TRUE(waitFor([&] { return console->window().placeLink().contains(QString::fromStdString(source)); }));
}

TEST_F(ConnectTest, WithoutALineTheViewsShowWhatIsHereAndSpansSayWhyTheyAreNot) {
  auto hub = serve(file("there.rgl"));
  open(session());
  ASSERT_TRUE(caughtUp());
  ASSERT_TRUE(hub->stop().ok());
  hub.reset();
  ASSERT_TRUE(waitFor([&] { return console->followed()->silent.value_or(0) > 6 * kNsPerSecond; }));
  for (const char* view : {"overview", "runs", "ranking", "topology", "incidents", "findings", "events", "health"}) {
    console->window().showPlace(QString::fromLatin1(view));
    EXPECT_TRUE(waitFor([&] { return console->window().isFinal(); })) << view;
    EXPECT_FALSE(says("cannot be asked")) << view;
  }
  console->window().showPlace(QStringLiteral("timeline"));
  EXPECT_TRUE(waitFor([&] { return says("cannot be asked: no process listens there"); }));
}

TEST_F(ConnectTest, AHubThatIsNotThereIsWaitedFor) {
  auto hub = serve(file("there.rgl"));
  ASSERT_TRUE(hub->stop().ok());
  hub.reset();
  open(session());
  EXPECT_TRUE(waitFor([&] { return says("no process listens there"); }));
  EXPECT_FALSE(console->placed().has_value() && !console->placed()->ok());
  hub = serve(file("there.rgl"));
  EXPECT_TRUE(waitFor([&] { return strip().find("live live-uuid") != std::string::npos; }));
  EXPECT_FALSE(says("no process listens there"));
}

TEST_F(ConnectTest, TheHostOfAnAddressCannotLeadOutOfTheFolder) {
  const QString folder = dir.filePath("hubs");
  for (const char* hub : {"../../etc/x:1", "unix:/a/../../b", "[::1]:7070"}) {
    const QString name = QString::fromStdString(copyFile(folder, hub, "../../../../x"));
    EXPECT_EQ(QFileInfo(name).path(), folder) << name.toStdString();
  }
}

TEST(HubProblem, SaysInPlainWordsWhatToDo) {
  const ControlTarget plain{.hub = "h:1"}, tls{.hub = "h:1", .token = "t", .tls_ca = "ca.pem"};
  EXPECT_THAT(hubProblemText(Code::kUnavailable, "Ssl handshake failed: SSL routines::certificate verify failed", tls),
              HasSubstr("not one of the CA in ca.pem"));
  EXPECT_THAT(hubProblemText(Code::kPermissionDenied, "session: what 'a' showed is good for ingest, not for read", tls),
              HasSubstr("--reader"));
  EXPECT_THAT(hubProblemText(Code::kUnavailable, "last error: UNAVAILABLE: Socket closed", plain), HasSubstr("give its ca.pem"));
  EXPECT_THAT(hubProblemText(Code::kUnavailable, "DNS resolution failed for h:1: x", tls), HasSubstr("cannot be resolved"));
  EXPECT_EQ(hubProblemText(Code::kInternal, "something new", tls), "hub h:1: something new");
}

}  // namespace
}  // namespace runglass
