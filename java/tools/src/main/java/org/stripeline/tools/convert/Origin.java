// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a converted file was before, kept with it so that it can become that again. */
final class Origin {
  /** In the trusted name space, which only superusers see. */
  static final String ATTRIBUTE = "trusted.stripeline.replication";

  /** The file becomes again what it was. */
  static final int FORGET = 0;

  /** A coded file is coded anew: it stays what it was before it was coded at all. */
  static final int KEEP = -1;

  private Origin() {}

  /** Replicas of each block that the file had, or 0 if it was not converted by us. */
  static int replication(Map<String, byte[]> attributes) {
    byte[] value = attributes.get(ATTRIBUTE);
    if (value == null) {
      return 0;
    }
    String text = new String(value, StandardCharsets.US_ASCII);
    return text.matches("[1-9]\\d{0,3}") ? Integer.parseInt(text) : 0;
  }

  static byte[] of(int replication) {
    return Integer.toString(replication).getBytes(StandardCharsets.US_ASCII);
  }
}
