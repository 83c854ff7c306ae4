#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the packages bring is whole, valid and true: packaging_test.py CASE --build DIR --written DIR --id ID --version V --gui 0|1.
What man pages and completions say is held against --help, not against what they were written from."""
import argparse
import gzip
import os
import re
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from checks import end, expect, same, skip

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEDIA_TYPE = 'application/x-runglass'
given = None


def need(tool):
    if shutil.which(tool) is None:
        skip('%s is not installed (./dev package installs it)' % tool)


def run(arguments, **options):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def text_of(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def program(name):
    return os.path.join(given.build, 'bin', name)


def programs():
    return ['runglassctl', 'runglass-agent'] + (['runglass'] if given.gui else [])


def helped(name, path=()):
    """{path of a command: (its options, its commands)} as --help tells, all the way down."""
    text = run([program(name), *path, '--help']).stdout
    options, commands, section = set(), [], ''
    for line in text.splitlines():
        if line and not line.startswith(' '):
            section = line.rstrip(':')
        found = re.match(r'\s+(-[-\w,]+)', line)
        if found and section != 'Subcommands':
            options.update(found.group(1).split(','))
        elif section == 'Subcommands' and re.match(r'  \w', line):
            commands.append(line.split()[0])
    expect('--help' in options, '%s %s --help names no --help' % (name, ' '.join(path)))
    everything = {path: (options, commands)}
    for command in commands:
        everything.update(helped(name, path + (command,)))
    return everything


def desktop_entry():
    entry = {}
    for line in text_of(given.written, given.id + '.desktop').splitlines():
        key, equals, value = line.partition('=')
        if equals:
            entry[key] = value
    return entry


def case_desktop_file():
    need('desktop-file-validate')
    found = run(['desktop-file-validate', os.path.join(given.written, given.id + '.desktop')])
    same(found.stdout, '', 'desktop-file-validate')
    same(found.returncode, 0, 'desktop-file-validate')


def case_appstream():
    need('appstreamcli')
    found = run(['appstreamcli', 'validate', '--no-net', os.path.join(given.written, given.id + '.metainfo.xml')])
    same(found.returncode, 0, 'appstreamcli validate: ' + found.stdout)


def case_ids():
    mime = xml.parse(os.path.join(SOURCE, 'packaging/linux/runglass-mime.xml')).getroot()
    spaces = {'m': 'http://www.freedesktop.org/standards/shared-mime-info'}
    same([each.get('type') for each in mime.findall('m:mime-type', spaces)], [MEDIA_TYPE], 'the media type')
    if not given.gui:
        return
    entry = desktop_entry()
    page = xml.parse(os.path.join(given.written, given.id + '.metainfo.xml')).getroot()
    same(page.findtext('id'), given.id, 'id of the AppStream page')
    same(page.findtext('launchable'), given.id + '.desktop', 'what the AppStream page launches')
    same(page.findtext('icon'), entry['Icon'], 'icon of the AppStream page')
    same(page.findtext('provides/mediatype'), MEDIA_TYPE, 'media type of the AppStream page')
    same(page.findtext('provides/binary'), entry['Exec'].split()[0], 'program of the AppStream page')
    same(page.findtext('metadata_license'), 'CC0-1.0', 'licence of the AppStream page')
    same(page.find('releases/release').get('version'), given.version, 'newest release')
    same(page.findtext('summary'), entry['Comment'], 'summary')
    same(entry['Icon'], given.id, 'icon of the desktop file')
    same(entry['MimeType'], MEDIA_TYPE + ';x-scheme-handler/runglass;', 'what the desktop file opens')
    same(entry['StartupWMClass'], 'runglass', 'class of the window: the program\'s name')
    with open(program('runglass'), 'rb') as file:
        expect(given.id.encode() in file.read(), 'the console does not name its desktop file ' + given.id)
    expect('setDesktopFileName(RG_APPLICATION_ID)' in text_of(SOURCE, 'app/main_console.cpp'), 'the console does not set its desktop file')
    expect('"runglass://"' in text_of(SOURCE, 'model/place_link.cpp'), 'links have another scheme than the desktop file')


def case_icons():
    if not given.gui:
        return
    for kind, name in (('apps', given.id), ('mimetypes', MEDIA_TYPE.replace('/', '-'))):
        for size in (16, 24, 32, 48, 64, 128, 256, 512):
            with open(os.path.join(given.written, 'icons', '%dx%d' % (size, size), kind, name + '.png'), 'rb') as file:
                head = file.read(24)
            same(head[:8], b'\x89PNG\r\n\x1a\n', name)
            same(struct.unpack('>II', head[16:24]), (size, size), '%s at %d' % (name, size))


def magic_matches(match, head):
    """One <match> of a shared-mime-info <magic> and those inside it."""
    value, offset = match.get('value'), int(match.get('offset'))
    if match.get('type') == 'big32':
        wanted = struct.pack('>I', int(value, 16))
    else:
        wanted = value.encode().decode('unicode_escape').encode('latin-1')
    if head[offset:offset + len(wanted)] != wanted:
        return False
    return not len(match) or any(magic_matches(inner, head) for inner in match)


def case_magic():
    mime = xml.parse(os.path.join(SOURCE, 'packaging/linux/runglass-mime.xml')).getroot()
    magic = mime.find('.//{*}magic')
    with tempfile.TemporaryDirectory() as folder:
        store, other, log = (os.path.join(folder, name) for name in ('s.rgl', 'other.db', 'state.json'))
        with open(log, 'w', encoding='utf-8') as file:
            file.write('{"global_step": 1, "log_history": [{"loss": 2.5, "step": 1, "epoch": 0.1}]}')
        made = run([program('runglassctl'), 'import', '--store', store, log])
        same(made.returncode, 0, made.stdout)
        database = sqlite3.connect(other)
        database.execute('CREATE TABLE t (x)')
        database.commit()
        database.close()
        for path, wanted in ((store, True), (other, False), (log, False)):
            with open(path, 'rb') as file:
                head = file.read(128)
            same(any(magic_matches(match, head) for match in magic), wanted, 'magic of ' + os.path.basename(path))


def man_options(name):
    """{path: options} of a man page."""
    with gzip.open(os.path.join(given.written, 'man1', name + '.1.gz'), 'rt', encoding='utf-8') as file:
        page = file.read().replace('\\-', '-')
    sections, path, title = {(): set()}, (), False
    for line in page.splitlines():
        if line.startswith('.SS '):
            path = tuple(line[4:].split())
            sections[path] = set()
        elif line.startswith('.SH '):
            path = () if line == '.SH OPTIONS' else None
        elif title and path is not None:
            sections[path].update(re.findall(r'\\fB(-[-\w]+)\\fR', line))
        title = line == '.TP'
    return sections


def case_man():
    for name in programs():
        told = {path: options for path, (options, _) in helped(name).items()}
        same(man_options(name), told, 'man page of ' + name)
        if shutil.which('man'):
            found = run(['man', '--warnings=w', '-l', os.path.join(given.written, 'man1', name + '.1.gz')], env={**os.environ, 'LC_ALL': 'C.UTF-8', 'MANPAGER': 'cat'})
            same(found.returncode, 0, 'man ' + name)
            expect('warning' not in found.stdout.split('NAME')[0], found.stdout[:500])


def case_examples():
    """Every example of --help is a command that the program has, with options that it has; and every command has one."""
    for name in programs():
        told = helped(name)
        for path, (_, commands) in told.items():
            text = run([program(name), *path, '--help']).stdout
            lines = re.findall(r'^  (%s .*)$' % re.escape(name), text.split('\nExamples:\n')[-1], re.MULTILINE)
            expect(lines or commands or len(path) > 1, 'no example in %s %s --help' % (name, ' '.join(path)))
            for line in (part for whole in lines for part in whole.split(' | ')[0].split(' && ')):
                words = shlex.split(line)
                command, rest = (), words[1:]
                while rest and command + (rest[0],) in told:
                    command, rest = command + (rest[0],), rest[1:]
                expect(command[:len(path)] == path, '%s: not of %s' % (line, path))
                known = set().union(*(told[command[:n]][0] for n in range(len(command) + 1)))
                for word in rest:
                    expect(not word.startswith('--') or word in known, '%s: no option %s' % (line, word))


def bash_answers(name, lines):
    """What bash offers after each of these lines, the last word being the one that is begun."""
    script = 'source "$1"\n'
    for words in lines:
        script += 'COMP_WORDS=(%s); COMP_CWORD=%d; _%s; echo "${COMPREPLY[*]}"\n' % (
            ' '.join("'%s'" % word for word in words), len(words) - 1, name.replace('-', '_'))
    found = run(['bash', '-c', script, 'bash', os.path.join(given.written, 'bash', name)])
    same(found.returncode, 0, found.stdout)
    return [line.split() for line in found.stdout.split('\n')]


def case_completions():
    for name in programs():
        told = helped(name)
        paths = sorted(told)
        answers = bash_answers(name, [[name, *path, '-'] for path in paths] + [[name, *path, ''] for path in paths])
        for path, answer in zip(paths, answers):
            same(set(answer), told[path][0], 'bash, options of %s %s' % (name, ' '.join(path)))
        for path, answer in zip(paths, answers[len(paths):]):
            same(answer, told[path][1], 'bash, commands of %s %s' % (name, ' '.join(path)))
        zsh = os.path.join(given.written, 'zsh', '_' + name)
        for path in paths:
            body = re.search(r'(?ms)^_%s\(\) \{$(.*?)^\}$' % '_'.join((name.replace('-', '_'),) + path), text_of(zsh))
            expect(body is not None, 'zsh: no function for %s %s' % (name, ' '.join(path)))
            if body:
                same(set(re.findall(r"'(?:\([^)]*\)|\*)(-[-\w]+)\[", body.group(1))), told[path][0], 'zsh, options of %s %s' % (name, ' '.join(path)))
        if shutil.which('zsh'):
            found = run(['zsh', '-n', zsh])
            same((found.returncode, found.stdout), (0, ''), 'zsh')
        if shutil.which('fish'):
            fish(name, told, paths)
    same(bash_answers('runglassctl', [['runglassctl', 'query', '--format', 'c']])[0], ['csv'], 'bash, words of an option')


def fish(name, told, paths):
    script = 'source %s\n' % os.path.join(given.written, 'fish', name + '.fish')
    for path in paths:
        script += 'echo "# %s"; complete -C "%s -"; complete -C "%s --"\n' % (' '.join(path), ' '.join((name,) + path), ' '.join((name,) + path))
    with tempfile.TemporaryDirectory() as home:
        found = run(['fish', '--no-config', '-c', script], env={**os.environ, 'HOME': home})
    same(found.returncode, 0, 'fish: ' + found.stdout[:500])
    parts = re.split(r'(?m)^# (.*)$', found.stdout)
    for path, part in zip(parts[1::2], parts[2::2]):
        offered = {line.split('\t')[0] for line in part.splitlines() if line.startswith('-')}
        same(offered, told[tuple(path.split())][0], 'fish, options of %s %s' % (name, path))


def case_units():
    need('systemd-analyze')
    # The exposure of the service must not grow unnoticed: systemd's own score, times ten.
    for name, executable, limit in (('runglass-agent', 'runglass-agent', 40), ('runglass-hub', 'runglassctl', 15)):
        unit = text_of(given.written, name + '.service')
        expect('ExecStart=/usr/bin/%s ' % executable in unit or 'CMAKE_INSTALL_PREFIX:PATH=/usr\n' not in text_of(given.build, 'CMakeCache.txt'),
               '%s starts another program' % name)
        expect('\nUMask=0077\n' in unit and '\nMemoryMax=' in unit, '%s: files for others, or memory without bound' % name)
        # A start may replay a long journal; the watchdog restarts a hub that hangs.
        if executable == 'runglassctl':
            expect('\nType=notify\n' in unit and '\nTimeoutStartSec=infinity\n' in unit and '\nWatchdogSec=' in unit, '%s: no watchdog' % name)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name + '.service')
            with open(path, 'w', encoding='utf-8') as file:  # not installed yet: the program of the build, no man page
                file.write(re.sub(r'(?m)^Documentation=.*\n', '', re.sub(r'ExecStart=\S+', 'ExecStart=' + program(executable), unit)))
            found = run(['systemd-analyze', 'verify', '--recursive-errors=no', path])
            same((found.returncode, found.stdout), (0, ''), 'systemd-analyze verify ' + name)
            found = run(['systemd-analyze', 'security', '--offline=true', '--threshold=%d' % limit, path])
            same(found.returncode, 0, 'systemd-analyze security %s: more than %d: %s' % (name, limit, found.stdout[-300:]))
        options = set(re.findall(r'(--[\w-]+)', re.search(r'(?m)^ExecStart=\S+(.*)$', unit).group(1)))
        options |= set(re.findall(r'(--[\w-]+)', text_of(SOURCE, 'packaging/etc', name.split('-')[1] + '.env')))
        known = helped(executable)[('serve',) if executable == 'runglassctl' else ()][0]
        expect(options <= known, '%s uses options that there are not: %s' % (name, options - known))


def case_agent_configuration():
    """All that is said in agent.toml is read, the examples that are commented out too; without a hub the agent ends at once."""
    shipped = text_of(SOURCE, 'packaging/etc/agent.toml')
    expect(re.search(r'(?m)^hub = "127.0.0.1:7070"$', shipped), 'the hub of agent.toml is not this machine\'s')
    bare = re.sub(r'(?m)^hub = .*$', '', shipped)
    for text in (bare, re.sub(r'(?m)^#(?=[\w\[]+[\w."]*( =|\]))(?!token_file|tls_ca)', '', bare)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'agent.toml')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            found = run([program('runglass-agent'), '--config', path, '--state-dir', os.path.join(folder, 'state')], timeout=20)
        same((found.returncode, found.stdout.strip()), (1, "runglass-agent: hub: none given: use --hub HOST:PORT or the configuration's hub"), 'agent.toml')
        expect(text is bare or text != bare, 'no example was tried')


def case_agent_keys():
    """Each key that a source or the agent reads stands in docs/operate/agent.md, in a row of its table; so does each source."""
    rows = [line for line in text_of(SOURCE, 'docs/operate/agent.md').splitlines() if line.startswith('|')]
    documented, tables = set(), []
    for line in rows:
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if cells[0]:  # one table or several, `[source.NAME]` or `NAME`
            tables = [re.sub(r'^\[source\.(\w+)\]$', r'\1', table) for table in re.findall(r'`([^`]+)`', cells[0])]
        documented.update((table, key) for table in tables for key in re.findall(r'`(\w+)`', cells[1]))
    names = re.findall(r'\{"(\w+)", make', text_of(SOURCE, 'collectors/sources/registry.cpp'))
    expect(len(names) >= 11, 'sources: %s' % names)
    read = {}
    for root, _, files in os.walk(os.path.join(SOURCE, 'collectors/sources')):
        for name in files:
            if name.endswith('.cpp'):
                keys = re.findall(r'config\)?\)?(?:\[|->get\(|->contains\(|\.get\()"(\w+)"', text_of(root, name))
                read.setdefault(os.path.basename(root), set()).update(keys)
    expect('fast_ms' in read['nvml'] and 'paths' in read['follow'] and 'hourly_mib' in read['capture'], 'keys: %s' % read)
    for folder, keys in read.items():
        for key in sorted(keys):
            for table in [folder] if folder != 'follow' else ['train_log', 'nccl_log', 'tfevents']:
                expect((table, key) in documented, 'docs/operate/agent.md does not document %s of [source.%s]' % (key, table))
    agent = re.search(r'kAgentKeys = \{([^}]*)\}', text_of(SOURCE, 'collectors/agent/agent_config.cpp')).group(1)
    for key in re.findall(r'"(\w+)"', agent):
        expect(('[agent]', key) in documented, 'docs/operate/agent.md does not document %s of [agent]' % key)


def installed(component, folder):
    found = run(['cmake', '--install', given.build, '--component', component], env={**os.environ, 'DESTDIR': folder})
    same(found.returncode, 0, found.stdout)
    return {os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names}


def case_files():
    lib = 'usr/lib/[^/]*'
    wanted = {
        'ctl': ['usr/bin/runglassctl', 'usr/lib/systemd/system/runglass-hub.service', 'etc/runglass/hub.env', 'usr/share/doc/runglassctl/docs/guide/findings.md'],
        'agent': ['usr/bin/runglass-agent', 'usr/lib/systemd/system/runglass-agent.service', 'etc/runglass/agent.toml', 'usr/share/runglass/scenarios/slow-gpu.toml',
                  'usr/share/runglass/slurm/agent_step.sh'],
        'client': [lib + '/librunglass.so.0', lib + '/runglass/librunglass_cuda.so', 'usr/share/runglass/python/runglass.py', 'usr/lib/python3/dist-packages/runglass.py'],
        'dev': [lib + '/librunglass.so', lib + '/librunglass.a', lib + '/pkgconfig/runglass.pc', 'usr/include/runglass.h']}
    if given.gui:
        wanted['console'] = ['usr/bin/runglass', 'usr/share/applications/%s.desktop' % given.id, 'usr/share/metainfo/%s.metainfo.xml' % given.id,
                             'usr/share/mime/packages/runglass.xml', 'usr/share/icons/hicolor/scalable/apps/%s.svg' % given.id]
    owner = {}
    for component, patterns in wanted.items():
        with tempfile.TemporaryDirectory() as folder:
            files = installed(component, folder)
            module = os.path.join(folder, 'usr/lib/python3/dist-packages/runglass.py')
            expect(component != 'client' or os.path.isfile(module), 'the link to runglass.py leads nowhere')
        for pattern in patterns + ['usr/share/doc/[^/]*/copyright', r'usr/share/doc/[^/]*/changelog\.Debian\.gz']:
            expect(any(re.fullmatch(pattern, path) for path in files), '%s: %s is missing' % (component, pattern))
        for path in files:
            expect(path not in owner, '%s is in two packages: %s, %s' % (path, owner.get(path), component))
            owner[path] = component
        for script in ('postinst', 'prerm', 'postrm', 'conffiles'):
            name = os.path.join(SOURCE, 'packaging/debian', '%s.%s' % (component, script))
            if script == 'conffiles':
                told = set(text_of(name).split()) if os.path.exists(name) else set()
                same(told, {'/' + path for path in files if path.startswith('etc/')}, 'conffiles of ' + component)
            elif os.path.exists(name):
                same(run(['sh', '-n', name]).stdout, '', name)


def main():
    global given
    arguments = argparse.ArgumentParser()
    arguments.add_argument('case')
    arguments.add_argument('--build', required=True)
    arguments.add_argument('--written', required=True)
    arguments.add_argument('--id', required=True)
    arguments.add_argument('--version', required=True)
    arguments.add_argument('--gui', type=int, required=True)
    given = arguments.parse_args()
    globals()['case_' + given.case]()
    end()


if __name__ == '__main__':
    main()
