// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.util.Progressable;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.convert.group.AgentCall;
import org.stripeline.convert.job.JournalRecord;

/**
 * A map for a group whose replicas are linked: requests the agent to encode it, and waits.
 *
 * <p>Each try has a ticket that any attempt can compute. For a known ticket, the agent returns its
 * existing task. An attempt therefore continues the task of a killed attempt, and begins a new one
 * only if that task has failed.
 */
final class GroupEncoding {
  private static final String TASKS = "task-";
  private static final long POLL_WAIT_MS = 2_000;

  private final DistributedFileSystem fs;
  private final Progressable progress;

  GroupEncoding(DistributedFileSystem fs, Progressable progress) {
    this.fs = fs;
    this.progress = progress;
  }

  /**
   * Encodes one group.
   *
   * @param attempts number of attempts before this one
   */
  GroupAnswer run(GroupOrder order, int attempts) throws IOException {
    GroupOrder.Encode encode = order.encode;
    DatanodeInfo node = encode.encoder.toDatanodeInfo();
    try (Agents agents = connect(encode)) {
      TaskReport report = null;
      for (int round = 0; round <= attempts; round++) {
        String ticket = encode.ticket + "-" + round;
        long[] task = new long[1];
        AgentCall.await(
            () -> {
              progress.progress();
              task[0] = agents.encode(node, ticket, encode.request);
            });
        leave(order, round, task[0]);
        report = awaitEnd(agents, node, task[0]);
        if (report.state == TaskState.DONE) {
          AgentCall.requireVerified(node, report.result, encode.request.kept.size());
          GroupAnswer answer = new GroupAnswer(order.number);
          answer.encoded = report.result;
          return answer;
        }
        if (report.errorKind == AgentException.Kind.CORRUPT) {
          // The driver plans again without these replicas; the same request would fail again.
          break;
        }
      }
      throw AgentCall.failure(node, report);
    }
  }

  private Agents connect(GroupOrder.Encode encode) throws IOException {
    return encode.token == null
        ? Agents.connect(fs.getConf())
        : Agents.connect(fs.getConf(), encode.token);
  }

  private TaskReport awaitEnd(Agents agents, DatanodeInfo node, long task) throws IOException {
    while (true) {
      TaskReport report = agents.poll(node, task, POLL_WAIT_MS);
      if (report.state.isFinal()) {
        return report;
      }
      progress.progress();
    }
  }

  /** Writes a note that names the task, for a rollback that has to end it. */
  private void leave(GroupOrder order, int round, long task) throws IOException {
    String node = order.encode.encoder.uuid;
    Path note = new Path(order.directory, TASKS + order.group + "-" + round + "-" + task);
    try (FSDataOutputStream out = fs.createFile(note).replicate().overwrite(false).build()) {
      out.write(node.getBytes(StandardCharsets.UTF_8));
    } catch (FileAlreadyExistsException e) {
      // An earlier attempt has written it.
      return;
    }
  }

  /** Returns the tasks for which maps have left notes in a file's directory. */
  static List<JournalRecord> tasks(DistributedFileSystem fs, Path directory, long fileId)
      throws IOException {
    List<JournalRecord> tasks = new ArrayList<>();
    for (FileStatus status : fs.listStatus(directory)) {
      String name = status.getPath().getName();
      // An empty note belongs to a map that died before it waited for the task.
      if (name.startsWith(TASKS) && status.getLen() > 0) {
        byte[] node = new byte[(int) status.getLen()];
        try (InputStream in = fs.open(status.getPath())) {
          org.apache.hadoop.io.IOUtils.readFully(in, node, 0, node.length);
        }
        long task = Long.parseLong(name.substring(name.lastIndexOf('-') + 1));
        tasks.add(JournalRecord.task(fileId, new String(node, StandardCharsets.UTF_8), task));
      }
    }
    return tasks;
  }
}
