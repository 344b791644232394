#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the third-party code in the two jars and the C library, from Cargo.lock and the poms.

usage: scripts/third-party.py write            write NOTICE and licenses/*.txt
       scripts/third-party.py check            fail if these files differ from the dependencies
       scripts/third-party.py sbom JAVA OUT    add the crates to the CycloneDX file that Maven wrote

Licence texts are those that the crates and jars carry. Needs no network once the crates are fetched.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
CRATES = ("stripeline-jni", "stripeline-capi")
CLUSTER, COMMAND, LOGGER = "stripeline", "stripeline-cli", "standalone"

# Licences whose terms allow distribution in a product under Apache-2.0; deny.toml has the same for crates.
ALLOWED = {"Apache-2.0", "MIT", "ISC", "CC0-1.0", "BSD-2-Clause"}

# Java libraries carry no text of the Apache licence, and state copyright only in their sources.
JAVA = {
    "com.google.code.gson:gson": ("Apache-2.0", "Copyright 2008 Google Inc.", "https://github.com/google/gson"),
    "com.j2html:j2html": ("Apache-2.0", "Copyright The j2html authors", "https://j2html.com"),
    "info.picocli:picocli": ("Apache-2.0", "Copyright 2017 Remko Popma", "https://picocli.info"),
    "org.hdrhistogram:HdrHistogram": (
        "CC0-1.0 OR BSD-2-Clause",
        "Written by Gil Tene, Michael Barker, and Matt Warren",
        "https://hdrhistogram.github.io/HdrHistogram",
    ),
    "org.slf4j:slf4j-api": ("MIT", "Copyright (c) 2004-2022 QOS.ch Sarl (Switzerland)", "https://www.slf4j.org"),
    "org.slf4j:slf4j-simple": ("MIT", "Copyright (c) 2004-2022 QOS.ch Sarl (Switzerland)", "https://www.slf4j.org"),
    "ca.umontreal.iro.simul:ssj": (
        "Apache-2.0",
        "Copyright Pierre L'Ecuyer and Université de Montréal; only its event list is contained",
        "https://github.com/umontreal-simul/ssj",
    ),
}

# What the compiler and the linker add to every library that they write.
RUNTIME = """\
The native libraries also contain parts of:

The Rust standard library {rust}, Copyright The Rust Project Developers,
  https://thanks.rust-lang.org, used under Apache-2.0, with the crates that it consists of, each of
  which is used under Apache-2.0 too: addr2line, adler2, cfg-if, compiler_builtins, gimli,
  hashbrown, libc, miniz_oxide, object, rustc-demangle; and memchr, used under the Unlicense.
  Its tables of characters are derived from data of Unicode, Inc., under Unicode-3.0.
LLVM's libunwind, Apache-2.0 WITH LLVM-exception, https://llvm.org, which allows object code to be
  distributed without further conditions.
Start files and stubs of the GNU C Library and the compiler's support routines, whose exceptions
  allow them in any program.
"""


class Part:
    """A library that a jar contains."""

    def __init__(self, name, version, licence, url, purl, about, texts):
        self.name, self.version, self.licence, self.url = name, version, licence, url
        self.purl, self.about, self.texts = purl, about, texts


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates():
    """Returns the crates whose code is in the native libraries, without procedural macros."""
    found = {}
    for target in TARGETS:
        selection = [word for name in CRATES for word in ("-p", name)]
        tree = run("cargo", "tree", "--locked", "-e", "normal", "--no-dedupe", "--prefix", "depth",
                   "-f", "|{p}|{l}|{r}", "--target", target, *selection)
        below = None  # the depth of a macro, whose own dependencies run only in the compiler
        for line in filter(None, tree.splitlines()):
            depth, package, licence, url = line.split("|")
            if below is not None and int(depth) > below:
                continue
            below = int(depth) if "(proc-macro)" in package else None
            name, version = package.split()[:2]
            if below is None and not name.startswith("stripeline"):
                found[name] = crate(name, version[1:], licence, url)
    return [found[name] for name in sorted(found)]


def crate(name, version, licence, url):
    texts = []
    for path in crate_files(name, version):
        # The text of the Apache licence is the product's own.
        if path.name.startswith(("LICENSE", "COPYING", "NOTICE")) and "APACHE" not in path.name:
            texts.append(path.read_text(encoding="utf-8"))
    if not texts and licence != "Apache-2.0":
        sys.exit(f"Cannot list {name} {version}: it carries no licence text")
    return Part(name, version, licence, url, f"pkg:cargo/{name}@{version}", "", texts)


def crate_files(name, version):
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    for folder in home.glob(f"registry/src/*/{name}-{version}"):
        return sorted(folder.iterdir())
    sys.exit(f"Cannot read the licence of {name} {version}: run 'cargo fetch --locked' first")


def libraries(execution):
    """Returns the Java libraries that an execution of a plugin includes in a jar or copies."""
    poms = [ElementTree.parse(path).getroot() for path in sorted(ROOT.glob("java/**/pom.xml"))
            if "target" not in path.parts]
    strip(poms)
    properties = {p.tag: p.text for pom in poms for p in pom.findall("properties/*")}
    versions = {}
    for dependency in (d for pom in poms for d in pom.iter("dependency")):
        version = dependency.findtext("version")
        if version and dependency.findtext("type") is None:
            key = dependency.findtext("groupId") + ":" + dependency.findtext("artifactId")
            versions[key] = re.sub(r"\$\{(.*)}", lambda m: properties.get(m[1], m[0]), version)
    found = []
    for plugin in (e for pom in poms for e in pom.iter("execution") if e.findtext("id") == execution):
        keys = [include.text for include in plugin.findall(".//artifactSet/includes/include")]
        keys += [item.findtext("groupId") + ":" + item.findtext("artifactId") for item in plugin.iter("artifactItem")]
        found += [library(key, versions[key]) for key in keys if not key.startswith("org.stripeline:")]
    return sorted(found, key=lambda part: part.name)


def strip(poms):
    for element in (e for pom in poms for e in pom.iter()):
        element.tag = str(element.tag).rpartition("}")[2]


def library(key, version):
    if key not in JAVA:
        sys.exit(f"Cannot list {key}: add its licence, copyright and address to scripts/third-party.py")
    licence, about, url = JAVA[key]
    group, name = key.split(":")
    texts = []
    if group == "org.slf4j":  # whose jars carry no text
        texts.append((ROOT / "licenses/texts/slf4j.txt").read_text(encoding="utf-8"))
    elif "Apache-2.0" not in licence:
        repository = pathlib.Path.home() / ".m2/repository"
        jar = repository / group.replace(".", "/") / name / version / f"{name}-{version}.jar"
        if jar.exists():
            texts.append(zipfile.ZipFile(jar).read("META-INF/LICENSE.txt").decode())
        else:  # before the first build; the jar's own text is compared later
            texts.append(kept_text(f"{name} {version}"))
    return Part(name, version, licence, url, f"pkg:maven/{group}/{name}@{version}", about, texts)


def kept_text(heading):
    path = ROOT / "licenses" / f"{COMMAND}.txt"
    kept = re.search(rf"^{re.escape(heading)}\n-+\n\n(.*?)(?=\n\n\n|\Z)", path.read_text(), re.M | re.S)
    return kept[1] if kept else sys.exit(f"Cannot read the licence of {heading}: run 'make build' first")


def inventory():
    """Returns the parts of each jar."""
    parts = {CLUSTER: libraries("jar-of-clusters") + crates(), COMMAND: libraries("jar-of-commands"),
             LOGGER: libraries("logger-without-hadoop")}
    for part in (part for jar in parts.values() for part in jar):
        choices = re.split(r" OR |/", part.licence)
        if not ALLOWED & set(choices):
            sys.exit(f"Cannot distribute {part.name} {part.version} under Apache-2.0: {part.licence}")
    return parts


def rust_version():
    return re.search(r'^channel = "(.*)"', (ROOT / "rust-toolchain.toml").read_text(), re.M)[1]


def table(parts):
    lines = []
    for part in parts:
        lines.append(f"  {part.name} {part.version}, {part.licence}, {part.url}")
        if part.about:
            lines.append(f"    {part.about}")
    return "\n".join(lines) + "\n"


def notice(parts):
    return f"""\
Stripeline
Copyright the Stripeline authors

This product is licensed under the Apache License, Version 2.0.

It contains the following libraries. META-INF/THIRD-PARTY-LICENSES of each jar, and the directory
licenses/ of the archive, have the texts of their licences.

stripeline-*.jar, which clusters load, has Java libraries under org.stripeline.shaded and Rust
libraries in its native libraries; libstripeline.so has the same Rust libraries:

{table(parts[CLUSTER])}
{RUNTIME.format(rust=rust_version())}
stripeline-cli-*.jar, the command, has Java libraries under org.stripeline.shaded:

{table(parts[COMMAND])}
lib/standalone of the archive has the logger of commands that run without Hadoop:

{table(parts[LOGGER])}"""


def texts(jar, parts):
    place = "lib/standalone" if jar == LOGGER else f"{jar}-*.jar"
    out = [f"Licences of the third-party code in {place}.\n\n"
           "Libraries that are listed without a text are under the Apache License, Version 2.0 alone;\n"
           "LICENSE contains it. It also applies to those with a choice of licences.\n\n" + table(parts)]
    native = any(part.purl.startswith("pkg:cargo/") for part in parts)
    if native:
        out.append(RUNTIME.format(rust=rust_version()))
    headings = {}
    for part in parts:
        for text in part.texts:
            text = "\n".join(line.rstrip() for line in text.strip().splitlines())
            headings.setdefault(text, []).append(f"{part.name} {part.version}")
    if native:
        unicode_text = (ROOT / "licenses/texts/unicode-3.0.txt").read_text().strip()
        headings[unicode_text] = [f"Tables of characters in the Rust standard library {rust_version()}"]
    for text, names in headings.items():
        heading = ", ".join(names)
        out.append(f"{heading}\n{'-' * len(heading)}\n\n{text}\n")
    return "\n\n".join(out)


def generated():
    parts = inventory()
    files = {ROOT / "NOTICE": notice(parts)}
    for jar in parts:
        files[ROOT / "licenses" / f"{jar}.txt"] = texts(jar, parts[jar])
    return files


def check():
    for path, text in generated().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"check: {path.relative_to(ROOT)} differs from the dependencies;"
                     " run scripts/third-party.py write")


def component(part):
    return {"type": "library", "bom-ref": part.purl, "name": part.name, "version": part.version,
            "licenses": [{"expression": part.licence.replace("/", " OR ")}], "purl": part.purl,
            "externalReferences": [{"type": "website", "url": part.url}]}


def sbom(source, destination):
    bom = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
    parts = inventory()
    known = {part.purl for jar in (CLUSTER, COMMAND) for part in parts[jar]}
    # Maven also lists what a jar depends on but does not contain.
    ours = "pkg:maven/org.stripeline/"
    keep = [c for c in bom["components"]
            if c["purl"].startswith(ours) or c["purl"].partition("?")[0] in known]
    native = [part for part in parts[CLUSTER] if part.purl.startswith("pkg:cargo/")]
    rust = {"type": "library", "bom-ref": "rust-std", "name": "rust-std", "version": rust_version(),
            "licenses": [{"expression": "MIT OR Apache-2.0"}]}
    bom["components"] = keep + [component(part) for part in native + parts[LOGGER]] + [rust]
    refs = {c["bom-ref"] for c in bom["components"]} | {bom["metadata"]["component"]["bom-ref"]}
    edges = [dict(d, dependsOn=[r for r in d.get("dependsOn", []) if r in refs])
             for d in bom.get("dependencies", []) if d["ref"] in refs]
    for edge in edges:
        if edge["ref"].startswith(ours + "stripeline-native@"):
            edge["dependsOn"] += [part.purl for part in native] + ["rust-std"]
    bom["dependencies"] = edges
    pathlib.Path(destination).write_text(json.dumps(bom, indent=2) + "\n", encoding="utf-8")


def main(arguments):
    if arguments == ["write"]:
        for path, text in generated().items():
            path.write_text(text, encoding="utf-8")
    elif arguments == ["check"]:
        check()
    elif len(arguments) == 3 and arguments[0] == "sbom":
        sbom(*arguments[1:])
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main(sys.argv[1:])
