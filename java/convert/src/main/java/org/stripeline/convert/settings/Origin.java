// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** What a converted file was before, kept with it so that it can become that again. */
public final class Origin {
  /** In the trusted name space, which only superusers see. */
  public static final String ATTRIBUTE = "trusted.stripeline.replication";

  /**
   * Storage policy that the command gave the file, and behind a colon the one that was set on it
   * before, if any.
   */
  public static final String STORAGE_POLICY = "trusted.stripeline.storage-policy";

  /** The file becomes again what it was. */
  public static final int FORGET = 0;

  /** A coded file is coded anew: it stays what it was before it was coded at all. */
  public static final int KEEP = -1;

  private Origin() {}

  /** Replicas of each block that the file had, or 0 if it was not converted by us. */
  public static int replication(Map<String, byte[]> attributes) {
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

  /**
   * Extended attributes of a new file that takes the place of another.
   *
   * @param extended those of the other file
   * @param origin replicas to remember, {@link #FORGET} or {@link #KEEP}
   * @param own storage policy that is set on the other file, or null
   * @param given storage policy that the new file gets instead, or null
   */
  public static Map<String, byte[]> carried(
      Map<String, byte[]> extended, int origin, String own, String given) {
    Map<String, byte[]> carried = new TreeMap<>(extended);
    if (origin != KEEP) {
      carried.remove(ATTRIBUTE);
      carried.remove(STORAGE_POLICY);
    }
    if (origin > 0) {
      carried.put(ATTRIBUTE, of(origin));
    }
    if (origin != FORGET && given != null && !given.equals(own)) {
      String before = storagePolicy(carried, own);
      String both = given + ":" + (before == null ? "" : before);
      carried.put(STORAGE_POLICY, both.getBytes(StandardCharsets.UTF_8));
    }
    return carried;
  }

  /**
   * Storage policy of a file before the command gave it another, unless its user has set yet
   * another since.
   *
   * @param own the one that is set on it now, or null; one that is that of its directory is not
   *     seen
   * @return null if it had that of its directory
   */
  public static String storagePolicy(Map<String, byte[]> extended, String own) {
    byte[] value = extended.get(STORAGE_POLICY);
    if (value == null) {
      return own;
    }
    String[] both = new String(value, StandardCharsets.UTF_8).split(":", 2);
    if (both.length < 2 || (own != null && !own.equals(both[0]))) {
      return own;
    }
    return both[1].isEmpty() ? null : both[1];
  }
}
