// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** An operating system and processor, with the name of the native library on it. */
final class NativePlatform {
  /** The platforms for which the jar contains a library. */
  static final List<String> SUPPORTED =
      Collections.unmodifiableList(Arrays.asList("linux-x86_64", "linux-aarch64"));

  private final String osName;
  private final String architecture;

  private NativePlatform(String osName, String architecture) {
    this.osName = osName;
    this.architecture = architecture;
  }

  /**
   * Returns the platform for the values of the system properties {@code os.name} and {@code
   * os.arch}.
   */
  static NativePlatform of(String osName, String osArch) {
    return new NativePlatform(normalOs(osName), normalArchitecture(osArch));
  }

  /** Returns the platform that this JVM runs on. */
  static NativePlatform current() {
    return of(System.getProperty("os.name"), System.getProperty("os.arch"));
  }

  /** Returns the name of the platform's folder in the jar, such as {@code linux-x86_64}. */
  String folder() {
    return osName + "-" + architecture;
  }

  boolean isSupported() {
    return SUPPORTED.contains(folder());
  }

  /** Returns the file name of the library according to the platform's conventions. */
  String libraryFileName() {
    switch (osName) {
      case "windows":
        return "stripeline_jni.dll";
      case "osx":
        return "libstripeline_jni.dylib";
      default:
        return "libstripeline_jni.so";
    }
  }

  /** Returns the library's path in the jar. */
  String resourcePath() {
    return "/native/" + folder() + "/" + libraryFileName();
  }

  /** Returns the processor's number in an ELF header, or -1 if it is not known. */
  int elfMachine() {
    switch (architecture) {
      case "x86_64":
        return ElfHeader.MACHINE_X86_64;
      case "aarch64":
        return ElfHeader.MACHINE_AARCH64;
      default:
        return -1;
    }
  }

  private static String normalOs(String osName) {
    String name = osName.toLowerCase(Locale.ROOT);
    if (name.startsWith("linux")) {
      return "linux";
    }
    if (name.startsWith("windows")) {
      return "windows";
    }
    if (name.startsWith("mac os x") || name.startsWith("macos") || name.startsWith("darwin")) {
      return "osx";
    }
    return name.replaceAll("[^a-z0-9]+", "_");
  }

  private static String normalArchitecture(String osArch) {
    String name = osArch.toLowerCase(Locale.ROOT);
    switch (name) {
      case "amd64":
      case "x86-64":
      case "x86_64":
      case "x64":
        return "x86_64";
      case "arm64":
      case "aarch64":
        return "aarch64";
      case "i386":
      case "i486":
      case "i586":
      case "i686":
      case "x86":
        return "x86_32";
      default:
        return name.replaceAll("[^a-z0-9_]+", "_");
    }
  }
}
