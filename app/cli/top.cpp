// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl top: a live terminal view of GPUs and ranks. Without a terminal: plain frames.
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>

#include "app/cli/command.h"
#include "app/cli/copy_age.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/store_access.h"
#include "app/cli/top_frame.h"

namespace runglass::ctl {
namespace {

constexpr int kRefreshMs = 1'000;
volatile sig_atomic_t g_ended = 0;

// Unbuffered keys and the alternate screen, both restored at the end, also after SIGTERM or SIGINT.
class Terminal {
 public:
  Terminal() {
    ::tcgetattr(STDIN_FILENO, &m_before);
    termios raw = m_before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    struct sigaction end {};
    end.sa_handler = [](int) { g_ended = 1; };
    ::sigaction(SIGINT, &end, nullptr);
    ::sigaction(SIGTERM, &end, nullptr);
    struct sigaction resized {};
    resized.sa_handler = [](int) {};  // interrupts poll()
    ::sigaction(SIGWINCH, &resized, nullptr);
    std::fputs("\x1b[?1049h\x1b[?25l", stdout);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    std::fputs("\x1b[?25h\x1b[?1049l", stdout);
    std::fflush(stdout);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &m_before);
  }
  static void size(TopView& view) {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0) return;
    view.width = window.ws_col;
    view.height = window.ws_row;
  }
  static void show(const std::vector<std::string>& lines) {
    std::string frame = "\x1b[H";
    for (std::size_t i = 0; i < lines.size(); ++i) frame += lines[i] + "\x1b[K" + (i + 1 < lines.size() ? "\r\n" : "");
    frame += "\x1b[J";
    std::fwrite(frame.data(), 1, frame.size(), stdout);
    std::fflush(stdout);
  }
  // Waits for keys, a new size or the next refresh; false: quit.
  static bool wait(TopView& view, std::size_t rows) {
    pollfd keys{STDIN_FILENO, POLLIN, 0};
    if (::poll(&keys, 1, kRefreshMs) <= 0) return g_ended == 0;
    char typed[64];
    const ssize_t count = ::read(STDIN_FILENO, typed, sizeof typed);
    if (count == 0) return false;  // the terminal was closed
    for (ssize_t i = 0; i < count; ++i)
      if (!press(typed[i], view, rows)) return false;
    return g_ended == 0;
  }

 private:
  static bool press(char key, TopView& view, std::size_t rows) {
    const std::size_t page = view.height > 4 ? view.height - 4 : 1;
    switch (key) {
      case 'q':
        return false;
      case 'n':
        view.sort = TopSort::kPlace;
        break;
      case 'b':
        view.sort = TopSort::kBusy;
        break;
      case 'p':
        view.sort = TopSort::kPower;
        break;
      case 't':
        view.sort = TopSort::kTemperature;
        break;
      case 's':
        view.sort = TopSort::kStepTime;
        break;
      case 'j':
        view.first = std::min(view.first + 1, rows);
        break;
      case 'k':
        view.first -= std::min<std::size_t>(view.first, 1);
        break;
      case ' ':
        view.first = view.first + page < rows ? view.first + page : 0;
        break;
      default:
        break;
    }
    return true;
  }

  termios m_before{};
};

class Top : public Command {
 public:
  const char* name() const override { return "top"; }
  const char* help() const override { return "Watch GPUs and ranks in a terminal; q quits"; }
  const char* examples() const override {
    return "runglassctl top --store run.rgl --sort step_time\n"
           "runglassctl top --store run.rgl --frames 1 | head -40\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--run", m_run, "The run's id, uuid or name; default: the running or newest one");
    options.add("--frames", m_frames, "Print N frames, one per second, then exit (default without a terminal: 1)").range(1, 1'000'000);
    options.add("--sort", m_sort, "node, busy, power, temp or step_time")
        .oneOf({"node", "busy", "power", "temp", "step_time"})
        .defaultShown();
    options.add("--now", m_now, "Judge ages as of this time, ns since 1970; default: now");
  }
  Status run() override {
    RG_ASSIGN(const auto reader, openForReading(m_store));
    const std::string names[] = {"node", "busy", "power", "temp", "step_time"};
    TopView view{.width = 160, .height = 100'000, .first = 0, .sort = static_cast<TopSort>(std::ranges::find(names, m_sort) - names)};
    const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
    return terminal && !m_frames ? interactive(*reader, view) : plain(*reader, view);
  }

 private:
  // The content of the screen, and the time as of which it is judged.
  Result<std::pair<TopData, TimeNs>> readFrame(Reader& reader) const {
    RG_ASSIGN(const StoreInfo info, reader.info());
    const TimeNs now = m_now.value_or(judgedAt(info, wallNow()));
    RG_ASSIGN(TopData data, readTop(reader, m_run, now));
    data.copy_age = copyAgeText(info, m_now.value_or(wallNow()));
    return std::pair(std::move(data), now);
  }
  Status plain(Reader& reader, const TopView& view) const {
    Output out = Output::standard();
    for (int frame = 0; frame < m_frames.value_or(1); ++frame) {
      if (frame > 0) ::poll(nullptr, 0, kRefreshMs);
      RG_ASSIGN(auto shown, readFrame(reader));
      std::vector<std::string> lines = topLines(std::move(shown.first), view, shown.second);
      lines.pop_back();  // the line with the keys
      for (const std::string& line : lines) out.write(line + '\n');
      RG_TRY(out.finish());
    }
    return {};
  }
  Status interactive(Reader& reader, TopView view) const {
    const Terminal terminal;
    while (true) {
      RG_ASSIGN(auto shown, readFrame(reader));
      const std::size_t rows = shown.first.rows.size();
      Terminal::size(view);
      Terminal::show(topLines(std::move(shown.first), view, shown.second));
      if (!Terminal::wait(view, rows)) return {};
    }
  }

  std::string m_store, m_run, m_sort = "node";
  std::optional<int> m_frames;
  std::optional<TimeNs> m_now;
};

}  // namespace

std::unique_ptr<Command> makeTop() { return std::make_unique<Top>(); }

}  // namespace runglass::ctl
