// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import java.net.InetSocketAddress;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;

/** Gives access to a DataNode's NameNode connections, whose classes are package-private. */
public final class ActiveNameNodes {
  private ActiveNameNodes() {}

  /**
   * Returns the address of the active NameNode of a block pool, or null if the DataNode has no such
   * pool or none is active.
   */
  public static InetSocketAddress address(DataNode dataNode, String pool) {
    BPOfferService service = dataNode.getBPOfferService(pool);
    if (service == null) {
      return null;
    }
    DatanodeProtocolClientSideTranslatorPB active = service.getActiveNN();
    for (BPServiceActor actor : service.getBPServiceActors()) {
      if (active != null && actor.getNameNodeProxy() == active) {
        return actor.getNNSocketAddress();
      }
    }
    return null;
  }
}
