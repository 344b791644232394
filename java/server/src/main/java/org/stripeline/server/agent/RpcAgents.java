// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import com.google.gson.JsonParseException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;

/** Agents reached through Hadoop's RPC; one proxy for each DataNode. */
final class RpcAgents implements Agents {
  /** Longer than any call lasts, also one that reads a large block from a busy disk. */
  static final int CALL_MILLIS = 120_000;

  /** Between two questions where the agent would not let us wait there. */
  private static final long PAUSE_MILLIS = 200;

  /** How long a call is repeated; that of a task is not, for tasks take their time. */
  private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Configuration conf;
  private final UserGroupInformation user;
  private final boolean byHostName;
  private final int callMillis;
  private final Map<InetSocketAddress, AgentProtocol> proxies = new HashMap<>();
  private boolean closed;

  /** Calls as the current user, and waits so long for answers. */
  RpcAgents(Configuration conf, int callMillis) throws IOException {
    this.conf = new Configuration(conf);
    this.callMillis = callMillis;
    // A DataNode that is down is told apart from one that is slow by whoever called.
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 2);
    this.conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
    user = UserGroupInformation.getCurrentUser();
    byHostName =
        conf.getBoolean(
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT);
    AgentRpc.use(this.conf);
  }

  @Override
  public AboutAgent about(DatanodeInfo node) throws IOException {
    return call(node, AgentMethod.ABOUT, new Messages.Empty(), AboutAgent.class);
  }

  @Override
  public List<Linked> link(DatanodeInfo node, String pool, List<Link> links) throws IOException {
    Messages.LinkCall arguments = new Messages.LinkCall(pool, links);
    return call(node, AgentMethod.LINK, arguments, Messages.LinkAnswer.class).linked;
  }

  @Override
  public int unlink(DatanodeInfo node, String pool, List<AgentBlock> blocks) throws IOException {
    Messages.UnlinkCall arguments = new Messages.UnlinkCall(pool, blocks);
    return call(node, AgentMethod.UNLINK, arguments, Messages.UnlinkAnswer.class).removed;
  }

  @Override
  public BlockChecksum checksum(DatanodeInfo node, String pool, AgentBlock block)
      throws IOException {
    Messages.ChecksumCall arguments = new Messages.ChecksumCall(pool, block);
    return call(node, AgentMethod.CHECKSUM, arguments, BlockChecksum.class);
  }

  @Override
  public long encode(DatanodeInfo node, EncodeRequest request) throws IOException {
    return encode(node, UUID.randomUUID().toString(), request);
  }

  @Override
  public long encode(DatanodeInfo node, String ticket, EncodeRequest request)
      throws IOException {
    Messages.EncodeCall arguments = new Messages.EncodeCall(ticket, request);
    return call(node, AgentMethod.ENCODE, arguments, Messages.TaskCall.class).task;
  }

  @Override
  public TaskReport poll(DatanodeInfo node, long task, long patienceMillis) throws IOException {
    long patience = Math.max(0, Math.min(patienceMillis, PATIENCE_MAX));
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patience);
    while (true) {
      long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
      Messages.TaskCall arguments = new Messages.TaskCall(task, left);
      TaskReport report = call(node, AgentMethod.POLL, arguments, TaskReport.class);
      long rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (report.state.isFinal() || rest <= 0) {
        return report;
      }
      // Few may wait at an agent at once, lest they take all the handlers of its DataNode.
      pause(Math.min(rest, PAUSE_MILLIS));
    }
  }

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for an agent: interrupted");
    }
  }

  @Override
  public void cancel(DatanodeInfo node, long task) throws IOException {
    Messages.TaskCall arguments = new Messages.TaskCall(task, 0);
    call(node, AgentMethod.CANCEL, arguments, Messages.Empty.class);
  }

  /**
   * Calls, and again for a while if the agent has too many calls to serve at once. Every call may
   * be repeated, so one that got no answer is, once: the DataNode may have restarted, which is
   * noticed only when its old connection is used.
   */
  private <T> T call(DatanodeInfo node, AgentMethod method, Object arguments, Class<T> answer)
      throws IOException {
    long end = System.nanoTime() + BUSY_NANOS;
    boolean unanswered = false;
    while (true) {
      try {
        return callOnce(node, method, arguments, answer);
      } catch (AgentException e) {
        if (e.kind() == AgentException.Kind.UNREACHABLE && !unanswered && isLost(e.getCause())) {
          unanswered = true;
        } else if (e.kind() == AgentException.Kind.BUSY
            && method != AgentMethod.ENCODE
            && System.nanoTime() - end < 0) {
          pause(PAUSE_MILLIS);
        } else {
          throw e;
        }
      }
    }
  }

  /** Returns whether a connection broke, and not whether there was none to be had. */
  private static boolean isLost(Throwable cause) {
    return cause instanceof EOFException
        || cause instanceof SocketException && !(cause instanceof ConnectException);
  }

  private <T> T callOnce(
      DatanodeInfo node, AgentMethod method, Object arguments, Class<T> answer)
      throws IOException {
    Text reply;
    try {
      reply =
          proxy(node)
              .call(new Text(method.wireName()), new Text(Messages.JSON.toJson(arguments)));
    } catch (RemoteException e) {
      throw refusal(node, method, e);
    } catch (IOException e) {
      throw failure(AgentException.Kind.UNREACHABLE, node, method, String.valueOf(e), e);
    }
    try {
      Messages.Envelope envelope =
          Messages.JSON.fromJson(reply.toString(), Messages.Envelope.class);
      if (envelope.error != null) {
        throw failure(kind(envelope.error.kind), node, method, envelope.error.message, null);
      }
      T value = Messages.JSON.fromJson(envelope.answer, answer);
      if (value == null) {
        throw new JsonParseException("no answer in it");
      }
      return value;
    } catch (JsonParseException | NullPointerException e) {
      throw failure(
          AgentException.Kind.BAD_REQUEST, node, method, "it answers '" + reply + "'", e);
    }
  }

  /** Tells apart, by what Hadoop's RPC reports, an agent that is not there and one that fails. */
  private static AgentException refusal(DatanodeInfo node, AgentMethod method, RemoteException e) {
    String text = String.valueOf(e.getMessage());
    if (e.getClassName().endsWith("AuthorizationException") && !text.contains("not known")
        || e.getClassName().endsWith("AccessControlException")
        || e.getClassName().endsWith("SaslException")
        || e.getClassName().endsWith("InvalidToken")) {
      return failure(AgentException.Kind.DENIED, node, method, text, e);
    }
    return failure(
        AgentException.Kind.NO_AGENT,
        node,
        method,
        text + "; the plug-in must be in dfs.datanode.plugins there",
        e);
  }

  /** A kind that only a later version knows is a failure like any other. */
  private static AgentException.Kind kind(String name) {
    for (AgentException.Kind kind : AgentException.Kind.values()) {
      if (kind.name().equals(name)) {
        return kind;
      }
    }
    return AgentException.Kind.FAILED;
  }

  private static AgentException failure(
      AgentException.Kind kind, DatanodeInfo node, AgentMethod method, String why, Throwable e) {
    return new AgentException(
        kind,
        "Cannot " + method.wireName() + " at agent " + node.getIpcAddr(false) + ": " + why,
        e);
  }

  private synchronized AgentProtocol proxy(DatanodeInfo node) throws IOException {
    if (closed) {
      throw new IOException("Cannot call agent " + node.getIpcAddr(false) + ": closed");
    }
    InetSocketAddress address = NetUtils.createSocketAddr(node.getIpcAddr(byHostName));
    AgentProtocol proxy = proxies.get(address);
    if (proxy == null) {
      proxy =
          RPC.getProxy(
              AgentProtocol.class,
              RPC.getProtocolVersion(AgentProtocol.class),
              address,
              user,
              conf,
              NetUtils.getDefaultSocketFactory(conf),
              callMillis);
      proxies.put(address, proxy);
    }
    return proxy;
  }

  @Override
  public synchronized void close() {
    closed = true;
    proxies.values().forEach(RPC::stopProxy);
    proxies.clear();
  }
}
