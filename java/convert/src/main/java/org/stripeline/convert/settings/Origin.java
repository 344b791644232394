// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The original properties of a converted file, stored as extended attributes so that the conversion
 * can be undone.
 */
public final class Origin {
  /** Original replication. The trusted name space is visible to superusers only. */
  public static final String ATTRIBUTE = "trusted.stripeline.replication";

  /**
   * Storage policy that the command set on the file, followed by a colon and the policy that was
   * set before, if any.
   */
  public static final String STORAGE_POLICY = "trusted.stripeline.storage-policy";

  /** Drops the record: the file returns to its original state. */
  public static final int FORGET = 0;

  /**
   * Keeps the record: an erasure-coded file gets another code, and its original state is unchanged.
   */
  public static final int KEEP = -1;

  private Origin() {}

  /**
   * Returns the replication before the conversion, or 0 if the file was not converted by this
   * command.
   */
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
   * Returns the extended attributes of a new file that replaces another.
   *
   * @param extended attributes of the other file
   * @param origin replication to record, {@link #FORGET} or {@link #KEEP}
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
   * Returns the storage policy of a file before the command changed it. If the user has changed the
   * policy since, that policy is returned.
   *
   * @param own storage policy that is set on the file now, or null; a policy inherited from the
   *     directory does not count
   * @return null if the policy is inherited from the directory
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
