// SPDX-License-Identifier: GPL-3.0-or-later
// CommandLine, Options, Option: declare and parse a command line. They hide CLI11, whose headers take seconds to compile and are therefore
// included only in this library.
//
// Threading:  main thread.
// Ownership:  CommandLine owns all declarations; Options and Option are handles into it. Bound variables must outlive parse().
// Errors:     on wrong usage parse() prints a message and returns exit status 2; therefore declare everything that an option accepts.
// Cost:       O(options) per parse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace runglass {

// Returns an empty string for a valid value, else the error message.
using ValueCheck = std::function<std::string(const std::string&)>;

class Option {
 public:
  explicit Option(CLI::Option* option) : m_option(option) {}

  Option required() const;
  Option defaultShown() const;  // --help shows the variable's value at the time of this call
  Option help(std::string_view text) const;
  Option excludes(Option other) const;
  Option needs(Option other) const;

  Option existingFile() const;
  Option existingFolder() const;
  Option positive() const;
  Option nonNegative() const;
  Option range(int min, int max) const;
  Option range(double min, double max) const;
  Option oneOf(const std::vector<std::string>& words) const;
  Option check(ValueCheck check) const;

  Option delimiter(char between) const;  // an argument may hold several values
  Option oneValueEach() const;           // repeat the option for each value

  std::size_t count() const;  // occurrences on the parsed command line

 private:
  CLI::Option* m_option;
};

// The options and subcommands of a program, a subcommand or a group.
class Options {
 public:
  Options() = default;
  explicit Options(CLI::App* app) : m_app(app) {}

  // `names`: "--store"; "SQL" is positional; "--store,STORE" is both.
  Option add(std::string_view names, std::string& value, std::string_view help) const;
  Option add(std::string_view names, int& value, std::string_view help) const;
  Option add(std::string_view names, std::int64_t& value, std::string_view help) const;
  Option add(std::string_view names, double& value, std::string_view help) const;
  Option add(std::string_view names, std::optional<std::int32_t>& value, std::string_view help) const;
  Option add(std::string_view names, std::optional<std::int64_t>& value, std::string_view help) const;
  Option add(std::string_view names, std::optional<double>& value, std::string_view help) const;
  Option add(std::string_view names, std::vector<std::string>& values, std::string_view help) const;
  Option add(std::string_view names, std::vector<std::int32_t>& values, std::string_view help) const;
  Option add(std::string_view names, std::vector<std::int64_t>& values, std::string_view help) const;
  Option flag(std::string_view names, bool& value, std::string_view help) const;

  // Calls `given` instead of setting a variable.
  Option onText(std::string_view names, const std::function<void(const std::string&)>& given, std::string_view help) const;
  Option onNumber(std::string_view names, std::function<void(std::int64_t)> given, std::string_view help) const;
  Option onFlag(std::string_view names, std::function<void()> given, std::string_view help) const;

  Option find(const std::string& name) const;  // must be declared

  // Options of which exactly one is required.
  Options exactlyOne(std::string_view name, std::string_view help = {}) const;
  void helpFlag(std::string_view help) const;  // describes --help; subcommands added later inherit it
  Options subcommand(std::string_view name, std::string_view help) const;
  void requireSubcommand() const;  // requires exactly one
  void fallthrough() const;        // accepts the parent's options after a subcommand too
  // A check across options, called after parsing: returns an empty string or the error message. One per command.
  void check(std::function<std::string()> problem) const;
  // The examples at the end of --help: shell lines, each a complete command.
  void examples(std::string_view lines) const;

  bool parsed() const;  // whether this subcommand was given

 private:
  CLI::App* m_app = nullptr;
};

class CommandLine {
 public:
  CommandLine(std::string_view program, std::string_view help);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  Options options() const { return Options(m_app.get()); }
  // Also handles --help, --version and the hidden --describe-options (app/cli/cli_description.h). Returns the exit status, or nothing if
  // the program should continue.
  std::optional<int> parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> m_app;
};

}  // namespace runglass
