// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;

/** One order, with the hosts where it is best done. */
public final class GroupSplit extends InputSplit implements Writable {
  private final Text order = new Text();
  private String[] hosts = {};

  /** Makes one that is read next; Hadoop needs it. */
  public GroupSplit() {}

  GroupSplit(GroupOrder order) {
    this.order.set(order.toJson());
    hosts = order.hosts.toArray(new String[0]);
  }

  /** The order as JSON. */
  public Text order() {
    return order;
  }

  /** Returns the bytes of the order: MapReduce begins with the longest, and all are alike. */
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

  /** Reads what a map needs; the hosts are kept by the framework beside it. */
  @Override
  public void readFields(DataInput in) throws IOException {
    order.readFields(in);
  }
}
