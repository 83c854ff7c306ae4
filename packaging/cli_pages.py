#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the man page and the completions of one program from what it says about itself (`PROGRAM --describe-options`).

    cli_pages.py PROGRAM --date YYYY-MM-DD --man-extra FILE.roff --out DIR

DIR gets man1/NAME.1, bash/NAME, zsh/_NAME and fish/NAME.fish. --man-extra is what no option list knows: examples, files, exit status."""
import argparse
import json
import os
import re
import subprocess


MOST_CHOICES = 60  # letters


def choices(option):
    """The words an option takes where it takes no others: 'TEXT:{dark,light}'."""
    found = re.search(r'\{([^{}]*)\}', option['value'])
    return found.group(1).split(',') if found else []


def metavar(option):
    """What stands for the value: CLI11's type, or the choices, unless they are too many for a line."""
    words = '|'.join(choices(option))
    return words if 0 < len(words) <= MOST_CHOICES else option['value'].split(':')[0]


def flags(option):
    return [name for name in option['names'] if name.startswith('-')]


def words_of(app):
    return [name for option in app['options'] for name in flags(option)]


# ---- man

def roff(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return re.sub(r"(?m)^([.'])", r'\\&\1', text)


def man_option(option):
    if option['positional'] and not flags(option):
        title = '\\fI%s\\fR' % roff(option['names'][0].upper())
    else:
        title = ', '.join('\\fB%s\\fR' % roff(name) for name in flags(option))
        if option['value']:
            title += ' \\fI%s\\fR' % roff(metavar(option))
    if option['repeats']:
        title += ' ...'
    text = roff(option['help'])
    # A closed list and a default are printed once: not again if the help text contains them.
    notes = []
    if len('|'.join(choices(option))) > MOST_CHOICES:
        notes.append('one of ' + roff(', '.join(choices(option))))
    if option['default']:
        notes.append('default: ' + roff(option['default']))
    if option['required']:
        notes.append('required')
    if notes:
        text += ' (%s)' % ', '.join(notes)
    return '.TP\n%s\n%s\n' % (title, text)


def synopsis(name, app):
    parts = ['\\fB%s\\fR' % roff(name), '[options]'] if app['options'] else ['\\fB%s\\fR' % roff(name)]
    for option in app['options']:
        if option['positional']:
            word = '\\fI%s\\fR%s' % (roff(option['names'][-1].upper()), ' ...' if option['repeats'] else '')
            parts.append(word if option['required'] else '[%s]' % word)
    return ' '.join(parts)


def man_commands(app, prefix):
    text = ''
    for command in app['commands']:
        name = prefix + ' ' + command['name']
        text += '.SS %s\n%s.\n.PP\n%s\n' % (roff(name[len(app_root(prefix)) + 1:]), roff(command['help'].rstrip('.')), synopsis(name, command))
        text += ''.join(man_option(option) for option in command['options'])
        if command['examples'].strip():
            text += '.PP\n.nf\n%s\n.fi\n' % roff(command['examples'].strip('\n'))
        text += man_commands(command, name)
    return text


def app_root(prefix):
    return prefix.split(' ')[0]


def man(app, date, extra):
    name = app['name']
    text = '.\\" Written from %s \\-\\-describe\\-options.\n' % roff(name)
    text += '.TH %s 1 %s "Runglass %s" "Runglass"\n' % (roff(name.upper()), date, app['version'])
    summary = app['help'].rstrip('.')
    text += '.SH NAME\n%s \\- %s\n' % (roff(name), roff(summary[:1].lower() + summary[1:]))
    text += '.SH SYNOPSIS\n.nf\n%s\n' % synopsis(name, app)
    text += ''.join(synopsis(name + ' ' + command['name'], command) + '\n' for command in app['commands'])
    text += '.fi\n.SH DESCRIPTION\n%s\n' % roff(app['help'])
    text += '.SH OPTIONS\n' + ''.join(man_option(option) for option in app['options'])
    if app['commands']:
        text += '.SH COMMANDS\n' + man_commands(app, name)
    examples = ''.join(each['examples'] for _, each in every_app(app))
    if examples:
        text += '.SH EXAMPLES\n.nf\n%s\n.fi\n' % roff(examples.strip('\n'))
    return text + extra


# ---- completions

def every_app(app, path=()):
    yield path, app
    for command in app['commands']:
        yield from every_app(command, path + (command['name'],))


def bash(app):
    name = app['name']
    function = '_' + name.replace('-', '_')
    lines = ["# bash completion of %s, generated from the program's description of itself." % name, '%s() {' % function,
             '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" i', '  COMPREPLY=()',
             '  for ((i = 1; i < COMP_CWORD; i++)); do', '    case "$path ${COMP_WORDS[i]}" in']
    everything = list(every_app(app))
    for path, each in everything:
        before = ' '.join(('',) + path)
        with_value = [flag for option in each['options'] if option['value'] for flag in flags(option)]
        if with_value and each['commands']:  # an option value is not a command
            lines.append('      %s) i=$((i + 1)) ;;' % ' | '.join('"%s %s"' % (before, flag) for flag in with_value))
        for command in each['commands']:
            lines.append('      "%s %s") path="%s %s" ;;' % (before, command['name'], before, command['name']))
    lines += ['    esac', '  done', '  case "$path $prev" in']
    for path, each in everything:
        before = ' '.join(('',) + path)
        for option in each['options']:
            if not option['value'] or not flags(option):
                continue
            pattern = ' | '.join('"%s %s"' % (before, flag) for flag in flags(option))
            words = choices(option)
            answer = 'COMPREPLY=($(compgen -W "%s" -- "$cur"));' % ' '.join(words) if words else ''
            lines.append('    %s) %s return ;;' % (pattern, answer))
    lines += ['  esac', '  case "$path" in']
    for path, each in everything:
        lines.append('    "%s")' % ' '.join(('',) + path if path else ()))
        lines.append('      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "%s" -- "$cur")); return; fi' % ' '.join(words_of(each)))
        if each['commands']:
            lines.append('      COMPREPLY=($(compgen -W "%s" -- "$cur"))' % ' '.join(command['name'] for command in each['commands']))
        lines.append('      ;;')
    lines += ['  esac', '}', '# What is not said here is a file.', 'complete -o default -F %s %s' % (function, name), '']
    return '\n'.join(lines)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    return re.sub(r'([\[\]:\\])', r'\\\1', text)


def zsh_option(option):
    if option['positional'] and not flags(option):
        return [quoted('%s:%s:_files' % ('*' if option['repeats'] else '', zsh_text(option['names'][0])))]
    value = ''
    if option['value']:
        words = choices(option)
        value = ':%s:%s' % (zsh_text(metavar(option).lower()), '(%s)' % ' '.join(words) if words else '_files')
    names = flags(option)
    apart = '*' if option['repeats'] else '(%s)' % ' '.join(names)
    return [quoted('%s%s[%s]%s' % (apart, flag, zsh_text(option['help']), value)) for flag in names]


def zsh(app):
    name = app['name']
    lines = ['#compdef %s' % name, "# zsh completion of %s, generated from the program's description of itself." % name]
    for path, each in every_app(app):
        function = '_' + '_'.join((name.replace('-', '_'),) + path)
        lines.append('%s() {' % function)
        specs = [spec for option in each['options'] for spec in zsh_option(option) if not (each['commands'] and option['positional'])]
        if each['commands']:
            alternatives = [quoted('%s:%s' % (command['name'], zsh_text(command['help']))) for command in each['commands']]
            lines += ['  local curcontext=$curcontext state line', '  local -a commands', '  commands=(%s)' % ' '.join(alternatives)]
            lines.append('  _arguments -C \\\n    %s \\\n    %s %s' % (' \\\n    '.join(specs), quoted('1: :->command'), quoted('*:: :->rest')))
            files = '; _files' if any(option['positional'] for option in each['options']) else ''
            lines += ['  case $state in', "    command) _describe command commands%s ;;" % files, '    rest)', '      case $line[1] in']
            for command in each['commands']:
                lines.append('        %s) %s_%s ;;' % (command['name'], function, command['name']))
            lines += ['      esac ;;', '  esac']
        else:
            lines.append('  _arguments \\\n    ' + ' \\\n    '.join(specs))
        lines.append('}')
    lines += ['_%s "$@"' % name.replace('-', '_'), '']
    return '\n'.join(lines)


def fish(app):
    name = app['name']
    lines = ["# fish completion of %s, generated from the program's description of itself." % name]
    for path, each in every_app(app):
        if path:
            # The whole path: several commands have a `list`.
            condition = ' -n "%s"' % '; and '.join('__fish_seen_subcommand_from %s' % word for word in path)
        else:
            condition = ' -n __fish_use_subcommand' if app['commands'] else ''
        if len(path) == 1 and each['commands']:
            condition = ' -n "__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from %s"' % (
                path[0], ' '.join(command['name'] for command in each['commands']))
        for command in each['commands']:
            lines.append('complete -c %s%s -f -a %s -d %s' % (name, condition, command['name'], fish_text(command['help'])))
        for option in each['options']:
            if not flags(option):
                continue
            spec = ''.join(' -l %s' % flag[2:] if flag.startswith('--') else ' -s %s' % flag[1:] for flag in flags(option))
            words = choices(option)
            if words:
                spec += ' -x -a "%s"' % ' '.join(words)
            elif option['value']:
                spec += ' -r -F'
            lines.append('complete -c %s%s%s -d %s' % (name, condition, spec, fish_text(option['help'])))
    return '\n'.join(lines) + '\n'


def fish_text(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('program')
    arguments.add_argument('--date', required=True)
    arguments.add_argument('--man-extra', required=True)
    arguments.add_argument('--out', required=True)
    given = arguments.parse_args()
    said = subprocess.run([given.program, '--describe-options'], capture_output=True, check=True, text=True).stdout
    app = json.loads(said)
    with open(given.man_extra, encoding='utf-8') as file:
        extra = file.read()
    name = app['name']
    write(os.path.join(given.out, 'man1', name + '.1'), man(app, given.date, extra))
    write(os.path.join(given.out, 'bash', name), bash(app))
    write(os.path.join(given.out, 'zsh', '_' + name), zsh(app))
    write(os.path.join(given.out, 'fish', name + '.fish'), fish(app))


if __name__ == '__main__':
    main()
