// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.stripeline.natives.Code;
import org.stripeline.natives.ErasureCodec;

/** Refuses requests that came over the wire incomplete or contradict themselves. */
final class RequestCheck {
  private static final int WINDOW_MIN = 4096;

  private final String what;

  private RequestCheck(String what) {
    this.what = what;
  }

  /** Checks arguments of {@code link}. */
  static void link(Messages.LinkCall call) throws AgentException {
    RequestCheck check = new RequestCheck("link");
    check.pool(call.pool);
    check.list(call.links, "links");
    for (Link link : call.links) {
      check.block(link.source, "a source");
      check.block(link.target, "a target");
    }
  }

  /** Checks arguments of {@code unlink}. */
  static void unlink(Messages.UnlinkCall call) throws AgentException {
    RequestCheck check = new RequestCheck("unlink");
    check.pool(call.pool);
    check.list(call.blocks, "blocks");
  }

  /** Checks arguments of {@code checksum}. */
  static void checksum(Messages.ChecksumCall call) throws AgentException {
    RequestCheck check = new RequestCheck("checksum");
    check.pool(call.pool);
    check.block(call.block, "the block");
  }

  /** Checks arguments of {@code encode}. */
  static void encode(Messages.EncodeCall call) throws AgentException {
    RequestCheck check = new RequestCheck("encode");
    check.need(call.ticket != null && call.request != null, "no ticket or no request");
    EncodeRequest request = call.request;
    check.pool(request.pool);
    check.code(request);
    check.list(request.data, "data");
    check.list(request.parity, "parity");
    check.list(request.sends, "sends");
    check.data(request);
    check.targets(request);
    check.need(request.bytesPerSecond >= 0, request.bytesPerSecond + " bytes per second");
    check.need(
        request.windowBytes == 0
            || request.windowBytes >= WINDOW_MIN
                && request.windowBytes <= AgentSettings.WINDOW_MAX,
        "a window of " + request.windowBytes + " bytes; it must be 0 or from " + WINDOW_MIN
            + " to " + AgentSettings.WINDOW_MAX);
  }

  private void code(EncodeRequest request) throws AgentException {
    need(request.codec != null, "no codec");
    int units = request.dataUnits + request.parityUnits;
    need(
        units <= HdfsServerConstants.MAX_BLOCKS_IN_GROUP,
        units + " units; HDFS has at most " + HdfsServerConstants.MAX_BLOCKS_IN_GROUP);
    try {
      ErasureCodec.create(Code.of(request.codec), request.dataUnits, request.parityUnits).close();
    } catch (IllegalArgumentException e) {
      need(false, e.getMessage());
    }
  }

  private void data(EncodeRequest request) throws AgentException {
    int count = request.data.size();
    need(
        count >= 1 && count <= request.dataUnits,
        count + " data blocks for " + request.dataUnits + " data units");
    for (int i = 0; i < count; i++) {
      EncodeRequest.Source source = request.data.get(i);
      block(source.block, "data block " + i);
      list(source.nodes, "nodes of data block " + i);
      need(!source.nodes.isEmpty(), "no nodes to read data block " + i + " from");
      for (AgentNode node : source.nodes) {
        node(node, "data block " + i);
      }
      long first = request.data.get(0).block.length;
      need(
          i < count - 1 ? source.block.length == first : source.block.length <= first,
          "data block " + i + " of " + source.block.length + " bytes after one of " + first
              + "; only the last may be shorter");
    }
  }

  private void targets(EncodeRequest request) throws AgentException {
    need(
        request.parity.size() == request.parityUnits,
        request.parity.size() + " parity blocks for " + request.parityUnits + " parity units");
    Set<Long> ids = new HashSet<>();
    for (EncodeRequest.Target target : request.parity) {
      target(target, request.data.get(0).block.length, ids);
    }
    Set<Integer> sent = new HashSet<>();
    for (EncodeRequest.Send send : request.sends) {
      need(
          send.unit >= 0 && send.unit < request.data.size() && sent.add(send.unit),
          "data unit " + send.unit + " to be sent, which is not there or sent twice");
      need(send.target != null, "no target for data unit " + send.unit);
      target(send.target, request.data.get(send.unit).block.length, ids);
    }
  }

  private void target(EncodeRequest.Target target, long length, Set<Long> ids)
      throws AgentException {
    block(target.block, "a target");
    need(target.block.id < 0, "target " + target.block + ", which is no block of a block group");
    need(ids.add(target.block.id), "target " + target.block + " named twice");
    need(
        target.block.length == length,
        "target " + target.block + " for units of " + length + " bytes");
    node(target.node, "target " + target.block);
    need(target.storageId != null, "target " + target.block + " without a storage id");
    need(isStorageType(target.storageType), "storage type '" + target.storageType + "'");
  }

  private static boolean isStorageType(String name) {
    for (StorageType type : StorageType.values()) {
      if (type.name().equals(name)) {
        return !type.isTransient();
      }
    }
    return false;
  }

  private void node(AgentNode node, String of) throws AgentException {
    need(
        node != null
            && node.uuid != null
            && node.address != null
            && node.host != null
            && node.rack != null,
        "an incomplete DataNode for " + of);
    need(
        node.transferPort > 0
            && node.transferPort < 1 << 16
            && node.ipcPort > 0
            && node.ipcPort < 1 << 16,
        "ports " + node.transferPort + " and " + node.ipcPort + " of a DataNode for " + of);
  }

  private void pool(String pool) throws AgentException {
    need(pool != null && !pool.isEmpty(), "no block pool");
  }

  private void list(List<?> list, String of) throws AgentException {
    need(list != null && !list.contains(null), "incomplete list of " + of);
  }

  private void block(AgentBlock block, String of) throws AgentException {
    need(block != null && block.length > 0, "no length or no block for " + of);
  }

  private void need(boolean holds, String otherwise) throws AgentException {
    if (!holds) {
      throw new AgentException(
          AgentException.Kind.BAD_REQUEST, "Cannot " + what + " as asked: " + otherwise);
    }
  }
}
