// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import java.util.Arrays;
import java.util.Collection;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.TestDecodingValidator;
import org.junit.runners.Parameterized;

/**
 * Runs Hadoop's tests of its decoding validator with the coders under test (Hadoop 3.3 and 3.4).
 */
public class DecodingValidatorTest extends TestDecodingValidator {
  /**
   * One instance per set of parameters.
   *
   * @param factory the coder
   * @param dataUnits k
   * @param parityUnits m
   * @param erasedData erased data units
   * @param erasedParity erased parity units
   */
  public DecodingValidatorTest(
      Class<? extends RawErasureCoderFactory> factory,
      int dataUnits,
      int parityUnits,
      int[] erasedData,
      int[] erasedParity) {
    super(factory, dataUnits, parityUnits, erasedData, erasedParity);
  }

  /**
   * Replaces the parameters of the base class, which use Hadoop's own coders.
   *
   * @return constructor arguments
   */
  @Parameterized.Parameters
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
