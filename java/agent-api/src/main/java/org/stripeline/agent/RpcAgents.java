// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** Calls agents through Hadoop's RPC, with one proxy for each DataNode. */
public final class RpcAgents implements Agents {
  /**
   * Longer than calls take. Only a link on a volume without hard links, where the agent copies and
   * reads the whole block, may take longer if the block is large and the disk slow.
   */
  static final int CALL_MILLIS = 120_000;

  /** Pause between polls if the agent does not let the call wait. */
  private static final long PAUSE_MILLIS = 200;

  /**
   * Time for which a call to a busy agent is retried. Calls that begin a task are not retried,
   * since tasks take long.
   */
  private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Configuration conf;
  private final UserGroupInformation user;
  private final boolean byHostName;
  private final int callMillis;
  private final Map<InetSocketAddress, AgentProtocol> proxies = new HashMap<>();
  private boolean closed;

  /** Creates a client for the current user, with a timeout for calls. */
  public RpcAgents(Configuration conf, int callMillis) throws IOException {
    this.conf = new Configuration(conf);
    this.callMillis = callMillis;
    // Callers distinguish DataNodes that are down from slow ones, so this client retries only
    // briefly.
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
  public AgentInfo describe(DatanodeInfo node) throws IOException {
    return call(node, AgentMethod.ABOUT, new Messages.Empty(), AgentInfo.class);
  }

  @Override
  public List<Linked> link(DatanodeInfo node, String pool, List<Link> links) throws IOException {
    Messages.LinkCall arguments = new Messages.LinkCall(pool, links);
    return call(node, AgentMethod.LINK, arguments, Messages.LinkAnswer.class).linked;
  }

  @Override
  public int unlink(DatanodeInfo node, String pool, List<AgentBlock> blocks) throws IOException {
    int removed = 0;
    for (int from = 0; from < blocks.size(); from += Wire.BLOCKS_MAX) {
      int to = Math.min(blocks.size(), from + Wire.BLOCKS_MAX);
      Messages.UnlinkCall arguments = new Messages.UnlinkCall(pool, blocks.subList(from, to), null);
      removed += call(node, AgentMethod.UNLINK, arguments, Messages.UnlinkAnswer.class).removed;
    }
    return removed;
  }

  @Override
  public void reserve(DatanodeInfo node, String pool, AgentBlock block, String writer)
      throws IOException {
    Messages.ReserveCall arguments = new Messages.ReserveCall(pool, block, writer);
    call(node, AgentMethod.RESERVE, arguments, Messages.Empty.class);
  }

  @Override
  public boolean rollBack(DatanodeInfo node, String pool, AgentBlock block, String writer)
      throws IOException {
    Messages.UnlinkCall arguments =
        new Messages.UnlinkCall(pool, Collections.singletonList(block), writer);
    return call(node, AgentMethod.UNLINK, arguments, Messages.UnlinkAnswer.class).removed > 0;
  }

  @Override
  public BlockChecksum checksum(
      DatanodeInfo node, String pool, AgentBlock block, long offset, long bytes, boolean sync)
      throws IOException {
    Messages.ChecksumCall arguments = new Messages.ChecksumCall(pool, block, offset, bytes, sync);
    return call(node, AgentMethod.CHECKSUM, arguments, BlockChecksum.class);
  }

  @Override
  public BlockClaim claim(DatanodeInfo node, String pool, AgentBlock block) throws IOException {
    Messages.ClaimCall arguments = new Messages.ClaimCall(pool, block);
    return call(node, AgentMethod.CLAIM, arguments, BlockClaim.class);
  }

  @Override
  public BlockFingerprints fingerprint(DatanodeInfo node, FingerprintRequest request)
      throws IOException {
    AgentMethod method = AgentMethod.FINGERPRINT;
    BlockFingerprints answer = callNewer(node, method, request, BlockFingerprints.class);
    if (!answer.answers(request)) {
      String why = "its answer does not fit the request; the agent is of another version";
      throw failure(AgentException.Kind.FAILED, node, method, why, null);
    }
    return answer;
  }

  @Override
  public QuarantinedReplica quarantine(
      DatanodeInfo node, String pool, AgentBlock block, boolean remove) throws IOException {
    Messages.QuarantineCall arguments = new Messages.QuarantineCall(pool, block, remove);
    return callNewer(node, AgentMethod.QUARANTINE, arguments, QuarantinedReplica.class);
  }

  /** Calls a method that older agents lack; the exception is of kind UNSUPPORTED then. */
  private <T> T callNewer(DatanodeInfo node, AgentMethod method, Object arguments, Class<T> answer)
      throws IOException {
    try {
      return call(node, method, arguments, answer);
    } catch (AgentException e) {
      if (e.kind() == AgentException.Kind.BAD_REQUEST) {
        requireMethod(node, method, e);
      }
      throw e;
    }
  }

  /** Throws if the agent is of a version without a method, which it has refused. */
  private void requireMethod(DatanodeInfo node, AgentMethod method, AgentException refusal)
      throws IOException {
    AgentInfo agent = describe(node);
    if (!agent.has(method)) {
      String why = "version " + agent.version + " of the agent has no such method; upgrade it";
      throw failure(AgentException.Kind.UNSUPPORTED, node, method, why, refusal);
    }
  }

  @Override
  public long encode(DatanodeInfo node, EncodeRequest request) throws IOException {
    return encode(node, UUID.randomUUID().toString(), request);
  }

  @Override
  public long encode(DatanodeInfo node, String ticket, EncodeRequest request) throws IOException {
    Messages.EncodeCall arguments = new Messages.EncodeCall(ticket, request);
    return call(node, AgentMethod.ENCODE, arguments, Messages.TaskCall.class).task;
  }

  @Override
  public TaskReport poll(DatanodeInfo node, long task, long waitMillis) throws IOException {
    long limitMillis = Math.max(0, Math.min(waitMillis, POLL_WAIT_MILLIS_MAX));
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
    while (true) {
      long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
      Messages.TaskCall arguments = new Messages.TaskCall(task, left);
      TaskReport report = call(node, AgentMethod.POLL, arguments, TaskReport.class);
      long rest = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (report.state.isFinal() || rest <= 0) {
        return report;
      }
      // An agent lets only a few calls wait, so that they do not occupy all handlers of its
      // DataNode.
      pause(Math.min(rest, PAUSE_MILLIS));
    }
  }

  /** Sleeps. An interrupt is thrown as an exception. */
  public static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for an agent: interrupted");
    }
  }

  @Override
  public void cancel(DatanodeInfo node, long task) throws IOException {
    Messages.CancelCall arguments = new Messages.CancelCall(task, null);
    call(node, AgentMethod.CANCEL, arguments, Messages.CancelAnswer.class);
  }

  @Override
  public List<Long> cancel(DatanodeInfo node, String ticket) throws IOException {
    Messages.CancelCall arguments = new Messages.CancelCall(0, ticket);
    return call(node, AgentMethod.CANCEL, arguments, Messages.CancelAnswer.class).tasks;
  }

  /**
   * Calls a method, and retries for a while if the agent is busy. All calls are idempotent, so a
   * call without an answer is repeated once: the DataNode may have restarted, which is only
   * detected when its old connection is used.
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
        } else if (unanswered) {
          // The first call may have been executed, whatever the result of the second one.
          throw new AgentException(AgentException.Kind.UNREACHABLE, e.getMessage(), e);
        } else {
          throw e;
        }
      }
    }
  }

  /**
   * Returns whether an established connection broke, rather than that no connection could be made.
   */
  private static boolean isLost(Throwable cause) {
    return cause instanceof IOException
        && !(cause instanceof ConnectException)
        && !(cause instanceof InterruptedIOException)
        && !(cause instanceof ClosedByInterruptException);
  }

  private <T> T callOnce(DatanodeInfo node, AgentMethod method, Object arguments, Class<T> answer)
      throws IOException {
    BytesValue reply;
    try {
      reply = proxy(node).call(null, Wire.request(method, arguments));
    } catch (ServiceException e) {
      throw unserved(node, method, e.getCause() == null ? e : e.getCause());
    } catch (IOException e) {
      throw unserved(node, method, e);
    }
    try {
      Messages.Envelope envelope = Wire.envelope(reply);
      if (envelope.error != null) {
        throw failure(kind(envelope.error.kind), node, method, envelope.error.message, null);
      }
      T value = Messages.JSON.fromJson(envelope.answer, answer);
      if (value == null) {
        throw new JsonParseException("the answer is missing");
      }
      return value;
    } catch (JsonParseException | NullPointerException e) {
      throw failure(
          AgentException.Kind.BAD_REQUEST,
          node,
          method,
          "the reply is '" + reply.getValue().toStringUtf8() + "'",
          e);
    }
  }

  /**
   * Returns the exception for a call without a reply from an agent: the server refused it, or there
   * is no server.
   */
  private static AgentException unserved(DatanodeInfo node, AgentMethod method, Throwable why) {
    return why instanceof RemoteException
        ? refusal(node, method, (RemoteException) why)
        : failure(AgentException.Kind.UNREACHABLE, node, method, String.valueOf(why), why);
  }

  /** Distinguishes a missing agent from one that fails, by the exceptions of Hadoop's RPC. */
  private static AgentException refusal(DatanodeInfo node, AgentMethod method, RemoteException e) {
    // The other lines are the stack trace of the server's thread.
    String text = String.valueOf(e.getMessage()).split("\n", 2)[0];
    if (e.getClassName().endsWith("AuthorizationException") && !text.contains("not known")
        || e.getClassName().endsWith("AccessControlException")
        || e.getClassName().endsWith("NotAdmittedException")
        || e.getClassName().endsWith("SaslException")
        || e.getClassName().endsWith("InvalidToken")) {
      return failure(AgentException.Kind.DENIED, node, method, text, e);
    }
    if (e.getClassName().endsWith("RpcNoSuchProtocolException")
        || e.getClassName().endsWith("RpcNoSuchMethodException")
        || e.getClassName().endsWith("VersionMismatch")
        || e.getClassName().endsWith("AuthorizationException")) {
      return failure(
          AgentException.Kind.NO_AGENT,
          node,
          method,
          text + "; the plug-in must be in dfs.datanode.plugins there",
          e);
    }
    // The server may be too busy, or lack memory, temporarily.
    return failure(
        AgentException.Kind.UNREACHABLE, node, method, e.getClassName() + ": " + text, e);
  }

  /** Returns the kind with a name. Kinds of later versions are mapped to FAILED. */
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
        "Cannot call " + method.wireName() + " of agent " + node.getIpcAddr(false) + ": " + why,
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
