// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.security.token.Token;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentMethod;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.server.datanode.encode.EncodeTask;

/**
 * The rights of a caller that authenticated with a block token: to encode the block group that the
 * token grants writing, from blocks that further tokens grant reading. A map of a superuser's job,
 * which has no Kerberos ticket, can thereby do what that superuser's driver has prepared, and
 * nothing else.
 */
final class TokenGrant {
  private final BlockTokenIdentifier shown;
  private final BlockPoolTokenSecretManager keys;

  /**
   * Creates the rights of a token that the RPC server has verified.
   *
   * @param keys verifies the tokens of blocks to read
   */
  TokenGrant(BlockTokenIdentifier shown, BlockPoolTokenSecretManager keys) {
    this.shown = shown;
    this.keys = keys;
  }

  /** Refuses methods that token holders may not call. */
  void check(AgentMethod method) throws AgentException {
    boolean isForHolders =
        method == AgentMethod.ENCODE || method == AgentMethod.POLL || method == AgentMethod.CANCEL;
    require(isForHolders, "a block token is not enough for '" + method.wireName() + "'");
    require(
        shown.getAccessModes().contains(AccessMode.WRITE),
        "its token does not allow writing block " + shown.getBlockId());
  }

  /** Refuses a request that writes other groups, or reads blocks without tokens for them. */
  void check(EncodeRequest request) throws AgentException {
    require(
        request.pool.equals(shown.getBlockPoolId()),
        "its token is for pool " + shown.getBlockPoolId());
    for (EncodeRequest.Target target : request.parity) {
      checkGroup(EncodeTask.groupOf(target.block.id));
    }
    for (EncodeRequest.Send send : request.sends) {
      checkGroup(EncodeTask.groupOf(send.target.block.id));
    }
    for (EncodeRequest.Kept kept : request.kept) {
      checkGroup(EncodeTask.groupOf(kept.block.id));
    }
    for (EncodeRequest.Source source : request.data) {
      checkRead(request.pool, source);
    }
  }

  /** Refuses another block group. */
  void checkGroup(long group) throws AgentException {
    require(
        group == EncodeTask.groupOf(shown.getBlockId()),
        "its token is for block group "
            + EncodeTask.groupOf(shown.getBlockId())
            + ", not "
            + group);
  }

  private void checkRead(String pool, EncodeRequest.Source source) throws AgentException {
    AgentBlock block = source.block;
    require(source.token != null, "there is no token to read block " + block.id);
    try {
      Token<BlockTokenIdentifier> token = new Token<>();
      token.decodeFromUrlString(source.token);
      keys.checkAccess(
          token,
          null,
          new ExtendedBlock(pool, block.id, block.length, block.generationStamp),
          AccessMode.READ);
    } catch (IOException | RuntimeException e) {
      throw refusal("its token does not allow reading block " + block.id + ": " + e.getMessage());
    }
  }

  private void require(boolean holds, String otherwise) throws AgentException {
    if (!holds) {
      throw refusal(otherwise);
    }
  }

  private AgentException refusal(String reason) {
    return new AgentException(
        AgentException.Kind.DENIED, "Cannot serve the holder of a block token: " + reason);
  }
}
