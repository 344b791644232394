// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativePlatformTest {
  @ParameterizedTest
  @CsvSource({
    "Linux,amd64,/native/linux-x86_64/libstripeline_jni.so,true",
    "Linux,x86_64,/native/linux-x86_64/libstripeline_jni.so,true",
    "Linux,aarch64,/native/linux-aarch64/libstripeline_jni.so,true",
    "Linux,arm64,/native/linux-aarch64/libstripeline_jni.so,true",
    "LINUX,AMD64,/native/linux-x86_64/libstripeline_jni.so,true",
    "Linux,i386,/native/linux-x86_32/libstripeline_jni.so,false",
    "Linux,ppc64le,/native/linux-ppc64le/libstripeline_jni.so,false",
    "Linux,s390x,/native/linux-s390x/libstripeline_jni.so,false",
    "Linux,riscv64,/native/linux-riscv64/libstripeline_jni.so,false",
    "Mac OS X,x86_64,/native/osx-x86_64/libstripeline_jni.dylib,false",
    "Mac OS X,aarch64,/native/osx-aarch64/libstripeline_jni.dylib,false",
    "Windows 11,amd64,/native/windows-x86_64/stripeline_jni.dll,false",
    "SunOS,sparcv9,/native/sunos-sparcv9/libstripeline_jni.so,false",
    "../../etc,../x,/native/_etc-_x/libstripeline_jni.so,false",
  })
  void mapsToAResource(String osName, String osArch, String resource, boolean supported) {
    NativePlatform platform = NativePlatform.of(osName, osArch);
    assertThat(platform.resourcePath()).isEqualTo(resource);
    assertThat(platform.isSupported()).isEqualTo(supported);
  }
}
