// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stripeline.natives.library.NativeLoader;

/** The implementation of the codes that this process uses, and the reason for it. */
public final class CoderStatus {
  private final boolean nativeLive;
  private final String isa;
  private final String selection;
  private final String origin;
  private final String version;
  private final String fallbackCause;

  private CoderStatus(NativeLoader loader) {
    Throwable cause = loader.cause();
    this.nativeLive = cause == null;
    this.origin = loader.origin();
    this.fallbackCause = cause == null ? null : textOf(cause);
    String description = nativeLive ? NativeBridge.describe() : null;
    this.isa = nativeLive ? field(description, "isa") : "java";
    this.selection = nativeLive ? field(description, "selection") : "fallback";
    this.version = nativeLive ? field(description, "version") : NativeLoader.VERSION;
  }

  /**
   * Returns the status of this process; loads the native library if that was not attempted before.
   */
  public static CoderStatus current() {
    return Current.STATUS;
  }

  /** Returns whether the native library is loaded, tested and in use. */
  public boolean isNative() {
    return nativeLive;
  }

  /** Returns {@code native} or {@code java}. */
  public String implementation() {
    return nativeLive ? "native" : "java";
  }

  /** Returns the instruction set of the kernels in use, or {@code java}. */
  public String isa() {
    return isa;
  }

  /** Returns how the instruction set was selected, or {@code fallback}. */
  public String selection() {
    return selection;
  }

  /** Returns the version of the implementation. */
  public String version() {
    return version;
  }

  /** Returns the origin of the native library: a file, or a resource of the jar. */
  public Optional<String> origin() {
    return Optional.ofNullable(origin);
  }

  /** Returns the reason why pure Java is used, if it is. */
  public Optional<String> fallbackCause() {
    return Optional.ofNullable(fallbackCause);
  }

  @Override
  public String toString() {
    return nativeLive
        ? "native " + version + ", isa " + isa + " (" + selection + "), library " + origin
        : "java " + version + " (" + fallbackCause + ")";
  }

  private static String textOf(Throwable cause) {
    StringBuilder text = new StringBuilder(String.valueOf(cause.getMessage()));
    for (Throwable before : cause.getSuppressed()) {
      text.append("; before that: ").append(before.getMessage());
    }
    return text.toString();
  }

  /** Returns a string of the description; the native library writes no escapes in these strings. */
  private static String field(String description, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(description);
    return matcher.find() ? matcher.group(1) : "unknown";
  }

  private static final class Current {
    static final CoderStatus STATUS = new CoderStatus(NativeLoader.ofProcess(NativeSelfTest::run));

    private Current() {}
  }
}
