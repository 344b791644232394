// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Lists the non-public members of Hadoop that the agent uses, and checks that they exist before any
 * is used. Names are strings, so that this class loads even if members are missing.
 */
public final class AgentCompat {
  private static final String HDFS = "org.apache.hadoop.hdfs.";
  private static final String NODE = HDFS + "server.datanode.DataNode";
  private static final String IMPL = HDFS + "server.datanode.fsdataset.impl.";

  private static final String PROTOBUF = "org.apache.hadoop.thirdparty.protobuf.";

  /** A class, followed by the members that it must declare or inherit. */
  private static final String[][] NEEDED = {
    {
      IMPL + "FsDatasetImpl",
      "ReplicaMap volumeMap",
      "void finalizeBlock(ExtendedBlock, boolean)",
      "void unfinalizeBlock(ExtendedBlock)",
      "void invalidate(String, Block[], boolean)",
      "FsVolumeReferences getFsVolumeReferences()",
      "VolumeFailureSummary getVolumeFailureSummary()",
      "InputStream getBlockInputStream(ExtendedBlock, long)",
      "LengthInputStream getMetaDataInputStream(ExtendedBlock)",
    },
    {
      IMPL + "FsVolumeImpl",
      "ReplicaInPipeline createTemporary(ExtendedBlock)",
      "FsVolumeReference obtainReference()",
      "void onBlockFileDeletion(String, long)",
      "File getFinalizedDir(String)",
    },
    {
      HDFS + "server.datanode.DatanodeUtil", "File idToBlockDir(File, long)",
    },
    {
      IMPL + "ReplicaMap", "ReplicaInfo get(String, long)", "ReplicaInfo add(String, ReplicaInfo)",
    },
    {
      HDFS + "server.datanode.ReplicaInfo",
      "ReplicaState getState()",
      "URI getBlockURI()",
      "URI getMetadataURI()",
      "FsVolumeSpi getVolume()",
    },
    {
      HDFS + "server.datanode.ReplicaInPipeline",
      "ReplicaInfo getReplicaInfo()",
      "void releaseAllBytesReserved()",
      "void stopWriter(long)",
    },
    {
      NODE,
      "Server ipcServer",
      "FsDatasetSpi getFSDataset()",
      "DatanodeRegistration getDNRegistrationForBP(String)",
      "BPOfferService getBPOfferService(String)",
      "DNConf getDnConf()",
      "Socket newSocket()",
      "SaslDataTransferClient getSaslClient()",
      "Token getBlockAccessToken(ExtendedBlock, EnumSet, StorageType[], String[])",
      "DataEncryptionKeyFactory getDataEncryptionKeyFactoryForBlock(ExtendedBlock)",
      "void notifyNamenodeReceivedBlock(ExtendedBlock, String, String, boolean)",
      "void reportBadBlocks(ExtendedBlock)",
      "void reportRemoteBadBlock(DatanodeInfo, ExtendedBlock)",
    },
    {
      HDFS + "server.datanode.BPOfferService",
      "DatanodeProtocolClientSideTranslatorPB getActiveNN()",
      "List getBPServiceActors()",
    },
    {
      HDFS + "server.datanode.BPServiceActor",
      "DatanodeProtocolClientSideTranslatorPB getNameNodeProxy()",
      "InetSocketAddress getNNSocketAddress()",
    },
    {
      HDFS + "NameNodeProxiesClient",
      "ClientProtocol createNonHAProxyWithClientProtocol(InetSocketAddress, Configuration,"
          + " UserGroupInformation, boolean, AtomicBoolean)",
    },
    {
      HDFS + "client.impl.BlockReaderRemote",
      "BlockReader newBlockReader(String, ExtendedBlock, Token, long, long, boolean, String, Peer,"
          + " DatanodeID, PeerCache, CachingStrategy, int, Configuration)",
    },
    {
      HDFS + "DFSUtilClient",
      "Peer peerFromSocketAndKey(SaslDataTransferClient, Socket, DataEncryptionKeyFactory, Token,"
          + " DatanodeID, int)",
    },
    {
      HDFS + "protocol.datatransfer.Sender",
      "void writeBlock(ExtendedBlock, StorageType, Token, String, DatanodeInfo[], StorageType[],"
          + " DatanodeInfo, BlockConstructionStage, int, long, long, long, DataChecksum,"
          + " CachingStrategy, boolean, boolean, boolean[], String, String[])",
    },
    {
      HDFS + "util.DataTransferThrottler", "void throttle(long, Canceler)",
    },
    {
      "org.apache.hadoop.ipc.ProtobufRpcEngine2",
    },
    {
      "org.apache.hadoop.ipc.RPC$Server",
      "Server addProtocol(RpcKind, Class, Object)",
      "void addTerseExceptions(Class[])",
      "ServiceAuthorizationManager getServiceAuthorizationManager()",
    },
    {
      "org.apache.hadoop.security.authorize.ServiceAuthorizationManager",
      "Set getProtocolsWithAcls()",
      "AccessControlList getProtocolsAcls(Class)",
      "AccessControlList getProtocolsBlockedAcls(Class)",
      "MachineList getProtocolsMachineList(Class)",
      "MachineList getProtocolsBlockedMachineList(Class)",
    },
    {
      PROTOBUF + "BytesValue", "ByteString getValue()", "Builder newBuilder()",
    },
    {
      PROTOBUF + "BlockingService",
      "ServiceDescriptor getDescriptorForType()",
      "Message getRequestPrototype(MethodDescriptor)",
      "Message callBlockingMethod(MethodDescriptor, RpcController, Message)",
    },
    {
      PROTOBUF + "Descriptors$FileDescriptor",
      "FileDescriptor buildFrom(FileDescriptorProto, FileDescriptor[])",
    },
  };

  private AgentCompat() {}

  /** Returns the missing members; empty if the agent can run. */
  public static List<String> missing() {
    List<String> missing = new ArrayList<>();
    for (String[] needed : NEEDED) {
      String[] members = Arrays.copyOfRange(needed, 1, needed.length);
      missing.addAll(missing(needed[0], members));
    }
    return missing;
  }

  /** Returns the missing members of a class, or the class itself if it is missing. */
  static List<String> missing(String className, String... members) {
    List<String> present = new ArrayList<>();
    try {
      Class<?> type = Class.forName(className, false, AgentCompat.class.getClassLoader());
      for (Class<?> at = type; at != null; at = at.getSuperclass()) {
        describe(at, present);
      }
      for (Class<?> at : type.getInterfaces()) {
        describe(at, present);
      }
    } catch (ClassNotFoundException | LinkageError e) {
      return new ArrayList<>(Arrays.asList(className));
    }
    return Arrays.stream(members)
        .filter(member -> !present.contains(member))
        .map(member -> className + ": " + member)
        .collect(Collectors.toList());
  }

  private static void describe(Class<?> type, List<String> into) {
    Arrays.stream(type.getDeclaredFields())
        .forEach(field -> into.add(field.getType().getSimpleName() + ' ' + field.getName()));
    for (Method method : type.getDeclaredMethods()) {
      into.add(
          method.getReturnType().getSimpleName()
              + ' '
              + method.getName()
              + Arrays.stream(method.getParameterTypes())
                  .map(Class::getSimpleName)
                  .collect(Collectors.joining(", ", "(", ")")));
    }
  }
}
