// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.Origin;

/**
 * Decides whether the NameNode will accept the extended attributes of a file on its replacement.
 * Thread-safe.
 */
public final class AttributeJudge {
  /** The only attribute of the security name space that clients can see. */
  private static final String UNREADABLE = "security.hdfs.unreadable.by.superuser";

  private final Supplier<NameNodeLimits> asking;
  private NameNodeLimits known;

  /**
   * Creates a judge.
   *
   * @param asking supplies the limits; called at most once, for the first file that has attributes,
   *     since in most trees no file has any
   */
  public AttributeJudge(Supplier<NameNodeLimits> asking) {
    this.asking = asking;
  }

  /**
   * Judges a file.
   *
   * @param attributes all attributes that are visible to superusers
   * @param added names of the attributes that the new file gets in any case
   * @return the reason for which the file cannot be converted, or null
   */
  SkipReason judge(Map<String, byte[]> attributes, Collection<String> added) {
    if (attributes.containsKey(UNREADABLE)) {
      return SkipReason.UNREADABLE_BY_SUPERUSER;
    }
    if (attributes.isEmpty()) {
      return null;
    }
    NameNodeLimits limits = limits();
    Set<String> after = new HashSet<>(attributes.keySet());
    // The replacement sets these attributes itself or has none.
    after.remove(Origin.ATTRIBUTE);
    after.remove(Origin.STORAGE_POLICY);
    after.addAll(added);
    if (after.size() > limits.attributesMax()) {
      return SkipReason.ATTRIBUTES_FULL;
    }
    for (Map.Entry<String, byte[]> entry : attributes.entrySet()) {
      if (bytes(entry) > limits.attributeBytesMax()) {
        return SkipReason.ATTRIBUTE_TOO_LARGE;
      }
    }
    return null;
  }

  private synchronized NameNodeLimits limits() {
    if (known == null) {
      known = asking.get();
    }
    return known;
  }

  /** Returns the size as the NameNode counts it: the name without its name space, and the value. */
  private static int bytes(Map.Entry<String, byte[]> entry) {
    String name = entry.getKey().substring(entry.getKey().indexOf('.') + 1);
    byte[] value = entry.getValue();
    return name.getBytes(StandardCharsets.UTF_8).length + (value == null ? 0 : value.length);
  }
}
