// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import java.util.Arrays;
import java.util.Collection;
import org.apache.hadoop.io.erasurecode.rawcoder.TestDecodingValidator;

/** Runs Hadoop's tests of its decoding validator with the coders under test (Hadoop 3.5). */
public class DecodingValidatorTest extends TestDecodingValidator {
  /**
   * Replaces the parameters of the base class, which use Hadoop's own coders.
   *
   * @return arguments of each test method
   */
  public static Collection<Object[]> data() {
    return Arrays.asList(
        new Object[][] {
          {LiveFactory.Rs.class, 6, 3, new int[] {1}, new int[] {}},
          {LiveFactory.Rs.class, 6, 3, new int[] {3}, new int[] {0}},
          {LiveFactory.Rs.class, 6, 3, new int[] {2, 4}, new int[] {1}},
          {LiveFactory.RsLegacy.class, 6, 3, new int[] {2, 4}, new int[] {1}},
          {LiveFactory.Xor.class, 10, 1, new int[] {0}, new int[] {}},
        });
  }
}
