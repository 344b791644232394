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

/** Decides whether the NameNode will let a new file have the extended attributes of the old one. */
public final class AttributeJudge {
  /** Name of the only attribute of its name space that clients see. */
  private static final String UNREADABLE = "security.hdfs.unreadable.by.superuser";

  private final Supplier<NameNodeLimits> asking;
  private NameNodeLimits limits;

  /**
   * Makes a judge.
   *
   * @param asking is called once, when a file with attributes is met; most trees have none
   */
  public AttributeJudge(Supplier<NameNodeLimits> asking) {
    this.asking = asking;
  }

  /**
   * Judges a file.
   *
   * @param attributes all that a superuser sees
   * @param added names of those that the new file gets in any case
   * @return why it cannot be converted, or null
   */
  SkipReason judge(Map<String, byte[]> attributes, Collection<String> added) {
    if (attributes.containsKey(UNREADABLE)) {
      return SkipReason.UNREADABLE_BY_SUPERUSER;
    }
    if (attributes.isEmpty()) {
      return null;
    }
    if (limits == null) {
      limits = asking.get();
    }
    Set<String> after = new HashSet<>(attributes.keySet());
    // These are replaced, or go.
    after.remove(Origin.ATTRIBUTE);
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

  /** The NameNode counts the name without its name space. */
  private static int bytes(Map.Entry<String, byte[]> entry) {
    String name = entry.getKey().substring(entry.getKey().indexOf('.') + 1);
    byte[] value = entry.getValue();
    return name.getBytes(StandardCharsets.UTF_8).length + (value == null ? 0 : value.length);
  }
}
