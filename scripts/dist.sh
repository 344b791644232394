#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes, from what `mvn -Pdist package` and scripts/build-native.sh built:
#   build/stripeline-VERSION.tar.gz    bin, lib, include, conf, docs, man, completion, systemd, licences
#   build/stripeline_VERSION_all.deb   the command and the jars under /usr
#   build/stripeline-VERSION.cdx.json  the components of both, in CycloneDX's format
#   build/stripeline-VERSION-sources.jar, build/stripeline-VERSION-javadoc.jar    by scripts/source-jars.sh
# usage: scripts/dist.sh
#   STRIPELINE_MAINTAINER   Maintainer of the .deb; set it before publishing
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "Cannot make the archive: $*" >&2
  exit 1
}

target=java/cli/target
jar=$(ls $target/stripeline-[0-9]*.jar | grep -v -e sources -e javadoc | head -n 1)
command=${jar/stripeline-/stripeline-cli-}
name=$(basename "$jar" .jar)
version=${name#stripeline-}
for library in native/linux-x86_64/libstripeline_jni.so native/linux-aarch64/libstripeline_jni.so; do
  [[ -n $(jar --list --file "$jar" "$library") ]] || fail "$jar lacks $library; run 'make build'"
done
for needed in $target/man/stripeline.1 $target/shell/completion/stripeline $target/java-components.json; do
  [[ -r $needed ]] || fail "$needed is missing; run 'make dist'"
done
# One owner and one time give the same files for the same commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# Installs what the archive and the package have in common: bin and lib.
install_command() {
  mkdir -p "$1"/{bin,lib/standalone}
  install -m 755 stripeline "$1/bin/"
  install -m 644 "$jar" "$command" "$1/lib/"
  install -m 644 $target/standalone/*.jar "$1/lib/standalone/"
}

# Prints the completion of zsh, which uses that of bash.
zsh_completion() {
  printf '%s\n' '#compdef stripeline' 'autoload -U +X bashcompinit && bashcompinit' "source $1"
}

components=build/$name.cdx.json
scripts/third-party.py sbom $target/java-components.json "$components"

stage=build/dist/$name
rm -rf build/dist
install_command "$stage"
for arch in x86_64 aarch64; do
  install -D -m 755 "build/native/linux-$arch/libstripeline.so" "$stage/lib/native/linux-$arch/libstripeline.so"
done
mkdir -p "$stage"/{include,conf,share/man/man1,share/bash-completion/completions,systemd}
install -m 644 crates/capi/include/stripeline.h crates/capi/include/stripeline.hpp "$stage/include/"
install -m 644 docs/user/*.sample.xml packaging/*.sample "$stage/conf/"
install -m 644 $target/man/*.1 "$stage/share/man/man1/"
install -m 644 $target/shell/completion/stripeline "$stage/share/bash-completion/completions/"
install -m 644 packaging/*.service packaging/*.timer "$stage/systemd/"
install -m 644 "$components" "$stage/"
scripts/install-documents.sh "$stage"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  -C build/dist -cf - "$name" | gzip -n >"build/$name.tar.gz"

root=build/dist/deb
home=$root/usr/lib/stripeline
documents=$root/usr/share/doc/stripeline
install_command "$home"
mkdir -p "$root"/{DEBIAN,etc/stripeline,usr/bin,usr/lib/systemd/system,usr/share/man/man1} \
  "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions} "$documents/examples"
ln -s ../lib/stripeline/bin/stripeline "$root/usr/bin/stripeline"
install -m 644 packaging/*.service packaging/*.timer "$root/usr/lib/systemd/system/"
install -m 644 $target/shell/completion/stripeline "$root/usr/share/bash-completion/completions/"
zsh_completion /usr/share/bash-completion/completions/stripeline >"$root/usr/share/zsh/vendor-completions/_stripeline"
install -m 644 $target/man/*.1 "$root/usr/share/man/man1/"
gzip -n9 "$root"/usr/share/man/man1/*.1
scripts/install-documents.sh "$documents"
install -m 644 "$components" packaging/*.sample "$documents/examples/"
# Debian has the text of the Apache licence, and names this file copyright.
ln -sf ../../common-licenses/Apache-2.0 "$documents/LICENSE"
{
  cat NOTICE
  printf '\n%s\n\n' 'On Debian systems the Apache License is in /usr/share/common-licenses/Apache-2.0.'
  cat licenses/*.txt
} >"$documents/copyright"
size=$(du -sk --exclude=DEBIAN "$root" | cut -f1)
maintainer=${STRIPELINE_MAINTAINER:-the Stripeline authors <root@localhost>}
sed -e "s/@VERSION@/$version/" -e "s/@SIZE@/$size/" -e "s/@MAINTAINER@/$maintainer/" \
  packaging/control >"$root/DEBIAN/control"
dpkg-deb --root-owner-group --build "$root" "build/stripeline_${version}_all.deb" >&2

scripts/source-jars.sh "$version"

made=("$name.tar.gz" "stripeline_${version}_all.deb" "$name.cdx.json" "$name-sources.jar" "$name-javadoc.jar")
(cd build && for file in "${made[@]}"; do
  sha512sum "$file" >"$file.sha512"
done)
echo "made in build: ${made[*]}" >&2
