#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the archive and the Debian package, installs both into a temporary directory and checks what they contain.
# usage: scripts/test-dist.sh [--built]
#   --built   `mvn -Pdist package` has built the jars and the manual pages; else they are built first
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ! -e build/native/linux-aarch64/libstripeline_jni.so ]]; then
  echo "test-dist: nothing is tested: this machine cannot build for aarch64, and a package needs both architectures" >&2
  exit 0
fi
case "$*" in
"") mvn --batch-mode --no-transfer-progress --quiet -f java/pom.xml -pl cli -am -DskipTests -Pdist package ;;
--built) ;;
*) echo "usage: scripts/test-dist.sh [--built]" >&2; exit 2 ;;
esac
scripts/dist.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
components=$(ls build/stripeline-[0-9]*.cdx.json)
version=$(basename "$components" .cdx.json)
version=${version#stripeline-}

fail() {
  echo "test-dist: $*" >&2
  exit 1
}

# Runs an installed command in an environment without Hadoop, and expects a line in its output.
expect() {
  local line=$1 out
  shift
  out=$(env -i PATH=/usr/bin:/bin HOME="$work" ${JAVA_HOME:+JAVA_HOME="$JAVA_HOME"} "$@" 2>&1) ||
    fail "$* failed: $out"
  grep -qF -- "$line" <<<"$out" || fail "$* does not print '$line': $out"
}

tar -xzf "build/stripeline-$version.tar.gz" -C "$work"
archive=$work/stripeline-$version
for file in LICENSE NOTICE SECURITY.md "stripeline-$version.cdx.json" \
  licenses/{stripeline,stripeline-cli,standalone}.txt \
  conf/{core-site.sample.xml,hdfs-site.sample.xml,{convert,rules}.conf.sample,rules.xml.sample} \
  docs/user/install.md docs/monitoring/stripeline-rules.yml include/stripeline.h \
  lib/native/linux-{x86_64,aarch64}/libstripeline.so systemd/stripeline-{convert@.{service,timer},rules.service}; do
  [[ -s $archive/$file ]] || fail "the archive lacks $file"
done
cmp "$components" "$archive/$(basename "$components")"
scripts/check-links.py "$archive"
expect "stripeline $version" "$archive/bin/stripeline" version
expect "no Hadoop" "$archive/bin/stripeline" version

# A manual page for each command, of which groff understands every line.
for page in docs/user/cli/*.txt; do
  name=$(basename "$page" .txt)
  manual=$archive/share/man/man1/$name.1
  [[ -s $manual ]] || fail "the archive lacks the manual page of $name"
  grep -qF ".SH \"NAME\"" "$manual" || fail "$manual has no NAME"
  if command -v groff >/dev/null; then
    warnings=$(groff -man -Tutf8 -ww -W break -z "$manual" 2>&1)
    [[ -z $warnings ]] || fail "$manual: $warnings"
  fi
done

completed=$(
  set +eu
  # shellcheck source=/dev/null
  . "$archive/share/bash-completion/completions/stripeline"
  COMP_WORDS=(stripeline conv) COMP_CWORD=1
  _complete_stripeline
  echo "${COMPREPLY[*]}"
)
[[ $completed == convert ]] || fail "bash completes 'stripeline conv' to '$completed'"

# The components are those that NOTICE names, our modules and the standard library of Rust.
python3 - "$components" "$version" <<'PYTHON' || fail "$components is wrong"
import json, re, sys
components = json.load(open(sys.argv[1]))["components"]
ours = {c["name"] for c in components if c["name"].startswith("stripeline-")}
listed = {(c["name"], c["version"]) for c in components if c["name"] not in ours}
expected = set(re.findall(r"^  (\S+) (\S+), .*, https?:", open("NOTICE").read(), re.M))
rust = re.search(r'channel = "(.*)"', open("rust-toolchain.toml").read())[1]
assert listed == expected | {("rust-std", rust)}, listed ^ expected
assert {"stripeline-native", "stripeline-client", "stripeline-convert"} <= ours, ours
PYTHON

# The jars for debuggers, IDEs and repositories: each class of ours in the jar has its source, each public one its page.
match_jars() {
  python3 - "$@" <<'PYTHON'
import re, sys, zipfile
def read(path):
    jar = zipfile.ZipFile(path)
    assert jar.testzip() is None, path
    return {name: jar.read(name) for name in jar.namelist() if not name.endswith("/")}
classes, sources, pages = read(sys.argv[1]), read(sys.argv[2] + "-sources.jar"), read(sys.argv[2] + "-javadoc.jar")
ours = {name[:-6] for name in classes if name.endswith(".class") and "$" not in name and "/shaded/" not in name}
written = {name[:-5] for name in sources if name.endswith(".java")}
assert len(ours) > 100 and ours == written, ours ^ written
public = 0
for name in written:
    text = sources[name + ".java"].decode()
    package, kind = name.rpartition("/")[0].replace("/", "."), name.rpartition("/")[2]
    assert re.search(r"^package (.*);$", text, re.M)[1] == package, name
    if re.search(r"^public .*\b(class|interface|enum) " + kind + r"\b", text, re.M):
        assert name + ".html" in pages, name + " has no page"
        public += 1
assert public > 50, public
for jar in sources, pages:
    for file in "LICENSE", "NOTICE":
        assert jar["META-INF/" + file] == open(file, "rb").read(), file
PYTHON
}
match_jars "java/cli/target/stripeline-$version.jar" "build/stripeline-$version" ||
  fail "the sources or the documentation do not match the jar"

package=build/stripeline_${version}_all.deb
root=$work/root
mkdir -p "$root/var/lib/dpkg"/{info,updates}
touch "$root/var/lib/dpkg"/{status,available}
# Java is not installed in that root.
debian=(dpkg --root="$root" --log=/dev/null --force-not-root --force-depends)
"${debian[@]}" --install "$package" >/dev/null 2>&1 || fail "dpkg cannot install $package"
expect "stripeline $version" "$root/usr/bin/stripeline" version
for file in usr/lib/systemd/system/stripeline-{convert@.timer,rules.service} etc/stripeline \
  usr/share/man/man1/stripeline-convert.1.gz \
  usr/share/bash-completion/completions/stripeline usr/share/zsh/vendor-completions/_stripeline \
  usr/share/doc/stripeline/{copyright,NOTICE,docs/user/install.md,docs/monitoring/stripeline-rules.yml} \
  usr/share/doc/stripeline/examples/{{convert,rules}.conf,rules.xml}.sample; do
  [[ -e $root/$file ]] || fail "the package lacks /$file"
done
[[ $(dpkg-deb --field "$package" Depends) == *default-jre-headless* ]] || fail "the package does not depend on Java"
scripts/check-links.py "$root/usr/share/doc/stripeline"
if command -v systemd-analyze >/dev/null; then
  # The root has none of systemd's own units.
  mkdir -p "$root/etc/systemd/system"
  for unit in sysinit basic timers shutdown multi-user network-online time-set time-sync; do
    echo '[Unit]' >"$root/etc/systemd/system/$unit.target"
  done
  units=(stripeline-convert@test.{timer,service} stripeline-rules.service)
  problems=$(systemd-analyze --root="$root" --man=no verify "${units[@]}" 2>&1) ||
    fail "systemd-analyze: $problems"
  [[ -z $problems ]] || fail "systemd-analyze: $problems"
fi
"${debian[@]}" --purge stripeline >/dev/null 2>&1 || fail "dpkg cannot remove the package"
left=$(find "$root" -type f -name '*stripeline*' -o -name '*.jar')
[[ -z $left ]] || fail "removing the package leaves $left"
echo "test-dist: passed" >&2
