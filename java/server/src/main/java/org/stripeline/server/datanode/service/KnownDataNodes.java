// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.natives.Ticker;

/**
 * The DataNodes that the NameNode of a block pool reports. A request may only name these, since the
 * agent connects to the DataNodes of a request with its DataNode's rights and from its network.
 *
 * <p>Reports are cached. A node that is missing from one may have registered since, so the NameNode
 * is queried again, but at a limited rate.
 */
final class KnownDataNodes {
  /** Lifetime of a report: the time after which HDFS considers a silent DataNode dead. */
  static final long KEEP_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Minimum time between two queries to a NameNode. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * Time that a call waits while another queries the NameNode; short since it occupies a handler.
   */
  private static final long WAIT_MILLIS = 1_000;

  private final Source source;
  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();

  /** By block pool; contains only pools of this DataNode. */
  private final Map<String, Report> reports = new HashMap<>();

  KnownDataNodes(Source source) {
    this(source, Ticker.SYSTEM);
  }

  KnownDataNodes(Source source, Ticker ticker) {
    this.source = source;
    this.ticker = ticker;
  }

  /** Queries NameNodes. */
  interface Source {
    /**
     * Returns all DataNodes of a pool, including dead ones.
     *
     * @throws AgentException if this DataNode has no such pool
     * @throws IOException if its NameNode does not answer
     */
    DatanodeInfo[] report(String pool) throws IOException;
  }

  /**
   * Checks every DataNode that a request names as a source or a target.
   *
   * @throws AgentException of kind NOT_READY with the first DataNode that the NameNode does not
   *     report, or if the NameNode does not answer; of kind BUSY if the answer takes too long; of
   *     kind FAILED if the NameNode denies access
   */
  void check(EncodeRequest request) throws IOException {
    try {
      if (!lock.tryLock(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new AgentException(
            AgentException.Kind.BUSY,
            "Cannot check the DataNodes of a request: the NameNode has not answered yet; try again"
                + " later");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot check the DataNodes of a request: interrupted");
    }
    try {
      AgentNode stranger = report(request.pool, KEEP_NANOS).stranger(request);
      if (stranger != null) {
        stranger = report(request.pool, PAUSE_NANOS).stranger(request);
      }
      if (stranger != null) {
        throw new AgentException(
            // A NameNode that has just become active may not have all DataNodes yet.
            AgentException.Kind.NOT_READY,
            "Cannot encode as requested: the NameNode has no DataNode "
                + stranger.uuid
                + " at "
                + stranger
                + " with host name "
                + stranger.host
                + " and IPC port "
                + stranger.ipcPort);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the cached report if it is younger than {@code youngerNanos}, otherwise a new one. */
  private Report report(String pool, long youngerNanos) throws IOException {
    Report known = reports.get(pool);
    if (known != null) {
      long age = ticker.nanos() - known.nanos;
      if (known.failure != null && age < PAUSE_NANOS) {
        throw known.failure;
      }
      if (known.failure == null && age < youngerNanos) {
        return known;
      }
    }
    try {
      DatanodeInfo[] nodes = source.report(pool);
      known = new Report(ticker.nanos(), nodes, null);
    } catch (AgentException e) {
      throw e;
    } catch (IOException e) {
      known = new Report(ticker.nanos(), new DatanodeInfo[0], failure(e));
    }
    reports.put(pool, known);
    if (known.failure != null) {
      throw known.failure;
    }
    return known;
  }

  private static AgentException failure(IOException why) {
    return new AgentException(
        why instanceof AccessControlException
            ? AgentException.Kind.FAILED
            : AgentException.Kind.NOT_READY,
        "Cannot get the DataNodes from the NameNode, and an agent connects only to these: "
            + AgentException.reason(why),
        why);
  }

  /** The answer of a NameNode, or the reason for its absence. */
  private static final class Report {
    private final long nanos;
    private final AgentException failure;
    private final Map<String, AgentNode> nodes = new HashMap<>();

    Report(long nanos, DatanodeInfo[] nodes, AgentException failure) {
      this.nanos = nanos;
      this.failure = failure;
      for (DatanodeInfo node : nodes) {
        this.nodes.put(node.getDatanodeUuid(), AgentNode.of(node));
      }
    }

    /** Returns a DataNode of the request that is not in this report, or null. */
    AgentNode stranger(EncodeRequest request) {
      for (EncodeRequest.Source source : request.data) {
        for (AgentNode node : source.nodes) {
          if (!has(node)) {
            return node;
          }
        }
      }
      for (EncodeRequest.Target target : request.parity) {
        if (!has(target.node)) {
          return target.node;
        }
      }
      for (EncodeRequest.Send send : request.sends) {
        if (!has(send.target.node)) {
          return send.target.node;
        }
      }
      for (EncodeRequest.Kept kept : request.kept) {
        if (!has(kept.node)) {
          return kept.node;
        }
      }
      return null;
    }

    private boolean has(AgentNode node) {
      AgentNode known = nodes.get(node.uuid);
      return known != null && known.isReachedAs(node);
    }
  }
}
