// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import java.util.Random;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.codec.Stripes;

/** Creates codecs, uses one, and prints the selected implementation; run in a separate JVM. */
final class LoaderProbe {
  private LoaderProbe() {}

  public static void main(String[] arguments) throws Exception {
    byte[][] units = Stripes.stripe(new Random(1), Code.RS, 6, 3, 1000);
    for (int i = 0; i < 3; i++) {
      try (ErasureCodec codec = ErasureCodec.create(Code.RS, 6, 3)) {
        if (codec.verify(units, new int[9], 1000) != -1) {
          throw new AssertionError("wrong parity from " + CoderStatus.current());
        }
      }
    }
    CoderStatus status = CoderStatus.current();
    System.out.println("implementation=" + status.implementation());
    System.out.println("origin=" + status.origin().orElse("none"));
    System.out.println("cause=" + status.fallbackCause().orElse("none"));
    System.out.println("status=" + status);
  }
}
