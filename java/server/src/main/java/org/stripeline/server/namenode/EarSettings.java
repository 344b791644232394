// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.namenode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;

/** The settings of encoding-aware placement. Immutable. */
public final class EarSettings {
  private final List<String> directories;
  private final CodeShape shape;
  private final int blocksPerRack;
  private final int targetRacks;
  private final int stripesMax;
  private final int triesMax;

  private EarSettings(Configuration conf) {
    directories = directories(conf);
    shape = shape(conf.getTrimmed(EarKeys.CODE, EarKeys.CODE_DEFAULT));
    blocksPerRack = atLeast(conf, EarKeys.BLOCKS_PER_RACK, EarKeys.BLOCKS_PER_RACK_DEFAULT, 0);
    targetRacks = atLeast(conf, EarKeys.TARGET_RACKS, EarKeys.TARGET_RACKS_DEFAULT, 0);
    stripesMax = atLeast(conf, EarKeys.STRIPES_MAX, EarKeys.STRIPES_MAX_DEFAULT, 1);
    triesMax = atLeast(conf, EarKeys.TRIES_MAX, EarKeys.TRIES_MAX_DEFAULT, 1);
    long places = (long) blocksPerRack * targetRacks;
    if (places > 0 && places < shape.total()) {
      throw new IllegalArgumentException(
          "Cannot use "
              + EarKeys.BLOCKS_PER_RACK
              + "="
              + blocksPerRack
              + " with "
              + EarKeys.TARGET_RACKS
              + "="
              + targetRacks
              + ": together they hold "
              + places
              + " of the "
              + shape.total()
              + " blocks of a group");
    }
  }

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names key, value and
   *     range
   */
  public static EarSettings of(Configuration conf) {
    return new EarSettings(conf);
  }

  private static List<String> directories(Configuration conf) {
    List<String> found = new ArrayList<>();
    for (String directory : conf.getTrimmedStringCollection(EarKeys.DIRECTORIES)) {
      if (!directory.startsWith("/")) {
        throw new IllegalArgumentException(
            "Cannot use "
                + EarKeys.DIRECTORIES
                + "="
                + directory
                + ": it must be an absolute path");
      }
      found.add(directory.endsWith("/") ? directory : directory + '/');
    }
    return Collections.unmodifiableList(found);
  }

  private static CodeShape shape(String code) {
    try {
      return CodeName.parse(code).shape();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "Cannot use " + EarKeys.CODE + "=" + code + ": " + e.getMessage(), e);
    }
  }

  private static int atLeast(Configuration conf, String key, int standard, int least) {
    int value = conf.getInt(key, standard);
    if (value < least) {
      throw new IllegalArgumentException(
          "Cannot use " + key + "=" + value + ": must be at least " + least);
    }
    return value;
  }

  /** Returns whether encoding-aware placement is enabled. */
  public boolean isOn() {
    return !directories.isEmpty();
  }

  /** Returns the directories, each with a slash at its end. */
  public List<String> directories() {
    return directories;
  }

  /** Returns whether the racks of a stripe follow another rule than that of HDFS. */
  public boolean hasOwnRule() {
    return isOn() && (blocksPerRack > 0 || targetRacks > 0);
  }

  /** Returns whether a file, by its absolute path, is in one of the directories. */
  public boolean covers(String file) {
    for (String directory : directories) {
      if (file.startsWith(directory)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the shape of the code that blocks will be encoded with. */
  public CodeShape shape() {
    return shape;
  }

  /**
   * Returns the rule for the racks of a stripe.
   *
   * @param racks number of racks, at least 1
   */
  public RackRule rule(int racks) {
    int used = targetRacks == 0 ? racks : Math.min(targetRacks, racks);
    RackRule rule =
        blocksPerRack == 0
            ? RackRule.even(shape, Math.max(1, used))
            : RackRule.atMost(blocksPerRack);
    return targetRacks == 0 ? rule : rule.inTargetRacks(targetRacks);
  }

  /** Returns the maximum number of pending stripes. */
  public int stripesMax() {
    return stripesMax;
  }

  /** Returns the maximum number of random draws for a block. */
  public int triesMax() {
    return triesMax;
  }

  @Override
  public String toString() {
    return directories
        + " for "
        + shape
        + ", "
        + (blocksPerRack == 0 ? "spread evenly" : "at most " + blocksPerRack + " per rack")
        + (targetRacks == 0 ? "" : ", in " + targetRacks + " racks");
  }
}
