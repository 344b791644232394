// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.BlockChecksumOptions;
import org.apache.hadoop.hdfs.protocol.BlockChecksumType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.InvalidEncryptionKeyException;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpBlockChecksumResponseProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.CrcComposer;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Reasons;

/**
 * Requests the CRC of each replica of a file from its DataNode, and compares them.
 *
 * <p>A copy is made from one replica of each block, and compared with a checksum that comes from
 * one replica. If that replica has wrong bytes with matching checksums, copy and checksum agree,
 * and the conversion would delete the correct replicas.
 */
final class ReplicaAgreement {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaAgreement.class);

  private final DFSClient client;

  /**
   * DataNodes that did not answer in time. Waiting again for each of their blocks would take hours.
   */
  private final Set<String> silentNodes = new HashSet<>();

  private final int replicas;

  private ReplicaAgreement(DFSClient client, int replicas) {
    this.client = client;
    this.replicas = replicas;
  }

  /**
   * Checks a replicated file. DataNodes compute the CRCs from stored checksums, so they read no
   * data.
   *
   * @param path path of the file, for messages
   * @param replicas expected replicas of each block; the NameNode may report fewer
   * @param blocks all blocks of the file, with tokens
   * @param sum composite CRC that the copy will be compared with
   * @throws IOException if replicas of a block differ, at least half of its DataNodes do not
   *     answer, or the replicas have another CRC than the file
   */
  static void check(
      DFSClient client, String path, int replicas, LocatedBlocks blocks, FileChecksum sum)
      throws IOException {
    ReplicaAgreement agreement = new ReplicaAgreement(client, replicas);
    CrcComposer composer =
        CrcComposer.newCrcComposer(
            sum.getChecksumOpt().getChecksumType(), blocks.get(0).getBlockSize());
    for (LocatedBlock block : blocks.getLocatedBlocks()) {
      composer.update(agreement.agreed(block), block.getBlockSize());
    }
    int wanted = ByteBuffer.wrap(sum.getBytes()).getInt();
    int found = ByteBuffer.wrap(composer.digest()).getInt();
    if (found != wanted) {
      // The checksum came from a replica on a DataNode that has not answered this time.
      throw new IOException(
          String.format(
              "Cannot copy %s: its CRC was %08x, and the replicas on DataNodes that answer now have"
                  + " %08x; convert it again once all DataNodes with its blocks answer",
              path, wanted, found));
    }
  }

  /**
   * Returns the CRC that is common to all replicas of a block whose DataNodes answer. More than
   * half of the DataNodes must answer.
   */
  private int agreed(LocatedBlock block) throws IOException {
    // Replicas with the same bytes may have checksums of different types.
    Map<Sum, List<DatanodeInfo>> nodes = new LinkedHashMap<>();
    for (List<DatanodeInfo> equal : digests(block).values()) {
      nodes.computeIfAbsent(crc(block, equal), any -> new ArrayList<>()).addAll(equal);
    }
    if (nodes.size() > 1) {
      throw new IOException(differ(block.getBlock().getBlockName(), nodes));
    }
    return nodes.keySet().iterator().next().crc();
  }

  /**
   * Returns the CRC of replicas with equal checksums, from the first DataNode that answers.
   *
   * @throws IOException if none answers; these replicas may differ from the others
   */
  private Sum crc(LocatedBlock block, List<DatanodeInfo> nodes) throws IOException {
    IOException failure = null;
    for (DatanodeInfo node : nodes) {
      try {
        return ask(block, node, BlockChecksumType.COMPOSITE_CRC);
      } catch (IOException e) {
        failure = e;
      }
    }
    String name = block.getBlock().getBlockName();
    throw new IOException(
        "Cannot copy block "
            + name
            + ": there is no CRC of its replicas on "
            + addresses(nodes)
            + " ("
            + Reasons.of(failure)
            + "), which may differ from others; see 'hdfs fsck"
            + " -blockId "
            + name
            + "' and convert the file again",
        failure);
  }

  /**
   * Returns the DataNodes with a replica, grouped by a digest of its stored checksums. A digest
   * costs a DataNode a tenth of a composite CRC. More than half of the DataNodes must answer.
   */
  private Map<Sum, List<DatanodeInfo>> digests(LocatedBlock block) throws IOException {
    String name = block.getBlock().getBlockName();
    Map<Sum, List<DatanodeInfo>> nodes = new LinkedHashMap<>();
    List<DatanodeInfo> silent = new ArrayList<>();
    for (DatanodeInfo node : block.getLocations()) {
      try {
        if (silentNodes.contains(node.getDatanodeUuid())) {
          throw new IOException("it did not answer before");
        }
        Sum digest = ask(block, node, BlockChecksumType.MD5CRC);
        nodes.computeIfAbsent(digest, any -> new ArrayList<>()).add(node);
      } catch (IOException e) {
        // A refusal takes no time, and the DataNode may only be busy, so it is asked again.
        if (e instanceof InterruptedIOException || e instanceof NoRouteToHostException) {
          silentNodes.add(node.getDatanodeUuid());
        }
        LOG.warn(
            "Comparing the replicas of block {} without the one on {}: {}",
            name,
            node.getXferAddr(),
            Reasons.of(e));
        silent.add(node);
      }
    }
    int all = Math.max(replicas, block.getLocations().length);
    int answers = block.getLocations().length - silent.size();
    if (2 * answers <= all) {
      // A minority must not decide: the answering replica may be the wrong one.
      throw new IOException(
          "Cannot copy block "
              + name
              + ": of its "
              + all
              + " replicas "
              + answers
              + " can be compared, and more than half must be; no answer from "
              + addresses(silent)
              + "; convert the file again once they answer");
    }
    return nodes;
  }

  private static String addresses(List<DatanodeInfo> nodes) {
    return nodes.stream().map(DatanodeInfo::getXferAddr).collect(Collectors.joining(", "));
  }

  private static String differ(String name, Map<Sum, List<DatanodeInfo>> nodesBySum) {
    StringBuilder message =
        new StringBuilder("Cannot copy block " + name + ": its replicas differ, their checksum is");
    String separator = " ";
    for (Map.Entry<Sum, List<DatanodeInfo>> one : nodesBySum.entrySet()) {
      String nodes = addresses(one.getValue());
      message.append(String.format("%s%s on %s", separator, one.getKey(), nodes));
      separator = " and ";
    }
    return message
        .append("; see 'hdfs fsck -blockId ")
        .append(name)
        .append(
            "', determine which bytes are correct, delete the wrong replica from the disk of its")
        .append(" DataNode, and convert the file again")
        .toString();
  }

  private Sum ask(LocatedBlock block, DatanodeInfo node, BlockChecksumType type)
      throws IOException {
    try {
      return askOnce(block, node, type);
    } catch (InvalidEncryptionKeyException e) {
      // DataNodes that were restarted do not have the keys from before a restart of the NameNode.
      client.clearDataEncryptionKey();
      return askOnce(block, node, type);
    }
  }

  private Sum askOnce(LocatedBlock block, DatanodeInfo node, BlockChecksumType type)
      throws IOException {
    String address = node.getXferAddr(client.getConf().isConnectToDnViaHostname());
    try (Peer peer =
        client.newConnectedPeer(NetUtils.createSocketAddr(address), block.getBlockToken(), node)) {
      new Sender(new DataOutputStream(new BufferedOutputStream(peer.getOutputStream())))
          .blockChecksum(block.getBlock(), block.getBlockToken(), new BlockChecksumOptions(type));
      BlockOpResponseProto answer =
          BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(peer.getInputStream()));
      DataTransferProtoUtil.checkBlockOpStatus(answer, "checksum of a replica");
      OpBlockChecksumResponseProto sum = answer.getChecksumResponse();
      return new Sum(
          PBHelperClient.convert(sum.getCrcType()), sum.getBlockChecksum().asReadOnlyByteBuffer());
    }
  }

  /** The answer of a DataNode for a replica. CRCs of different types cannot be compared. */
  private static final class Sum {
    private final DataChecksum.Type type;
    private final ByteBuffer bytes;

    Sum(DataChecksum.Type type, ByteBuffer bytes) {
      this.type = type;
      this.bytes = bytes;
    }

    /** Returns the composite CRC. */
    int crc() {
      return bytes.getInt(bytes.position());
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Sum
          && ((Sum) other).type == type
          && ((Sum) other).bytes.equals(bytes);
    }

    @Override
    public int hashCode() {
      return bytes.hashCode();
    }

    @Override
    public String toString() {
      return String.format("%s %08x", type, crc());
    }
  }
}
