#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no packages of the main Java code depend on each other in a circle, and that none has too many files.

usage: scripts/check-packages.py
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FILES_MAX = 25

# Classes that need Hadoop's package-private members have to be in its package. Numbers may only become smaller.
LARGER = {"org.apache.hadoop.hdfs": 31}

USE = re.compile(r"\b((?:org\.stripeline|org\.apache\.hadoop)(?:\.[a-z0-9]+)+)\.[A-Z]\w*")


COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def used_by(file):
    """Returns the packages that a file names outside of its comments."""
    return set(USE.findall(COMMENT.sub("", file.read_text())))


def main():
    root = Path(__file__).resolve().parent.parent
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "java/*/src/main/*.java"],
        cwd=root, check=True, capture_output=True, text=True)
    files = [root / name for name in listed.stdout.split() if (root / name).exists()]
    packages = defaultdict(list)
    for file in files:
        packages[".".join(file.relative_to(root).parts[5:-1])].append(file)
    uses = {
        name: {used for file in own for used in used_by(file) if used in packages} - {name}
        for name, own in packages.items()
    }
    problems = [
        f"{name} has {len(own)} files, at most {LARGER.get(name, FILES_MAX)}: divide it"
        for name, own in packages.items()
        if len(own) > LARGER.get(name, FILES_MAX)
    ]
    # Hadoop's own packages use each other, and so do the classes that have to be in them.
    circle = find_circle({name: used for name, used in uses.items() if name.startswith("org.stripeline")})
    if circle:
        problems.append("packages depend on each other in a circle: " + " -> ".join(circle))
    for problem in problems:
        print(f"check-packages: {problem}", file=sys.stderr)
    sys.exit(bool(problems))


def find_circle(uses):
    """Returns the packages of one circle, or None."""
    done = set()

    def visit(name, path):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        for used in sorted(uses.get(name, ())):
            circle = visit(used, path + [name])
            if circle:
                return circle
        done.add(name)
        return None

    for name in sorted(uses):
        circle = visit(name, [])
        if circle:
            return circle
    return None


if __name__ == "__main__":
    main()
