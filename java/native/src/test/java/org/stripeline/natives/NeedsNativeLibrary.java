// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips a test class where no native library was built. Where one was, it must load: to skip for
 * one that is there but broken would hide the very failure that the tests are for.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsNativeLibrary.Condition.class)
@interface NeedsNativeLibrary {

  /** Decides, and loads. */
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
      NativeLoader.shared().verifyEnabled();
    }

    private static boolean isBuilt() {
      return System.getProperty(NativeLoader.PATH_KEY) != null
          || NativeLoader.class.getResource(NativePlatform.current().resourcePath()) != null;
    }
  }
}
