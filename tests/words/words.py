#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that texts avoid (phrases.py), in four surfaces:

  strings      string literals of the programs, man pages and shipped configuration files
  help         descriptions of options: at most 80 characters
  docs         README.md and the other pages at the root but CHANGELOG.md, docs/
  comments     of C++, C and Python; header lines that carry no information
  identifiers  of C++ and C

counts.txt lists how many each room still has; a room that is not listed has none. A count that grows is a failure, with every place of that room.
A count that fell is lowered with `words.py --lower`, which never raises one. Code spans, links, SQL, protos and test data are left out."""
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from phrases import ALLOWED, BAD, BAD_IDENTIFIERS, EMPTY_LINES, GOOD, GOOD_IDENTIFIERS, IDENTIFIERS, PHRASES

MAX_ALLOWED, MAX_HELP = 30, 80
COUNTS = os.path.join(HERE, 'counts.txt')
COMPILED = [(re.compile(pattern, re.I), instead) for pattern, instead in PHRASES]
EMPTY = re.compile(EMPTY_LINES)
LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.S)
HELP = re.compile(r'\.(?:add|flag)\(\s*"(--[\w-]+)",\s*[\w.\->]+,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')
CODE = ('.cpp', '.h', '.c')
SQL = re.compile(r'\b(?:SELECT|INSERT INTO|CREATE (?:TABLE|TEMP|INDEX)|UPDATE rg_|DELETE FROM)\b')


def found_in(text):
    """[(phrase, instead)] of one text."""
    return [(match.group(0), instead) for pattern, instead in COMPILED for match in pattern.finditer(text)]


def parts_of(name):
    return [part.lower() for part in re.findall(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+', name)]


def bad_identifier(name):
    for words, instead, *shape in IDENTIFIERS:
        if shape and not re.fullmatch(shape[0], name):
            continue
        if any(re.fullmatch(words, part) for part in parts_of(name)):
            return instead
    return None


def prose_of(text):
    """Markdown without code, links' targets and block quotes; the lines stay."""
    blank = lambda match: re.sub(r'[^\n]', ' ', match.group(0))
    text = re.sub(r'(?ms)^ *(```|~~~).*?^ *\1[^\n]*$', blank, text)
    text = re.sub(r'(?m)(?<=\n\n)(?:(?: {4}|\t)[^\n]*\n)+|^> .*$', blank, text)
    text = re.sub(r'(`+)(?!`).+?(?<!`)\1(?!`)', blank, text)
    return re.sub(r'\]\([^)\n]*\)', ']', text)


def split_code(text):
    """(code without comments and literals, [(line, comment)], [(line, literal)]). Literals that the compiler joins are one: a phrase may be cut by the line."""
    comments, literals, code, at, line, follows = [], [], [], 0, 1, False
    token = re.compile(r'//[^\n]*|/\*.*?\*/|' + LITERAL.pattern + r"|'(?:[^'\\\n]|\\.)'", re.S)
    for match in token.finditer(text):
        code.append(text[at:match.start()])
        follows = follows and not code[-1].strip()
        line += text.count('\n', at, match.start())
        word = match.group(0)
        if word.startswith('//') or word.startswith('/*'):
            comments += [(line + i, part.strip('/* ')) for i, part in enumerate(word.split('\n'))]
        elif not word.startswith("'"):
            literal = match.group(2) if word.startswith('R') else match.group(3)
            shown = code[-1].endswith('tr(')  # a text, also where it is one word
            literals.append((literals[-1][0], literals.pop()[1] + literal) if follows else (line, literal + ' ' if shown else literal))
        follows = word.endswith('"')
        line += word.count('\n')
        at = match.end()
    code.append(text[at:])
    return ' '.join(code), comments, literals


def room_of(path):
    parts = path.split('/')
    return parts[0] if len(parts) < 3 else '/'.join(parts[:2])


def hits_of(path, text):
    """[(surface, line, what, instead)]"""
    hits = []
    if path.endswith('.md'):
        for number, line in enumerate(prose_of(text).splitlines(), 1):
            hits += [('docs', number, *hit) for hit in found_in(line)]
        return hits
    if path.endswith(('.roff', '.env')) or path.startswith('packaging/etc/'):
        for number, line in enumerate(text.splitlines(), 1):
            hits += [('strings', number, *hit) for hit in found_in(line)]
        return hits
    if path.endswith('.py'):
        for number, line in enumerate(text.splitlines(), 1):
            if '#' in line:
                hits += [('comments', number, *hit) for hit in found_in(line[line.index('#'):])]
            hits += [('strings', number, *hit) for _, quoted in re.findall(r'(["\'])((?:(?!\1).)* (?:(?!\1).)*)\1', line) for hit in found_in(quoted)]
        return hits
    code, comments, literals = split_code(text)
    for number, comment in comments:
        hits += [('comments', number, *hit) for hit in found_in(re.sub(r'`[^`]*`', '', comment))]
        if EMPTY.match(comment):
            hits.append(('comments', number, comment, 'leave the line out'))
    for number, literal in literals:
        if ' ' in literal and not SQL.search(literal):
            hits += [('strings', number, *hit) for hit in found_in(re.sub(r'`[^`]*`', '', literal))]
    for match in HELP.finditer(text):
        described = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', match.group(2)))
        if len(described) > MAX_HELP:
            hits.append(('help', text.count('\n', 0, match.start()) + 1, '%s: %d characters' % (match.group(1), len(described)), '%d at most' % MAX_HELP))
    for name in set(re.findall(r'\b[A-Za-z_]\w+', code)):
        instead = bad_identifier(name)
        if instead:
            hits.append(('identifiers', 0, name, instead))
    return hits


def wanted(path):
    if path == 'CHANGELOG.md' or path.startswith(('tests/data/', 'tests/golden/', 'LICENSES/', 'build/')) or not os.path.isfile(os.path.join(ROOT, path)):
        return False
    return path.endswith(CODE + ('.md', '.roff', '.py')) or path.startswith('packaging/etc/')


def read_counts():
    with open(COUNTS, encoding='utf-8') as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith('#')]
    return {(surface, room): int(count) for surface, room, count in rows}


def self_test():
    for text in GOOD:
        assert not found_in(text), (text, found_in(text))
    for text in BAD:
        assert found_in(text), text
    for name in GOOD_IDENTIFIERS:
        assert not bad_identifier(name), name
    for name in BAD_IDENTIFIERS:
        assert bad_identifier(name), name
    assert len(GOOD) >= 20 and len(BAD) >= 20 and len(ALLOWED) <= MAX_ALLOWED
    surfaces = [hit[0] for hit in hits_of('app/x.cpp', '// Errors: none.\nint told; options.add("--x", m_x, "%s"); f("nobody " "knows");' % ('x' * 81))]
    assert sorted(surfaces) == ['comments', 'help', 'identifiers', 'strings'], surfaces
    assert not hits_of('docs/x.md', '`nobody`\n```\nnobody\n```\n[x](nobody.md)\n') and [hit[:2] for hit in hits_of('docs/x.md', 'nobody\n\n    nobody\n\n- a\n    nobody\n`code` nobody\n')] == [
        ('docs', 1), ('docs', 6), ('docs', 7)]


def main():
    self_test()
    tracked = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    places = collections.defaultdict(list)
    for path in filter(wanted, tracked):
        with open(os.path.join(ROOT, path), encoding='utf-8') as file:
            hits = hits_of(path, file.read())
        for surface, line, what, instead in hits:
            if surface == 'strings' and path.startswith('tests/'):  # they quote the product, whose own rooms are counted
                continue
            if not any(path.startswith(start) and what.lower().startswith(phrase) for start, phrase, _ in ALLOWED):
                places[surface, room_of(path)].append('%s:%d: %s: "%s"; write: %s' % (path, line, surface, what, instead))
    if '--show' in sys.argv:
        for key in sorted(places):
            if all(word in ' '.join(key) for word in sys.argv[sys.argv.index('--show') + 1:]):
                print('\n'.join(places[key]))
        return 0
    known = read_counts()
    if '--lower' in sys.argv:
        known = {key: min(count, len(places[key])) for key, count in known.items()}
        with open(COUNTS, encoding='utf-8') as file:
            head = ''.join(line for line in file if line.startswith('#'))
        with open(COUNTS, 'w', encoding='utf-8') as file:
            file.write(head + ''.join('%s %s %d\n' % (*key, count) for key, count in sorted(known.items()) if count))
    grown = [key for key in sorted(places) if len(places[key]) > known.get(key, 0)]
    for key in grown:
        print('\n'.join(places[key]))
        print('words: %s of %s: %d, at most %d' % (*key, len(places[key]), known.get(key, 0)))
    for key, count in sorted(known.items()):
        if len(places[key]) < count:
            print('note: %s of %s: %d of %d are left; words.py --lower' % (*key, len(places[key]), count))
    print('words: %d places in %d rooms, %d rooms have more than they had' % (sum(map(len, places.values())), len([1 for hits in places.values() if hits]), len(grown)))
    return 1 if grown else 0


if __name__ == '__main__':
    sys.exit(main())
