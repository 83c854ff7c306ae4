#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sentences of findings have one owner, analysis/words (ARCHITECTURE.md): no other file of analysis sets the summary or the message
of a Finding, and each Message{"id", {{"name", ...}}} in the sources names a template with exactly its arguments. Prints one line per
breach; exit 1 on any."""
import glob, os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CATALOGUE = 'analysis/words/sentences.cpp'
# A Finding is named finding or out.finding where it is created; in the folders of the registered analyses only findings have a summary.
SETS = re.compile(r'(?:\bfinding(?:\(\))?\.(?:summary|message)|\.summary)\s*(?:=(?!=)|\+=)|(?:insert|append|assign|swap)\(.*\.summary\b|&\w+\.(?:summary|message)\b')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def read(path):
    return open(os.path.join(ROOT, path), encoding='utf-8').read()


def producers():
    """Folders of the analyses of the registry."""
    return sorted(set(re.findall(r'#include "(analysis/\w+)/', read('analysis/registry.cpp'))) - {'analysis/engine'})


def templates():
    """id -> (arguments it needs, arguments that it may leave out)."""
    out = {}
    for row in re.findall(r'^    \{("(?:.|\n)*?")\},$', read(CATALOGUE), re.M):
        key, *text = LITERAL.findall(row)
        text = ''.join(text)
        names = lambda part: {m.split('|')[0] for m in re.findall(r'\{([^}]*)\}', part)}
        needed = names(re.sub(r'\[[^\]]*\]', '', text))
        out[key] = needed, names(text) - needed
    return out


def block(text, begin):
    """The text between the brace at `begin` and the one that closes it."""
    depth, at = 0, begin
    while True:
        if text[at] == '"':
            at = LITERAL.match(text, at).end()
            continue
        depth += {'{': 1, '}': -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return text[begin + 1:at - 1]


def top_names(args):
    """Names of {{"name", value}, ...}, without those of messages inside values."""
    names, at = set(), 0
    while (at := args.find('{', at)) >= 0:
        inner = block(args, at)
        if (first := LITERAL.match(inner.lstrip())):
            names.add(first.group(1))
        at += len(inner) + 2
    return names


def messages(text):
    """(ids, argument names) of each Message{...} of a source."""
    for found in re.finditer(r'\bMessage\{', text):
        inner = block(text, found.end() - 1)
        comma = re.search(r',\s*\{', inner)
        if comma:
            yield [i for i in LITERAL.findall(inner[:comma.start()]) if re.fullmatch(r'\w+', i)], top_names(block(inner, comma.end() - 1))


def main():
    breaches, known, used = [], templates(), set()
    for path in sorted(os.path.relpath(f, ROOT) for f in glob.glob(ROOT + '/analysis/*/*.cpp') + glob.glob(ROOT + '/analysis/*/*.h') + glob.glob(ROOT + '/widgets/*/*.cpp')):
        if os.path.dirname(path) == 'analysis/words':
            continue
        text = re.sub(r'//[^\n]*', '', read(path))
        if os.path.dirname(path) in producers():
            for number, line in enumerate(text.splitlines(), 1):
                if SETS.search(line):
                    breaches.append(f'{path}:{number}: sets a sentence of a finding; use words::setMessage()')
        for ids, names in messages(text):
            if not ids:
                breaches.append(f'{path}: a Message without an id that can be read here')
            for one in ids:
                used.add(one)
                if one not in known:
                    breaches.append(f'{path}: {one}: no such template')
                    continue
                needed, optional = known[one]
                for name in sorted(needed - names):
                    breaches.append(f'{path}: {one}: lacks the argument {name}')
                for name in sorted(names - needed - optional):
                    breaches.append(f'{path}: {one}: the template has no {name}')
    used |= known.keys() & set(LITERAL.findall(read('analysis/words/render.cpp')))  # what joins arguments
    for one in sorted(known.keys() - used):
        breaches.append(f'{CATALOGUE}: {one}: nothing uses it')
    for line in breaches:
        print('breach:', line)
    print(f'{len(known)} templates, {len(breaches)} breaches')
    return 1 if breaches or not known else 0


if __name__ == '__main__':
    sys.exit(main())
