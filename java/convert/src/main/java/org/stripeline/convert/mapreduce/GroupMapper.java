// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.stripeline.convert.job.JsonFile;
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.natives.Ticker;

/**
 * Executes {@link GroupOrder orders} and writes a file with one line for the result of each. It
 * creates no directory: one that is gone has been deleted by a driver that does not need the maps
 * any more.
 */
public final class GroupMapper extends Mapper<NullWritable, Text, NullWritable, NullWritable> {
  private static final long PAUSE_POLL_MS = 1000;

  /** A restarted application master numbers attempts from the next multiple of this. */
  private static final int ATTEMPTS_PER_MASTER = 1000;

  private final StringBuilder answers = new StringBuilder();
  private int number;
  private DistributedFileSystem fs;

  @Override
  public void run(Context context) throws IOException, InterruptedException {
    Path orders = FileInputFormat.getInputPaths(context)[0];
    try (DistributedFileSystem opened = HdfsConnection.open(context.getConfiguration(), orders)) {
      fs = opened;
      super.run(context);
      // Unique for the attempt, so that a killed attempt cannot change another's file.
      Path next = orders.suffix("-" + context.getTaskAttemptID());
      JsonFile.replace(fs, next, new Path(answers(orders), "" + number), answers.toString());
    }
  }

  /** Returns the directory for the answers to the orders in a file. */
  static Path answers(Path orders) {
    return new Path(orders.getParent(), "answers");
  }

  @Override
  protected void map(NullWritable key, Text json, Context context) throws IOException {
    GroupOrder order = GroupOrder.parse(json.toString());
    number = order.map;
    GroupAnswer answer;
    try {
      answer = work(order, context);
    } catch (IOException | RuntimeException e) {
      // Another attempt would also repeat the other orders; the driver repeats only this one.
      if (!order.isShared && !isLast(context)) {
        throw e;
      }
      // If the map only failed, its driver would not get the reason.
      answer = GroupAnswer.failed(order, e);
    }
    answers.append(answer.toJson()).append('\n');
  }

  private GroupAnswer work(GroupOrder order, Context context) throws IOException {
    String attempt = context.getTaskAttemptID().toString();
    Ticker ticker = Ticker.SYSTEM;
    while (fs.exists(new Path(order.pause))) {
      context.setStatus("paused by " + order.pause);
      Polling.pause(ticker, PAUSE_POLL_MS);
      context.progress();
    }
    context.setStatus("group " + order.group + " of " + order.directory);
    return new GroupCopy(fs, context, ticker).run(order, attempt);
  }

  private static boolean isLast(Context context) {
    Configuration conf = context.getConfiguration();
    // The local framework makes no second attempts, and a failed attempt fails the job.
    return conf.get(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME)
            .equals(MRConfig.LOCAL_FRAMEWORK_NAME)
        || context.getTaskAttemptID().getId() % ATTEMPTS_PER_MASTER + 1
            >= conf.getInt(MRJobConfig.MAP_MAX_ATTEMPTS, 4);
  }
}
