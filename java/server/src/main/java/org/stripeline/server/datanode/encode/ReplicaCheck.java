// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.BlockClaim;
import org.stripeline.agent.EncodeRequest;

/**
 * Compares the replicas of one data block with the bytes that were encoded, since all of them
 * except the kept one are deleted after a conversion.
 *
 * <p>The kept replica is read from its disk. A replica with wrong bytes and matching checksums,
 * such as one whose files were swapped with those of another block, cannot be detected by reading
 * it. Therefore the checksum files of all replicas are compared, and the value of the majority
 * counts as correct. This reads less than a hundredth of a replica.
 */
final class ReplicaCheck {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaCheck.class);

  private final TaskContext context;
  private final EncodeRequest request;
  private final int unit;
  private final EncodeRequest.Source source;
  private final EncodeRequest.Kept kept;
  private final RateLimiter limiter;
  private final Map<String, BlockClaim> claims = new LinkedHashMap<>();

  /** DataNodes whose claims are unavailable, with the reasons. */
  private final Map<AgentNode, String> silent = new LinkedHashMap<>();

  /** {@code kept} is null for a block that is sent, or that the caller has not linked. */
  ReplicaCheck(
      TaskContext context,
      EncodeRequest request,
      int unit,
      EncodeRequest.Kept kept,
      RateLimiter limiter) {
    this.context = context;
    this.request = request;
    this.unit = unit;
    this.source = request.data.get(unit);
    this.kept = kept;
    this.limiter = limiter;
  }

  /** Requests the claim of each replica. A DataNode that does not answer counts as silent. */
  void askClaims() throws IOException {
    for (AgentNode node : source.nodes) {
      try {
        claims.put(node.uuid, context.claim(request.pool, node, source.block));
      } catch (AgentException e) {
        silent.put(node, AgentException.reason(e));
        LOG.info("{} at {} is not compared: {}", source.block, node, e.getMessage());
      }
    }
  }

  /**
   * Returns the DataNodes with wrong replicas, according to the claims of the majority. A silent
   * replica counts against the majority, since the two correct replicas of three may be silent.
   *
   * @throws AgentException if too many are silent to decide; the caller may retry
   */
  List<AgentNode> contradicted(BlockClaim encoded) throws AgentException {
    BlockClaim right = majority(encoded.type);
    if (right == null && !silent.isEmpty()) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot determine which replica of "
              + source.block
              + " is correct: more than half of its "
              + source.nodes.size()
              + " replicas must have equal checksums; received checksums: "
              + claims.values()
              + "; no answer: "
              + silent
              + "; convert the file again when these DataNodes and their agents answer");
    }
    List<AgentNode> wrong = new ArrayList<>();
    for (AgentNode node : source.nodes) {
      BlockClaim claim = claims.get(node.uuid);
      boolean isOther = claim != null && claim.type.equals(encoded.type) && !claim.equals(right);
      if (right == null || isOther) {
        wrong.add(node);
      }
    }
    if (wrong.isEmpty() && encoded.equals(right)) {
      return wrong;
    }
    LOG.warn("Replicas of {} differ: encoded {}, checksums {}", source.block, encoded, claims);
    if (right == null) {
      // Any replica that is kept could be wrong, and a deleted one correct.
      return wrong;
    }
    wrong.forEach(node -> context.reportCorrupt(request.pool, source.block, node));
    if (encoded.equals(right)) {
      wrong.removeIf(node -> !isKept(node));
      return wrong;
    }
    if (wrong.isEmpty()) {
      // The wrong bytes were read from a DataNode that is now silent.
      wrong.addAll(silent.keySet());
    }
    if (wrong.isEmpty()) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot encode "
              + source.block
              + ": its replicas are "
              + right
              + ", what was read "
              + encoded
              + "; the memory of this node is faulty");
    }
    return wrong;
  }

  /**
   * Returns the replicas whose claims differ from the majority; without a majority, all that have a
   * claim. Claims of different types cannot be compared.
   */
  List<AgentNode> outvoted() {
    List<AgentNode> wrong = new ArrayList<>();
    Set<String> kinds = new HashSet<>();
    claims.values().forEach(claim -> kinds.add(claim.type));
    if (kinds.size() == 1 && new HashSet<>(claims.values()).size() > 1) {
      BlockClaim right = majority(kinds.iterator().next());
      for (AgentNode node : source.nodes) {
        BlockClaim claim = claims.get(node.uuid);
        if (claim != null && !claim.equals(right)) {
          wrong.add(node);
        }
      }
    }
    return wrong;
  }

  /** Returns the claim of more than half of all replicas, or null. */
  private BlockClaim majority(String type) {
    Map<BlockClaim, Integer> votes = new HashMap<>();
    for (BlockClaim claim : claims.values()) {
      if (claim.type.equals(type)
          && 2 * votes.merge(claim, 1, Integer::sum) > source.nodes.size()) {
        return claim;
      }
    }
    return null;
  }

  private boolean isKept(AgentNode node) {
    return kept != null && kept.node.uuid.equals(node.uuid);
  }

  /**
   * Writes the kept replica to disk, and reads it on its DataNode.
   *
   * @return its checksum, or null if the replica is bad
   * @throws AgentException if its DataNode cannot be called
   */
  BlockChecksum readKept(BlockChecksum encoded) throws IOException {
    try {
      BlockChecksum there = context.checksum(request.pool, kept.node, kept.block, limiter);
      if (there.crc32c == encoded.crc32c) {
        return there;
      }
      LOG.warn("{} at {} has {}, encoded {}", kept.block, kept.node, there, encoded);
    } catch (AgentException e) {
      boolean isRead =
          e.kind() == AgentException.Kind.CORRUPT
              || e.kind() == AgentException.Kind.CHANGED
              || e.kind() == AgentException.Kind.FAILED;
      if (!isRead) {
        throw new AgentException(
            AgentException.Kind.FAILED,
            "Cannot verify " + kept.block + " at " + kept.node + ": " + e.getMessage(),
            e);
      }
      LOG.warn("Cannot keep {} at {}", kept.block, kept.node, e);
      if (e.kind() != AgentException.Kind.CORRUPT) {
        return null;
      }
    }
    context.reportCorrupt(request.pool, source.block, kept.node);
    return null;
  }

  BadReplica bad(AgentNode node) {
    return new BadReplica(unit, node.uuid);
  }

  BadReplica badKept() {
    return bad(kept.node);
  }
}
