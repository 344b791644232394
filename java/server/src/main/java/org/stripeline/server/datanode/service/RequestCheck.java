// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.agent.Link;
import org.stripeline.agent.Messages;
import org.stripeline.agent.Wire;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.fingerprint.FingerprintFunction;
import org.stripeline.server.datanode.AgentSettings;

/** Refuses requests that are incomplete or inconsistent. */
final class RequestCheck {
  private static final int WINDOW_MIN = 4096;

  /** Maximum replicas of a block: the default of {@code dfs.replication.max}. */
  private static final int REPLICAS_MAX = 512;

  /** Maximum characters of a name: of a block pool, storage, host or DataNode, and of a ticket. */
  private static final int NAME_MAX = 255;

  private static final int RACK_MAX = 4096;

  private final String what;

  private RequestCheck(String what) {
    this.what = what;
  }

  /** Checks arguments of {@code link}. */
  static void link(Messages.LinkCall call) throws AgentException {
    RequestCheck check = new RequestCheck("link");
    check.pool(call.pool);
    check.list(call.links, Wire.BLOCKS_MAX, "links");
    for (Link link : call.links) {
      check.block(link.source, "a source");
      check.block(link.target, "a target");
    }
  }

  /** Checks arguments of {@code unlink}. */
  static void unlink(Messages.UnlinkCall call) throws AgentException {
    RequestCheck check = new RequestCheck("unlink");
    check.pool(call.pool);
    check.list(call.blocks, Wire.BLOCKS_MAX, "blocks");
    if (call.writer != null) {
      check.text(call.writer, NAME_MAX, "writer");
    }
  }

  /** Checks arguments of {@code reserve}. */
  static void reserve(Messages.ReserveCall call) throws AgentException {
    RequestCheck check = new RequestCheck("reserve");
    check.pool(call.pool);
    check.block(call.block, "the block");
    check.text(call.writer, NAME_MAX, "writer");
  }

  /** Checks arguments of {@code cancel}. */
  static void cancel(Messages.CancelCall call) throws AgentException {
    RequestCheck check = new RequestCheck("cancel");
    if (call.ticket != null) {
      check.text(call.ticket, NAME_MAX, "ticket");
      check.need(!call.ticket.isEmpty(), "an empty ticket, which would match all tickets");
    }
  }

  /** Checks arguments of {@code checksum}. */
  static void checksum(Messages.ChecksumCall call) throws AgentException {
    RequestCheck check = new RequestCheck("checksum");
    check.pool(call.pool);
    check.block(call.block, "the block");
    check.need(
        call.offset >= 0 && call.bytes >= 0 && call.offset <= call.block.length - call.bytes,
        call.bytes + " bytes from " + call.offset + " of " + call.block.length);
  }

  /** Checks arguments of {@code claim}. */
  static void claim(Messages.ClaimCall call) throws AgentException {
    RequestCheck check = new RequestCheck("claim");
    check.pool(call.pool);
    check.block(call.block, "the block");
  }

  /** Checks arguments of {@code fingerprint}. */
  static void fingerprint(FingerprintRequest request) throws AgentException {
    RequestCheck check = new RequestCheck("fingerprint");
    check.pool(request.pool);
    check.need(
        request.block != null && request.block.length >= 0, "no block, or a negative length of it");
    check.need(
        request.sums >= 1 && request.sums <= FingerprintFunction.SUMS_MAX,
        request.sums + " sums; it must be 1 to " + FingerprintFunction.SUMS_MAX);
    check.need(
        request.windowBytes >= FingerprintFunction.ROW_BYTES
            && request.windowBytes <= FingerprintFunction.WINDOW_BYTES_MAX
            && request.windowBytes % FingerprintFunction.ROW_BYTES == 0,
        "a window of "
            + request.windowBytes
            + " bytes; it must be a multiple of "
            + FingerprintFunction.ROW_BYTES
            + " up to "
            + FingerprintFunction.WINDOW_BYTES_MAX);
    check.need(
        request.windows >= 1 && request.windows <= FingerprintRequest.WINDOWS_MAX,
        request.windows + " windows; it must be 1 to " + FingerprintRequest.WINDOWS_MAX);
    check.need(
        request.firstWindow >= 0
            && request.firstWindow <= Long.MAX_VALUE / request.windowBytes - request.windows,
        "windows from " + request.firstWindow + " on");
    check.need(
        request.bytesPerSecond == 0 || request.bytesPerSecond >= FingerprintRequest.RATE_MIN,
        request.bytesPerSecond
            + " bytes per second; it must be 0 or at least "
            + FingerprintRequest.RATE_MIN);
  }

  /** Checks arguments of {@code quarantine}. */
  static void quarantine(Messages.QuarantineCall call) throws AgentException {
    RequestCheck check = new RequestCheck("quarantine");
    check.pool(call.pool);
    check.need(call.block != null, "no block");
  }

  /** Checks arguments of {@code encode}. */
  static void encode(Messages.EncodeCall call) throws AgentException {
    RequestCheck check = new RequestCheck("encode");
    check.need(call.ticket != null && call.request != null, "no ticket or no request");
    EncodeRequest request = call.request;
    check.pool(request.pool);
    check.code(request);
    check.text(call.ticket, NAME_MAX, "ticket");
    check.text(request.rack, RACK_MAX, "rack");
    check.list(request.data, HdfsServerConstants.MAX_BLOCKS_IN_GROUP, "data");
    check.list(request.parity, HdfsServerConstants.MAX_BLOCKS_IN_GROUP, "parity");
    check.list(request.sends, HdfsServerConstants.MAX_BLOCKS_IN_GROUP, "sends");
    check.list(request.kept, HdfsServerConstants.MAX_BLOCKS_IN_GROUP, "kept blocks");
    check.data(request);
    check.targets(request);
    check.need(request.bytesPerSecond >= 0, request.bytesPerSecond + " bytes per second");
    check.need(
        request.windowBytes == 0
            || request.windowBytes >= WINDOW_MIN && request.windowBytes <= AgentSettings.WINDOW_MAX,
        "a window of "
            + request.windowBytes
            + " bytes; it must be 0 or from "
            + WINDOW_MIN
            + " to "
            + AgentSettings.WINDOW_MAX);
  }

  private void code(EncodeRequest request) throws AgentException {
    text(request.codec, NAME_MAX, "codec");
    long units = (long) request.dataUnits + request.parityUnits;
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
      list(source.nodes, REPLICAS_MAX, "nodes of data block " + i);
      need(!source.nodes.isEmpty(), "no nodes to read data block " + i + " from");
      for (AgentNode node : source.nodes) {
        node(node, "data block " + i);
      }
      long first = request.data.get(0).block.length;
      need(
          i < count - 1 ? source.block.length == first : source.block.length <= first,
          "data block "
              + i
              + " of "
              + source.block.length
              + " bytes after one of "
              + first
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
          "data unit " + send.unit + " to be sent, which does not exist or is sent twice");
      need(send.target != null, "no target for data unit " + send.unit);
      target(send.target, request.data.get(send.unit).block.length, ids);
    }
    for (EncodeRequest.Kept kept : request.kept) {
      need(
          kept.unit >= 0 && kept.unit < request.data.size() && sent.add(kept.unit),
          "data unit " + kept.unit + " kept, which does not exist, is kept twice, or is also sent");
      block(kept.block, "a kept block");
      need(kept.block.id < 0, "kept " + kept.block + ", which is not an internal block");
      need(ids.add(kept.block.id), "kept block " + kept.block + " named twice");
      long length = request.data.get(kept.unit).block.length;
      need(
          kept.block.length == length,
          "kept block " + kept.block + " for a unit of " + length + " bytes");
      node(kept.node, "kept block " + kept.block);
    }
  }

  private void target(EncodeRequest.Target target, long length, Set<Long> ids)
      throws AgentException {
    block(target.block, "a target");
    need(target.block.id < 0, "target " + target.block + ", which is not an internal block");
    need(ids.add(target.block.id), "target " + target.block + " named twice");
    need(
        target.block.length == length,
        "target " + target.block + " for units of " + length + " bytes");
    node(target.node, "target " + target.block);
    text(target.storageId, NAME_MAX, "storage id of target " + target.block);
    text(target.storageType, NAME_MAX, "storage type of target " + target.block);
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
    need(node != null, "no DataNode for " + of);
    text(node.uuid, NAME_MAX, "identity of a DataNode for " + of);
    text(node.address, NAME_MAX, "address of a DataNode for " + of);
    text(node.host, NAME_MAX, "host of a DataNode for " + of);
    text(node.rack, RACK_MAX, "rack of a DataNode for " + of);
    need(
        node.transferPort > 0
            && node.transferPort < 1 << 16
            && node.ipcPort > 0
            && node.ipcPort < 1 << 16,
        "ports " + node.transferPort + " and " + node.ipcPort + " of a DataNode for " + of);
  }

  private void pool(String pool) throws AgentException {
    need(pool != null && !pool.isEmpty(), "no block pool");
    text(pool, NAME_MAX, "block pool");
  }

  /** Checks a list. Every list has a limit: the size that the largest legal request needs. */
  private void list(List<?> list, int most, String of) throws AgentException {
    need(list != null && !list.contains(null), "incomplete list of " + of);
    need(list.size() <= most, list.size() + " " + of + "; at most " + most + " are accepted");
  }

  private void text(String text, int most, String what) throws AgentException {
    need(text != null, "no " + what);
    need(
        text.length() <= most,
        "a " + what + " of " + text.length() + " characters; at most " + most + " are accepted");
  }

  private void block(AgentBlock block, String of) throws AgentException {
    need(block != null && block.length > 0, "no length or no block for " + of);
  }

  private void need(boolean holds, String otherwise) throws AgentException {
    if (!holds) {
      throw new AgentException(
          AgentException.Kind.BAD_REQUEST, "Cannot " + what + " as requested: " + otherwise);
    }
  }
}
