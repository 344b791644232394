// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/** Creates one split for each line of a file of {@link GroupOrder orders}. */
public final class GroupInputFormat extends InputFormat<NullWritable, Text> {
  @Override
  public List<InputSplit> getSplits(JobContext context) throws IOException {
    Path orders = FileInputFormat.getInputPaths(context)[0];
    List<InputSplit> splits = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                orders.getFileSystem(context.getConfiguration()).open(orders),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        splits.add(new GroupSplit(GroupOrder.parse(line)));
      }
    }
    return splits;
  }

  @Override
  public RecordReader<NullWritable, Text> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new OneOrder();
  }

  /** Returns the only record of a map. */
  private static final class OneOrder extends RecordReader<NullWritable, Text> {
    private Text order;
    private boolean isTaken;
    private boolean isDone;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      order = ((GroupSplit) split).order();
    }

    @Override
    public boolean nextKeyValue() {
      // The mapper asks for another record when it has executed the first.
      isDone = isTaken;
      isTaken = true;
      return !isDone;
    }

    @Override
    public NullWritable getCurrentKey() {
      return NullWritable.get();
    }

    @Override
    public Text getCurrentValue() {
      return order;
    }

    @Override
    public float getProgress() {
      return isDone ? 1 : 0;
    }

    @Override
    public void close() {}
  }
}
