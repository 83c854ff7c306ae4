// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "app/cli/cli_description.h"

namespace runglass {

Option Option::required() const { return Option(m_option->required()); }
Option Option::defaultShown() const { return Option(m_option->capture_default_str()); }
Option Option::help(std::string_view text) const { return Option(m_option->description(std::string(text))); }
Option Option::excludes(Option other) const { return Option(m_option->excludes(other.m_option)); }
Option Option::needs(Option other) const { return Option(m_option->needs(other.m_option)); }

Option Option::existingFile() const { return Option(m_option->check(CLI::ExistingFile)); }
Option Option::existingFolder() const { return Option(m_option->check(CLI::ExistingDirectory)); }
Option Option::positive() const { return Option(m_option->check(CLI::PositiveNumber)); }
Option Option::nonNegative() const { return Option(m_option->check(CLI::NonNegativeNumber)); }
Option Option::range(int min, int max) const { return Option(m_option->check(CLI::Range(min, max))); }
Option Option::range(double min, double max) const { return Option(m_option->check(CLI::Range(min, max))); }
Option Option::oneOf(const std::vector<std::string>& words) const { return Option(m_option->check(CLI::IsMember(words))); }
Option Option::check(ValueCheck check) const { return Option(m_option->check(std::move(check))); }

Option Option::delimiter(char between) const { return Option(m_option->delimiter(between)); }
Option Option::oneValueEach() const { return Option(m_option->allow_extra_args(false)); }

std::size_t Option::count() const { return m_option->count(); }

namespace {

template <typename T>
Option addTo(CLI::App& app, std::string_view names, T& value, std::string_view help) {
  return Option(app.add_option(std::string(names), value, std::string(help)));
}

}  // namespace

Option Options::add(std::string_view names, std::string& value, std::string_view help) const { return addTo(*m_app, names, value, help); }
Option Options::add(std::string_view names, int& value, std::string_view help) const { return addTo(*m_app, names, value, help); }
Option Options::add(std::string_view names, std::int64_t& value, std::string_view help) const { return addTo(*m_app, names, value, help); }
Option Options::add(std::string_view names, double& value, std::string_view help) const { return addTo(*m_app, names, value, help); }
Option Options::add(std::string_view names, std::optional<std::int32_t>& value, std::string_view help) const {
  return addTo(*m_app, names, value, help);
}
Option Options::add(std::string_view names, std::optional<std::int64_t>& value, std::string_view help) const {
  return addTo(*m_app, names, value, help);
}
Option Options::add(std::string_view names, std::optional<double>& value, std::string_view help) const {
  return addTo(*m_app, names, value, help);
}
Option Options::add(std::string_view names, std::vector<std::string>& values, std::string_view help) const {
  return addTo(*m_app, names, values, help);
}
Option Options::add(std::string_view names, std::vector<std::int32_t>& values, std::string_view help) const {
  return addTo(*m_app, names, values, help);
}
Option Options::add(std::string_view names, std::vector<std::int64_t>& values, std::string_view help) const {
  return addTo(*m_app, names, values, help);
}
Option Options::flag(std::string_view names, bool& value, std::string_view help) const {
  return Option(m_app->add_flag(std::string(names), value, std::string(help)));
}

Option Options::onText(std::string_view names, const std::function<void(const std::string&)>& given, std::string_view help) const {
  return Option(m_app->add_option_function<std::string>(std::string(names), given, std::string(help)));
}
Option Options::onNumber(std::string_view names, std::function<void(std::int64_t)> given, std::string_view help) const {
  return Option(m_app->add_option_function<std::int64_t>(std::string(names), std::move(given), std::string(help)));
}
Option Options::onFlag(std::string_view names, std::function<void()> given, std::string_view help) const {
  return Option(m_app->add_flag_callback(std::string(names), std::move(given), std::string(help)));
}

Option Options::find(const std::string& name) const { return Option(m_app->get_option(name)); }

Options Options::exactlyOne(std::string_view name, std::string_view help) const {
  CLI::Option_group* const group = m_app->add_option_group(std::string(name), std::string(help));
  group->require_option(1);
  return Options(group);
}
void Options::helpFlag(std::string_view help) const { m_app->set_help_flag("-h,--help", std::string(help)); }
Options Options::subcommand(std::string_view name, std::string_view help) const {
  return Options(m_app->add_subcommand(std::string(name), std::string(help)));
}
void Options::requireSubcommand() const { m_app->require_subcommand(1); }
void Options::fallthrough() const { m_app->fallthrough(); }
void Options::check(std::function<std::string()> problem) const {
  m_app->final_callback([app = m_app, problem = std::move(problem)] {
    if (const std::string message = problem(); !message.empty()) throw CLI::ValidationError(app->get_name(), message);
  });
}
void Options::examples(std::string_view lines) const { addExamples(*m_app, lines); }

bool Options::parsed() const { return m_app->parsed(); }

CommandLine::CommandLine(std::string_view program, std::string_view help)
    : m_app(std::make_unique<CLI::App>(std::string(help), std::string(program))) {}
CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
  if (describedCommandLine(*m_app, argc, argv)) return 0;
  try {
    m_app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return m_app->exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace runglass
