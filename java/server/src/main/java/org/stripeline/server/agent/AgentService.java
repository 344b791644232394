// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import com.google.gson.JsonParseException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
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
  private volatile boolean closed;

  /** Makes the agent of a DataNode that runs; the current user is the DataNode's. */
  public AgentService(DataNode dataNode, Configuration conf) throws IOException {
    this.dataNode = dataNode;
    this.callers = new Callers(conf);
  }

  @Override
  public Text call(Text method, Text arguments) {
    Messages.Envelope envelope;
    try {
      callers.check();
      if (closed) {
        throw new AgentException(AgentException.Kind.NO_AGENT, "the agent has been stopped");
      }
      Object answer = answer(method(method.toString()), arguments.toString());
      envelope = new Messages.Envelope(Messages.JSON.toJsonTree(answer), null);
    } catch (AgentException e) {
      envelope = failure(e.kind(), e.getMessage());
    } catch (JsonParseException e) {
      envelope =
          failure(AgentException.Kind.BAD_REQUEST, "the arguments are not as expected: " + e);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot serve {}", method, e);
      envelope = failure(AgentException.Kind.FAILED, String.valueOf(e));
    }
    return new Text(Messages.JSON.toJson(envelope));
  }

  private static Messages.Envelope failure(AgentException.Kind kind, String message) {
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
            + "; known are "
            + Arrays.stream(AgentMethod.values())
                .map(AgentMethod::wireName)
                .collect(Collectors.joining(", ")));
  }

  private Object answer(AgentMethod method, String arguments) throws IOException {
    switch (method) {
      case ABOUT:
        return about();
      default:
        throw new AgentException(
            AgentException.Kind.BAD_REQUEST, "not known to this version: " + method.wireName());
    }
  }

  private AboutAgent about() {
    CoderStatus coder = CoderStatus.current();
    return new AboutAgent(
        NUMBER, coder.version(), VersionInfo.getVersion(), dataNode.getDatanodeUuid(),
        coder.implementation() + ' ' + coder.version() + ", isa " + coder.isa());
  }

  /** Ends all tasks and refuses calls from now on. */
  @Override
  public void close() {
    closed = true;
  }
}
