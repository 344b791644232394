// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

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
 * Compares the replicas of one data block with the bytes that were encoded, since all but the kept
 * one are deleted after a conversion.
 *
 * <p>The kept replica is read on its disk. A replica whose checksums fit wrong bytes, such as one
 * whose files were swapped with those of another block, cannot be told by reading it; so what the
 * files of checksums of all replicas say is compared, and what more than half of them say is right.
 * That reads less than a hundredth of a replica.
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

  /** DataNodes that have not said what they have, with the reasons. */
  private final Map<AgentNode, String> silent = new LinkedHashMap<>();

  /** {@code kept} is null for a block that is sent, or that the caller has no link of. */
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

  /** Asks what each replica's checksums say. A DataNode that does not answer is silent. */
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
   * Returns which DataNodes have wrong replicas, by what most replicas of the block claim. A
   * replica that is silent counts as one that disagrees: the two right ones of three may be silent.
   *
   * @throws AgentException if too many are silent to decide; the caller may try again
   */
  List<AgentNode> contradicted(BlockClaim encoded) throws AgentException {
    BlockClaim right = majority(encoded.type);
    if (right == null && !silent.isEmpty()) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot tell which replica of "
              + source.block
              + " is right: more than half of its "
              + source.nodes.size()
              + " replicas must have the same checksums, those that answer"
              + " have "
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
      // Whichever were kept, the deleted ones might have been the right ones.
      return wrong;
    }
    wrong.forEach(node -> context.reportCorrupt(request.pool, source.block, node));
    if (encoded.equals(right)) {
      wrong.removeIf(node -> !isKept(node));
      return wrong;
    }
    if (wrong.isEmpty()) {
      // It was read from a DataNode that says nothing any more.
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
   * Returns which replicas claim other bytes than most do; if nothing has a majority, all that have
   * said what they claim. Claims of different kinds cannot be compared.
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

  /** Returns what more than half of all replicas claim, or null. */
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
   * Makes the kept replica durable and reads it where it is.
   *
   * @return its checksum, or null if the replica is bad
   * @throws AgentException if its DataNode cannot be asked
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
