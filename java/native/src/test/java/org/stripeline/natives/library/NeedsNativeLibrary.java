// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Skips a test class if no native library was built. If one was built, it must load: skipping the
 * tests of a broken library would hide the failures that they should detect.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsNativeLibrary.Condition.class)
public @interface NeedsNativeLibrary {

  /** Decides whether to skip the class, and loads the library. */
  final class Condition implements ExecutionCondition, BeforeAllCallback {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return isBuilt()
          ? ConditionEvaluationResult.enabled("a native library was built")
          : ConditionEvaluationResult.disabled(
              "no native library was built (scripts/build-native.sh builds it)");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
      verifyLoaded();
    }

    /** Throws if the library cannot be used. */
    public static void verifyLoaded() {
      CoderStatus.current()
          .fallbackCause()
          .ifPresent(
              cause -> {
                throw new IllegalStateException(cause);
              });
    }

    private static boolean isBuilt() {
      return System.getProperty(NativeLoader.PATH_KEY) != null
          || NativeLoader.class.getResource(NativePlatform.current().resourcePath()) != null;
    }
  }
}
