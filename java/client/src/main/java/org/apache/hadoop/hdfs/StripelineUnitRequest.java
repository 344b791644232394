// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import org.apache.hadoop.hdfs.DFSInputStream.DNAddrPair;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;

/** A range of an internal block to read from a DataNode. */
final class StripelineUnitRequest {
  final String file;
  final LocatedBlock block;
  final DNAddrPair node;
  final long from;
  final long to;
  final boolean verify;
  final CachingStrategy caching;

  StripelineUnitRequest(
      String file,
      LocatedBlock block,
      DNAddrPair node,
      long from,
      long to,
      boolean verify,
      CachingStrategy caching) {
    this.file = file;
    this.block = block;
    this.node = node;
    this.from = from;
    this.to = to;
    this.verify = verify;
    this.caching = caching;
  }
}
