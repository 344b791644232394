// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Checksum;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FinalizedReplicas;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaLinker;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaRemover;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an agent does with replicas of its own DataNode. */
final class LocalReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReplicas.class);
  private static final int READ_BYTES = 1 << 20;

  private final DataNode dataNode;
  private final AgentSettings settings;
  private final AgentMetrics metrics;
  private ReplicaLinker linker;

  LocalReplicas(DataNode dataNode, AgentSettings settings, AgentMetrics metrics) {
    this.dataNode = dataNode;
    this.settings = settings;
    this.metrics = metrics;
  }

  /** The dataset comes into being only when the DataNode registers. */
  private synchronized ReplicaLinker linker() throws AgentException {
    if (linker == null) {
      linker = new ReplicaLinker(FinalizedReplicas.of(dataNode), settings.hardLinks);
    }
    return linker;
  }

  /** Makes all links, or none. */
  List<Linked> link(String pool, List<Link> links) throws IOException {
    checkLinks(links);
    List<ReplicaLinker.Made> made = new ArrayList<>();
    try {
      for (Link link : links) {
        ReplicaLinker.Made one = linker().link(link.source.in(pool), link.target.in(pool));
        made.add(one);
        if (one.isCopied()) {
          // A link cannot differ from its source; a copy is read once to be sure.
          checksum(pool, link.target);
        }
      }
    } catch (IOException | RuntimeException e) {
      takeBack(pool, links, made, e);
      throw e;
    }
    List<Linked> linked = new ArrayList<>();
    for (int i = 0; i < made.size(); i++) {
      ReplicaLinker.Made one = made.get(i);
      dataNode.notifyNamenodeReceivedBlock(
          links.get(i).target.in(pool), null, one.storageId(), one.isTransient());
      metrics.add(AgentCount.LINKS, one.isFresh() ? 1 : 0);
      metrics.add(AgentCount.COPIES, one.isCopied() ? 1 : 0);
      linked.add(new Linked(one.storageId(), one.isCopied()));
    }
    return linked;
  }

  private void checkLinks(List<Link> links) throws AgentException {
    if (links.size() > settings.linksMax) {
      throw bad(
          "Cannot make " + links.size() + " links in one call: at most " + settings.linksMax
              + " (" + AgentKeys.LINKS_MAX + ")");
    }
    for (Link link : links) {
      checkInternal(link.target, "link to");
      if (link.source.length != link.target.length) {
        throw bad("Cannot link " + link.source + " as " + link.target + ": lengths differ");
      }
    }
  }

  private static void checkInternal(AgentBlock block, String what) throws AgentException {
    if (block.id >= 0) {
      throw bad("Cannot " + what + ' ' + block + ": only blocks of block groups have negative ids");
    }
  }

  private static AgentException bad(String message) {
    return new AgentException(AgentException.Kind.BAD_REQUEST, message);
  }

  private void takeBack(
      String pool, List<Link> links, List<ReplicaLinker.Made> made, Exception cause) {
    for (int i = 0; i < made.size(); i++) {
      if (made.get(i).isFresh()) {
        try {
          remover().remove(links.get(i).target.in(pool));
        } catch (IOException e) {
          LOG.warn("Cannot take back a link after a failure; the caller has to unlink it", e);
          cause.addSuppressed(e);
        }
      }
    }
  }

  private ReplicaRemover remover() throws AgentException {
    return new ReplicaRemover(FinalizedReplicas.of(dataNode));
  }

  /** Removes replicas of internal blocks, and returns how many there were. */
  int unlink(String pool, List<AgentBlock> blocks) throws IOException {
    for (AgentBlock block : blocks) {
      checkInternal(block, "unlink");
    }
    ReplicaRemover remover = remover();
    int removed = 0;
    for (AgentBlock block : blocks) {
      removed += remover.remove(block.in(pool)) ? 1 : 0;
    }
    metrics.add(AgentCount.UNLINKS, removed);
    return removed;
  }

  /** Reads a replica through its checksums. */
  BlockChecksum checksum(String pool, AgentBlock block) throws IOException {
    ExtendedBlock whole = block.in(pool);
    Checksum crc = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, READ_BYTES);
    byte[] bytes = new byte[READ_BYTES];
    try (LocalReplicaStream in = new LocalReplicaStream(dataNode, whole, 0)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      for (long left = block.length; left > 0; left -= buffer.position()) {
        buffer.clear();
        buffer.limit((int) Math.min(left, bytes.length));
        in.readFully(buffer);
        crc.update(bytes, 0, buffer.position());
      }
    }
    FinalizedReplicas.of(dataNode).check(whole);
    metrics.add(AgentCount.VERIFIED, block.length);
    return new BlockChecksum(block.length, (int) crc.getValue());
  }
}
