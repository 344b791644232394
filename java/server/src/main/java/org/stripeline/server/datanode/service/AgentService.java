// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Arrays;
import java.util.Collections;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.ServiceAuthorizationManager;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentInfo;
import org.stripeline.agent.AgentMethod;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.agent.Messages;
import org.stripeline.agent.RpcAgents;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.Wire;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.server.datanode.AgentSettings;
import org.stripeline.server.datanode.encode.BufferPool;
import org.stripeline.server.datanode.encode.EncodeTask;
import org.stripeline.server.datanode.encode.TaskContext;
import org.stripeline.server.datanode.encode.TaskTable;
import org.stripeline.server.datanode.replica.LocalReplicas;
import org.stripeline.server.datanode.scrub.Quarantine;
import org.stripeline.server.datanode.scrub.ReplicaFingerprints;

/**
 * The agent of one DataNode: checks the caller, decodes the arguments, and encodes results and
 * errors.
 */
public final class AgentService implements AgentProtocol, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentService.class);

  private final DataNode dataNode;
  private final boolean isAuthorizing;
  private final AccessControl accessControl;
  private final AgentMetrics metrics;
  private final LocalReplicas replicas;
  private final HandlerShare handlers;
  private final ScrubTurns turns = new ScrubTurns(Ticker.SYSTEM);
  private final KnownDataNodes known;
  private final Agents peers;
  private final TaskTable tasks;
  private final ReplicaFingerprints fingerprints;
  private final Quarantine quarantine;
  private volatile boolean closed;

  /**
   * Creates the agent of a running DataNode; the current user is the DataNode's.
   *
   * @param activeNameNode returns the address of the active NameNode of a block pool, or null
   * @throws IllegalArgumentException if a setting is out of range; the message names it
   */
  public AgentService(
      DataNode dataNode, Function<String, InetSocketAddress> activeNameNode, Configuration conf)
      throws IOException {
    AgentSettings settings = new AgentSettings(conf);
    this.dataNode = dataNode;
    isAuthorizing =
        conf.getBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false);
    accessControl = new AccessControl(conf);
    metrics = new AgentMetrics(dataNode);
    replicas = new LocalReplicas(dataNode, settings, metrics, Clock.systemUTC());
    handlers = new HandlerShare(settings.workers, settings.waiters);
    known = new KnownDataNodes(new NameNodeReports(activeNameNode::apply, conf));
    peers = new RpcAgents(conf, settings.timeoutMillis);
    int most = settings.tasks * settings.windows * HdfsServerConstants.MAX_BLOCKS_IN_GROUP;
    BufferPool buffers = new BufferPool(settings.window, most);
    tasks =
        new TaskTable(
            new TaskContext(dataNode, replicas, peers, settings, metrics, buffers, Ticker.SYSTEM));
    fingerprints = ReplicaFingerprints.of(dataNode, metrics, settings.scrubBandwidth);
    quarantine =
        new Quarantine(dataNode, metrics, replicas::removeWrong, settings, Clock.systemUTC());
    metrics.publish(
        tasks::running, tasks::queued, () -> buffers.bytes() + fingerprints.bufferBytes());
  }

  /**
   * Checks that the caller of this thread's call may send a request.
   *
   * @throws NotAdmittedException if the caller has no right to any method
   */
  public void admit() throws IOException {
    try {
      accessControl.check();
      authorize();
    } catch (AgentException e) {
      metrics.add(AgentCount.CALLS_FAILED, 1);
      throw new NotAdmittedException(e.getMessage());
    }
  }

  /**
   * Checks the agent's lists in {@code hadoop-policy.xml}. The server checks those of the protocol
   * that a connection names, and then accepts calls of any protocol. Its method for that writes a
   * line to the audit log each time, which is too much for each call.
   */
  private void authorize() throws AgentException {
    if (!isAuthorizing) {
      return;
    }
    Class<?> protocol = AgentProtocol.class;
    ServiceAuthorizationManager lists = dataNode.ipcServer.getServiceAuthorizationManager();
    UserGroupInformation user = Server.getRemoteUser();
    InetAddress address = Server.getRemoteIp();
    boolean isAllowed =
        lists.getProtocolsWithAcls().contains(protocol)
            && lists.getProtocolsAcls(protocol).isUserAllowed(user)
            && !lists.getProtocolsBlockedAcls(protocol).isUserAllowed(user)
            && lists.getProtocolsMachineList(protocol).includes(address)
            && !lists.getProtocolsBlockedMachineList(protocol).includes(address);
    if (!isAllowed) {
      throw new AgentException(
          AgentException.Kind.DENIED,
          "User "
              + user.getUserName()
              + " at "
              + address
              + " is not authorized for "
              + AgentProtocol.NAME
              + " by hadoop-policy.xml");
    }
  }

  /** A separate class, so that the server can be configured not to log its stack traces. */
  public static final class NotAdmittedException extends AccessControlException {
    private static final long serialVersionUID = 1;

    NotAdmittedException(String message) {
      super(message);
    }
  }

  @Override
  public BytesValue call(RpcController controller, BytesValue request) {
    Messages.Envelope envelope;
    try {
      accessControl.check();
      Wire.check(request);
      AgentMethod method = method(Wire.method(request));
      // After an agent was stopped, callers can still find out whether its tasks have ended.
      if (closed && method != AgentMethod.POLL && method != AgentMethod.CANCEL) {
        throw new AgentException(AgentException.Kind.NO_AGENT, "the agent has been stopped");
      }
      Object answer = answer(method, request);
      envelope = new Messages.Envelope(Messages.JSON.toJsonTree(answer), null);
    } catch (AgentException e) {
      LOG.debug("Cannot serve a request", e);
      envelope = failure(e.kind(), e.getMessage());
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot serve a request", e);
      envelope = failure(AgentException.Kind.FAILED, AgentException.reason(e));
    }
    return Wire.reply(envelope);
  }

  private Messages.Envelope failure(AgentException.Kind kind, String message) {
    boolean isRetried = kind == AgentException.Kind.BUSY || kind == AgentException.Kind.NOT_READY;
    metrics.add(isRetried ? AgentCount.CALLS_BUSY : AgentCount.CALLS_FAILED, 1);
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

  private Object answer(AgentMethod method, BytesValue request) throws IOException {
    switch (method) {
      case ABOUT:
        return describe();
      case ENCODE:
        Messages.EncodeCall encode = Wire.arguments(request, Messages.EncodeCall.class);
        RequestCheck.encode(encode);
        known.check(encode.request);
        return new Messages.TaskCall(tasks.begin(encode.ticket, encode.request), 0);
      case POLL:
        Messages.TaskCall poll = Wire.arguments(request, Messages.TaskCall.class);
        return poll(poll);
      case CANCEL:
        Messages.CancelCall cancel = Wire.arguments(request, Messages.CancelCall.class);
        RequestCheck.cancel(cancel);
        return cancel(cancel);
      case FINGERPRINT:
        FingerprintRequest fingerprint = Wire.arguments(request, FingerprintRequest.class);
        RequestCheck.fingerprint(fingerprint);
        return fingerprint(fingerprint);
      default:
        handlers.beginWork();
        try {
          return work(method, request);
        } finally {
          handlers.endWork();
        }
    }
  }

  private Messages.CancelAnswer cancel(Messages.CancelCall call) {
    if (call.ticket == null) {
      tasks.cancel(call.task);
      return new Messages.CancelAnswer(Collections.singletonList(call.task));
    }
    return new Messages.CancelAnswer(tasks.cancel(call.ticket));
  }

  private Object work(AgentMethod method, BytesValue request) throws IOException {
    switch (method) {
      case LINK:
        Messages.LinkCall link = Wire.arguments(request, Messages.LinkCall.class);
        RequestCheck.link(link);
        return new Messages.LinkAnswer(replicas.link(link.pool, link.links));
      case UNLINK:
        Messages.UnlinkCall unlink = Wire.arguments(request, Messages.UnlinkCall.class);
        RequestCheck.unlink(unlink);
        return new Messages.UnlinkAnswer(replicas.unlink(unlink));
      case RESERVE:
        Messages.ReserveCall reserve = Wire.arguments(request, Messages.ReserveCall.class);
        RequestCheck.reserve(reserve);
        replicas.reserve(reserve);
        return new Messages.Empty();
      case CHECKSUM:
        Messages.ChecksumCall checksum = Wire.arguments(request, Messages.ChecksumCall.class);
        RequestCheck.checksum(checksum);
        return checksum(checksum);
      case CLAIM:
        Messages.ClaimCall claim = Wire.arguments(request, Messages.ClaimCall.class);
        RequestCheck.claim(claim);
        return replicas.claim(claim.pool, claim.block);
      case QUARANTINE:
        Messages.QuarantineCall keep = Wire.arguments(request, Messages.QuarantineCall.class);
        RequestCheck.quarantine(keep);
        handlers.beginSync();
        try {
          return quarantine.keep(keep.pool, keep.block, keep.remove);
        } finally {
          handlers.endSync();
        }
      default:
        throw new IllegalStateException("Cannot run as work: " + method);
    }
  }

  private BlockChecksum checksum(Messages.ChecksumCall call) throws IOException {
    if (!call.sync) {
      return replicas.checksum(call);
    }
    handlers.beginSync();
    try {
      return replicas.checksum(call);
    } finally {
      handlers.endSync();
    }
  }

  private BlockFingerprints fingerprint(FingerprintRequest request) throws IOException {
    byte[] client = Server.getClientId();
    try {
      turns.require(client);
      handlers.beginScrub();
      try {
        // Waits for the disks of all storages, so it counts as work too.
        quarantine.expireHourly();
        BlockFingerprints answer = fingerprints.read(request);
        turns.served(client);
        return answer;
      } finally {
        handlers.endScrub();
      }
    } catch (AgentException e) {
      if (e.kind() == AgentException.Kind.BUSY) {
        turns.refused(client);
        metrics.add(AgentCount.FINGERPRINTS_BUSY, 1);
      }
      throw e;
    }
  }

  private AgentInfo describe() throws AgentException {
    String uuid = dataNode.getDatanodeUuid();
    if (uuid == null) {
      throw new AgentException(
          AgentException.Kind.UNREACHABLE, "the DataNode has not registered yet; try again later");
    }
    if (handlers.isStuck()) {
      // Drivers do not use DataNodes whose agents do not answer this call.
      throw new AgentException(
          AgentException.Kind.FAILED,
          "all handlers for calls that read, write or sync replicas have been busy for 5 minutes,"
              + " as when a disk hangs; restart the DataNode");
    }
    CoderStatus coder = CoderStatus.current();
    return new AgentInfo(
        NUMBER,
        coder.version(),
        VersionInfo.getVersion(),
        uuid,
        coder.implementation() + ' ' + coder.version() + ", isa " + coder.isa());
  }

  private TaskReport poll(Messages.TaskCall call) throws IOException {
    EncodeTask task = tasks.find(call.task);
    long limitMillis = Math.min(call.waitMillis, Agents.POLL_WAIT_MILLIS_MAX);
    TaskReport report = task.report();
    if (limitMillis > 0 && !report.state.isFinal() && handlers.beginWait()) {
      try {
        task.awaitEnd(limitMillis);
      } catch (InterruptedException e) {
        // The server is being stopped; return the current state.
        Thread.currentThread().interrupt();
      } finally {
        handlers.endWait();
      }
      report = task.report();
    }
    return report;
  }

  /** Ends all tasks and refuses further calls. Closing again has no effect. */
  @Override
  public void close() {
    closed = true;
    fingerprints.close();
    tasks.close();
    peers.close();
    metrics.close();
  }
}
