// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.stripeline.convert.group.CoreRack;

/** The orders of one map, with its preferred hosts. */
public final class GroupSplit extends InputSplit implements Writable {
  private final List<Text> orders = new ArrayList<>();
  private String[] hosts = {};
  private long bytes;

  /** Creates an empty split for {@link #readFields}; Hadoop requires this constructor. */
  public GroupSplit() {}

  GroupSplit(List<GroupOrder> orders) {
    Map<String, Integer> named = new LinkedHashMap<>();
    for (GroupOrder order : orders) {
      this.orders.add(new Text(order.toJson()));
      bytes += order.copy.length;
      order.hosts.forEach(host -> named.merge(host, 1, Integer::sum));
    }
    // Those of most orders first; the sort is stable, so that the best hosts of the first order
    // precede others that as many orders name.
    hosts =
        named.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .limit(CoreRack.HOSTS_MAX)
            .map(Map.Entry::getKey)
            .toArray(String[]::new);
  }

  /** Returns the orders as JSON. */
  List<Text> orders() {
    return orders;
  }

  /** Returns the bytes to copy. MapReduce schedules the longest splits first. */
  @Override
  public long getLength() {
    return bytes;
  }

  @Override
  public String[] getLocations() {
    return hosts.clone();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeInt(orders.size());
    for (Text order : orders) {
      order.write(out);
    }
  }

  /** Reads the orders. The hosts are not needed here; the framework stores them separately. */
  @Override
  public void readFields(DataInput in) throws IOException {
    orders.clear();
    for (int left = in.readInt(); left > 0; left--) {
      Text order = new Text();
      order.readFields(in);
      orders.add(order);
    }
  }
}
