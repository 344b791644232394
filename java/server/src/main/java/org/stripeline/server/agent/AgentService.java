// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import com.google.gson.JsonParseException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.CoderStatus;

/** The agent of one DataNode: checks who calls, reads the arguments, and says what went wrong. */
public final class AgentService implements AgentProtocol, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentService.class);

  private final DataNode dataNode;
  private final Callers callers;
  private final AgentMetrics metrics;
  private final LocalReplicas replicas;
  private final HandlerShare handlers;
  private final Agents peers;
  private final TaskTable tasks;
  private volatile boolean closed;

  /**
   * Makes the agent of a DataNode that runs; the current user is the DataNode's.
   *
   * @throws IllegalArgumentException if a setting is out of its range, naming it
   */
  public AgentService(DataNode dataNode, Configuration conf) throws IOException {
    AgentSettings settings = new AgentSettings(conf);
    this.dataNode = dataNode;
    callers = new Callers(conf, dataNode.getBlockPoolTokenSecretManager());
    metrics = new AgentMetrics(dataNode);
    replicas = new LocalReplicas(dataNode, settings, metrics);
    handlers = new HandlerShare(settings.workers, settings.waiters);
    peers = new RpcAgents(conf, settings.timeoutMillis);
    int most =
        settings.tasks * settings.windows * HdfsServerConstants.MAX_BLOCKS_IN_GROUP;
    BufferPool buffers = new BufferPool(settings.window, most);
    tasks = new TaskTable(new Home(dataNode, replicas, peers, settings, metrics, buffers));
    metrics.publish(tasks::running, tasks::queued, buffers::bytes);
  }

  @Override
  public Text call(Text method, Text arguments) {
    Messages.Envelope envelope;
    try {
      TokenGrant grant = callers.check();
      if (closed) {
        throw new AgentException(AgentException.Kind.NO_AGENT, "the agent has been stopped");
      }
      Object answer = answer(method(method.toString()), arguments.toString(), grant);
      envelope = new Messages.Envelope(Messages.JSON.toJsonTree(answer), null);
    } catch (AgentException e) {
      LOG.debug("Cannot serve {}", method, e);
      envelope = failure(e.kind(), e.getMessage());
    } catch (JsonParseException e) {
      envelope =
          failure(AgentException.Kind.BAD_REQUEST, "the arguments are not as expected: " + e);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot serve {}", method, e);
      envelope = failure(AgentException.Kind.FAILED, AgentException.reason(e));
    }
    return new Text(Messages.JSON.toJson(envelope));
  }

  private Messages.Envelope failure(AgentException.Kind kind, String message) {
    metrics.add(AgentCount.CALLS_FAILED, 1);
    return new Messages.Envelope(null, new Messages.Failure(kind.name(), message));
  }

  private static AgentMethod method(String name) throws AgentException {
    for (AgentMethod method : AgentMethod.values()) {
      if (method.wireName().equals(name)) {
        return method;
      }
    }
    throw new AgentException(
        AgentException.Kind.BAD_REQUEST,
        "there is no method '"
            + name
            + "' in protocol "
            + NUMBER
            + " of version "
            + CoderStatus.current().version()
            + "; known are "
            + Arrays.stream(AgentMethod.values())
                .map(AgentMethod::wireName)
                .collect(Collectors.joining(", ")));
  }

  /** {@code grant} is null for callers who may ask for all. */
  private Object answer(AgentMethod method, String arguments, TokenGrant grant)
      throws IOException {
    if (grant != null) {
      metrics.add(AgentCount.CALLS_BY_TOKEN, 1);
      grant.check(method);
    }
    switch (method) {
      case ABOUT:
        return about();
      case ENCODE:
        Messages.EncodeCall encode = read(arguments, Messages.EncodeCall.class);
        RequestCheck.encode(encode);
        if (grant != null) {
          grant.check(encode.request);
        }
        return new Messages.TaskCall(tasks.begin(encode.ticket, encode.request), 0);
      case POLL:
        Messages.TaskCall poll = read(arguments, Messages.TaskCall.class);
        checkTask(poll, grant);
        return poll(poll);
      case CANCEL:
        Messages.TaskCall cancel = read(arguments, Messages.TaskCall.class);
        checkTask(cancel, grant);
        tasks.cancel(cancel.task);
        return new Messages.Empty();
      default:
        handlers.beginWork();
        try {
          return work(method, arguments);
        } finally {
          handlers.endWork();
        }
    }
  }

  private void checkTask(Messages.TaskCall call, TokenGrant grant) throws AgentException {
    if (grant != null) {
      grant.checkGroup(tasks.find(call.task).group());
    }
  }

  private Object work(AgentMethod method, String arguments) throws IOException {
    switch (method) {
      case LINK:
        Messages.LinkCall link = read(arguments, Messages.LinkCall.class);
        RequestCheck.link(link);
        return new Messages.LinkAnswer(replicas.link(link.pool, link.links));
      case UNLINK:
        Messages.UnlinkCall unlink = read(arguments, Messages.UnlinkCall.class);
        RequestCheck.unlink(unlink);
        return new Messages.UnlinkAnswer(replicas.unlink(unlink.pool, unlink.blocks));
      case CHECKSUM:
        Messages.ChecksumCall checksum = read(arguments, Messages.ChecksumCall.class);
        RequestCheck.checksum(checksum);
        return replicas.checksum(checksum.pool, checksum.block);
      default:
        throw new IllegalStateException("no work: " + method);
    }
  }

  private static <T> T read(String arguments, Class<T> type) throws AgentException {
    T read = Messages.JSON.fromJson(arguments, type);
    if (read == null) {
      throw new AgentException(AgentException.Kind.BAD_REQUEST, "there are no arguments");
    }
    return read;
  }

  private AboutAgent about() throws AgentException {
    String uuid = dataNode.getDatanodeUuid();
    if (uuid == null) {
      throw new AgentException(
          AgentException.Kind.UNREACHABLE, "the DataNode has not registered yet; ask again");
    }
    CoderStatus coder = CoderStatus.current();
    return new AboutAgent(
        NUMBER,
        coder.version(),
        VersionInfo.getVersion(),
        uuid,
        coder.implementation() + ' ' + coder.version() + ", isa " + coder.isa());
  }

  private TaskReport poll(Messages.TaskCall call) throws IOException {
    EncodeTask task = tasks.find(call.task);
    long patience = Math.min(call.patienceMillis, Agents.PATIENCE_MAX);
    TaskReport report = task.report();
    if (patience > 0 && !report.state.isFinal() && handlers.beginWait()) {
      try {
        task.awaitEnd(patience);
      } catch (InterruptedException e) {
        // The server stops; what is known is all that there is to say.
        Thread.currentThread().interrupt();
      } finally {
        handlers.endWait();
      }
      report = task.report();
    }
    return report;
  }

  /** Ends all tasks and refuses calls from now on. Closing again does nothing. */
  @Override
  public void close() {
    closed = true;
    tasks.close();
    peers.close();
    metrics.close();
  }
}
