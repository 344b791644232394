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
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.natives.Ticker;

/** Executes {@link GroupOrder orders} and writes one line with the result of each. */
public final class GroupMapper extends Mapper<NullWritable, Text, NullWritable, Text> {
  private static final long PAUSE_POLL_MS = 1000;

  /** A restarted application master numbers attempts from the next multiple of this. */
  private static final int ATTEMPTS_PER_MASTER = 1000;

  @Override
  protected void map(NullWritable key, Text json, Context context)
      throws IOException, InterruptedException {
    GroupOrder order = GroupOrder.parse(json.toString());
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
    context.write(NullWritable.get(), new Text(answer.toJson()));
  }

  private static GroupAnswer work(GroupOrder order, Context context) throws IOException {
    Path orders = FileInputFormat.getInputPaths(context)[0];
    String attempt = context.getTaskAttemptID().toString();
    Ticker ticker = Ticker.SYSTEM;
    try (DistributedFileSystem fs = HdfsConnection.open(context.getConfiguration(), orders)) {
      while (fs.exists(new Path(order.pause))) {
        context.setStatus("paused by " + order.pause);
        Polling.pause(ticker, PAUSE_POLL_MS);
        context.progress();
      }
      context.setStatus("group " + order.group + " of " + order.directory);
      return new GroupCopy(fs, context, ticker).run(order, attempt);
    }
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
