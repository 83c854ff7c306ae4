#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layering and size budgets (ARCHITECTURE.md): an include may only point down, third-party edges stay in their room,
files stay within their budget. Prints one line per breach; exit 1 on any. layering.py [ROOT]: of another tree."""
import os, re, subprocess, sys

ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RANK = {'model': 0, 'storage': 0.9, 'net': 1, 'storage/codec': 1, 'storage/sqlite': 1, 'storage/schema': 1.1, 'storage/sql': 1.2, 'storage/read': 1.3,
        'storage/travel': 1.4, 'storage/maintain': 1.4, 'storage/write': 1.5, 'analysis/words': 1.6, 'analysis/statistics': 1.7, 'analysis/text': 1.7,
        'analysis/layout': 1.7, 'analysis/collectives': 1.7, 'analysis/steps': 1.8, 'analysis/peers': 1.8, 'analysis': 2, 'analysis/views': 2.1, 'wire': 2,
        'collectors': 3, 'services/prometheus': 3.1, 'services/slurm': 3.1, 'hub/access': 3.1, 'hub/alerts': 3.1, 'hub/replica': 3.1, 'hub/server': 3.2,
        'hub/receivers': 3.3, 'hub/watch': 3.3, 'widgets': 4, 'app/cli': 5, 'app/console': 5.1, 'app': 5.2}
# Folders that are separate rooms.
ROOMS = {'collectors/wire': 'wire'} | {f'collectors/{room}': room for room in RANK if room.startswith(('hub/', 'services/'))} | {
    room: room for room in RANK if room.startswith(('storage/', 'analysis/', 'app/'))}
# Headers at the top of storage are for every room; the files that implement them know the concrete stores.
DOORS = re.compile(r'storage/\w+\.cpp')
# Includes that a room must not have, with the reason.
BANNED = {
    'model': (r'sqlite3|grpc|google/protobuf|\bQ[A-Z]|simdjson', 'model is plain C++ values'),
    'net': (r'grpc|google/protobuf|sqlite3|<Q[A-Z]', 'net knows HTTP only'),
    'storage': (r'grpc|google/protobuf|<Q[A-Z]|simdjson', 'storage knows SQLite only'),
    'wire': (r'<sqlite3|<Q[A-Z]', 'wire is bytes and calls'),
    'analysis': (r'sqlite3|grpc|google/protobuf|<Q[A-Z]', 'analysis reads a Reader'),
    'collectors': (r'<sqlite3|<Q[A-Z]', 'collectors record through a Recorder or Writer'),
    'hub': (r'<sqlite3|<Q[A-Z]|collectors/(?!hub/|wire/)', 'a hub sees the wire and what lies below it'),
    'services': (r'<sqlite3|<Q[A-Z]|collectors/(?!services/|wire/|exposition/|text/)', 'a service is asked; it sees exposition and tools that read text'),
    'hub/receivers': (r'<sqlite3|<Q[A-Z]|collectors/(?!hub/(server|access|receivers)/|wire/|exposition/|text/)',
                      'receivers see the hub, its access file and what metrics of exporters mean'),
    'widgets': (r'sqlite3|grpc|google/protobuf|collectors/|storage/(?!reader(_at)?\.h)', 'widgets see model and storage/reader.h, reader_at.h'),
}
# The only file that reads foreign databases, which a Recorder cannot do.
FOREIGN_SQLITE = 'collectors/importers/nsys/foreign_database.cpp'
SOURCE_HARD, HEADER_HARD, SOURCE_SOFT = 800, 250, 400
# Mutexes have clang's annotations only as types of model/mutex.h.
MUTEX = re.compile(r'\bstd::(\w*mutex|\w+_lock|lock_guard|condition_variable\w*|once_flag|call_once)\b|#\s*include\s*<(mutex|shared_mutex|condition_variable)>')
MUTEX_HEADER = 'model/mutex.h'
# A command's answer is written by answer.cpp alone; a JSON string by output.cpp, the description of a command line in a library of its own.
ANSWERS = ('app/cli/answer.cpp', 'app/cli/output.cpp', 'app/cli/cli_description.cpp')
# Folders of C whose units (a .c with its .h) include each other in one direction only.
ACYCLIC = ('collectors/client/', 'collectors/cuda/')
# Of these the folders, rooms within a room, do not include each other in a circle.
FOLDERS = ('analysis', 'collectors', 'storage', 'widgets', 'app', 'model', 'net')
NAMES = re.compile(r'(^|_)(utils?|helpers?|manager|common)(_|\.)')


def tracked():
    out = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if f.endswith(('.h', '.cpp', '.c')) and os.path.exists(os.path.join(ROOT, f))]


def room_of(path):
    return next((room for folder, room in ROOMS.items() if path.startswith(folder + '/')), path.split('/')[0])


def check(path, breaches, soft):
    room = room_of(path)
    text = open(os.path.join(ROOT, path), encoding='utf-8').read()
    lines = text.count('\n')
    if NAMES.search(os.path.basename(path)):
        breaches.append(f'{path}: the name says nothing about what it holds')
    if 'SPDX-License-Identifier: ' not in text[:200]:
        breaches.append(f'{path}: no SPDX line')
    licence = 'GPL-3.0-or-later' if room.split('/')[0] in ('widgets', 'app') else 'Apache-2.0'
    if room in RANK and f'SPDX-License-Identifier: {licence}' not in text[:200]:
        breaches.append(f'{path}: must be {licence}')
    if room == 'tests' and not path.endswith('.h') and lines > SOURCE_HARD:
        breaches.append(f'{path}: {lines} lines, limit {SOURCE_HARD}')
    if room not in RANK:
        return
    limit = HEADER_HARD if path.endswith('.h') else SOURCE_HARD
    if lines > limit:
        breaches.append(f'{path}: {lines} lines, limit {limit}')
    elif not path.endswith('.h') and lines > SOURCE_SOFT:
        soft.append(f'{path}: {lines} lines (soft limit {SOURCE_SOFT})')
    for number, line in enumerate(text.splitlines(), 1):
        if path != MUTEX_HEADER and (name := MUTEX.search(line)):
            breaches.append(f'{path}:{number}: {name.group(0)}; use {MUTEX_HEADER}, whose types the thread safety analysis knows')
        if path.startswith('app/cli/') and path not in ANSWERS and '.dump(' in line:
            breaches.append(f'{path}:{number}: writes JSON; use app/cli/answer.h')
        m = re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)
        if not m:
            continue
        if m.group(1) == '"' and m.group(2).startswith('tests/'):
            breaches.append(f'{path}:{number}: includes {m.group(2)}, which is no part of the product')
        target = room_of(m.group(2))
        if m.group(1) == '"' and not DOORS.fullmatch(path) and target in RANK and target != room and RANK[target] >= RANK[room]:
            breaches.append(f'{path}:{number}: {room} (rank {RANK[room]}) includes {m.group(2)} (rank {RANK[target]})')
        pattern = BANNED.get(room) or BANNED.get(room.split('/')[0])
        foreign = path == FOREIGN_SQLITE and m.group(2) == 'sqlite3.h'
        if pattern and not foreign and re.search(pattern[0], m.group(1) + m.group(2)):
            breaches.append(f'{path}:{number}: includes {m.group(2)}; {pattern[1]}')


def mentions(breaches):
    """Paths of this tree in comments and documents, and documents in comments: what they name exists. Words in capitals stand for a name."""
    out = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = {f for f in out.splitlines() if os.path.exists(os.path.join(ROOT, f))}
    known = {f[:at] for f in files for at in [m.start() for m in re.finditer('[/.]', f)]} | files
    tops = '|'.join(sorted({f.split('/')[0] for f in files if '/' in f and f[0] != '.'}))
    path = re.compile(rf'(?<![\w/.<-])(?:{tops})/[a-z0-9_/.-]*[a-z0-9_](?![A-Za-z0-9])')
    documents = {os.path.basename(f) for f in files if f.endswith('.md')}
    outside = re.compile(r'(?<![\w/.-])[a-z][\w-]*\.md\b')
    for file in sorted(files):
        if not file.endswith(('.h', '.cpp', '.c', '.md')) or file == 'CHANGELOG.md' or os.path.islink(os.path.join(ROOT, file)):
            continue
        for number, line in enumerate(open(os.path.join(ROOT, file), encoding='utf-8'), 1):
            text = line if file.endswith('.md') else line[max(line.find('//'), 0):] if '//' in line else ''
            for name in path.findall(text):
                if name not in known and not any(f.startswith(name + '_') for f in files):
                    breaches.append(f'{file}:{number}: names {name}, which does not exist')
            for name in outside.findall(text) if not file.endswith('.md') else []:
                if name not in documents:
                    breaches.append(f'{file}:{number}: names {name}, which is not in this repository')


def circle(paths, unit):
    """The units (unit: path -> its unit) of a circle of includes, or None."""
    units = {}
    for path in paths:
        text = open(os.path.join(ROOT, path), encoding='utf-8').read()
        own = unit(path)
        units.setdefault(own, set()).update({unit(h) for h in re.findall(r'^#include "([^"]+)"', text, re.M)} - {own})
    for own, others in units.items():
        others &= units.keys() - {own}
    while free := {own for own, others in units.items() if not others or not any(own in o for o in units.values())}:
        units = {own: others - free for own, others in units.items() if own not in free}
    return sorted(units) or None


def folder_of(path):
    """The folder; where it has folders of its own, the file: an interface or a registry of what lies in them."""
    folder = os.path.dirname(path)
    inside = os.path.join(ROOT, folder)
    return path if os.path.isdir(inside) and any(entry.is_dir() for entry in os.scandir(inside)) else folder


def main():
    breaches, soft = [], []
    mentions(breaches)
    headers = {}
    for path in tracked():
        check(path, breaches, soft)
        if path.endswith('.h') and (other := headers.setdefault(os.path.basename(path), path)) != path:
            breaches.append(f'{path}: has the name of {other}')
    for folder in ACYCLIC:
        if found := circle([path for path in tracked() if path.startswith(folder)], lambda path: os.path.splitext(path)[0]):
            breaches.append(f'{folder}: a circle of includes among {", ".join(found)}')
    for room in FOLDERS:
        if found := circle([path for path in tracked() if path.startswith(room + '/') and not DOORS.fullmatch(path)], folder_of):
            breaches.append(f'{room}: a circle of includes among {", ".join(found)}')
    for line in soft:
        print('note:', line)
    for line in breaches:
        print('breach:', line)
    print(f'{len(breaches)} breaches, {len(soft)} notes')
    return 1 if breaches else 0


if __name__ == '__main__':
    sys.exit(main())
