#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes build/stripeline-<version>.tar.gz: bin/stripeline, lib/ with both jars, the C header and library,
# conf/ with sample configuration, and the licence. Refuses a jar without both native libraries.
set -euo pipefail
cd "$(dirname "$0")/.."

jar=$(ls java/cli/target/stripeline-[0-9]*.jar | grep -v -e sources -e javadoc | head -n 1)
command=${jar/stripeline-/stripeline-cli-}
version=$(basename "$jar" .jar)
for library in native/linux-x86_64/libstripeline_jni.so native/linux-aarch64/libstripeline_jni.so; do
  unzip -l "$jar" "$library" >/dev/null ||
    { echo "Cannot make the archive: $jar lacks $library; run 'make build'" >&2; exit 1; }
done

stage=build/dist/$version
rm -rf "$stage"
mkdir -p "$stage"/{bin,lib,include,conf}
install -m 755 stripeline "$stage/bin/"
install -m 644 "$jar" "$command" "$stage/lib/"
for arch in x86_64 aarch64; do
  install -D -m 755 "build/native/linux-$arch/libstripeline.so" "$stage/lib/native/linux-$arch/libstripeline.so"
done
install -m 644 crates/capi/include/stripeline.h crates/capi/include/stripeline.hpp "$stage/include/"
install -m 644 docs/user/core-site.sample.xml "$stage/conf/"
install -m 644 LICENSE README.md CHANGELOG.md "$stage/"
# Sorted names, one owner and one time give the same archive for the same commit.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
  -C build/dist -cf - "$version" | gzip -n >"build/$version.tar.gz"
(cd build && sha512sum "$version.tar.gz" >"$version.tar.gz.sha512")
echo "made build/$version.tar.gz" >&2
