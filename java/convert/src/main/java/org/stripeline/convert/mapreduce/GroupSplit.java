// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;

/** One order, with its preferred hosts. */
public final class GroupSplit extends InputSplit implements Writable {
  private final Text order = new Text();
  private String[] hosts = {};

  /** Creates an empty split for {@link #readFields}; Hadoop requires this constructor. */
  public GroupSplit() {}

  GroupSplit(GroupOrder order) {
    this.order.set(order.toJson());
    hosts = order.hosts.toArray(new String[0]);
  }

  /** Returns the order as JSON. */
  Text order() {
    return order;
  }

  /**
   * Returns the bytes of the order. MapReduce schedules the longest splits first; these have about
   * the same length.
   */
  @Override
  public long getLength() {
    return order.getLength();
  }

  @Override
  public String[] getLocations() {
    return hosts.clone();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    order.write(out);
  }

  /** Reads the order. The hosts are not needed here; the framework stores them separately. */
  @Override
  public void readFields(DataInput in) throws IOException {
    order.readFields(in);
  }
}
