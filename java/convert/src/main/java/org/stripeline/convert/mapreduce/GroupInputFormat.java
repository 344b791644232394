// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/** Creates a split for each map of a file of {@link GroupOrder orders}, one on each line. */
public final class GroupInputFormat extends InputFormat<NullWritable, Text> {
  @Override
  public List<InputSplit> getSplits(JobContext context) throws IOException {
    Path orders = FileInputFormat.getInputPaths(context)[0];
    Map<Integer, List<GroupOrder>> byMap = new TreeMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                orders.getFileSystem(context.getConfiguration()).open(orders),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        GroupOrder order = GroupOrder.parse(line);
        byMap.computeIfAbsent(order.map, map -> new ArrayList<>()).add(order);
      }
    }
    List<InputSplit> splits = new ArrayList<>();
    byMap.values().forEach(ofMap -> splits.add(new GroupSplit(ofMap)));
    return splits;
  }

  @Override
  public RecordReader<NullWritable, Text> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new Orders();
  }

  /** Returns the orders of a map, one after the other. */
  private static final class Orders extends RecordReader<NullWritable, Text> {
    private List<Text> orders;

    /** Orders that were returned. */
    private int taken;

    /** Orders that were executed: the mapper asks for another one when it has executed one. */
    private int done;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      orders = ((GroupSplit) split).orders();
    }

    @Override
    public boolean nextKeyValue() {
      done = taken;
      boolean hasMore = taken < orders.size();
      taken += hasMore ? 1 : 0;
      return hasMore;
    }

    @Override
    public NullWritable getCurrentKey() {
      return NullWritable.get();
    }

    @Override
    public Text getCurrentValue() {
      return orders.get(taken - 1);
    }

    @Override
    public float getProgress() {
      return (float) done / orders.size();
    }

    @Override
    public void close() {}
  }
}
