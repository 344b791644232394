// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.demo;

import java.io.IOException;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/** Finds out which coder really works, on clients and on DataNodes, and refuses any other. */
final class LiveCoders {

  private final DemoCluster cluster;
  private final DemoReport report;
  private final StripeShape shape;

  LiveCoders(DemoCluster cluster, DemoReport report, StripeShape shape) {
    this.cluster = cluster;
    this.report = report;
    this.shape = shape;
  }

  /** Looks at the classes that Hadoop makes for a client. */
  void checkClient(Contestant contestant) throws IOException {
    DemoReport.Coder coder = report.coder(contestant.coderName());
    coder.clientEncoder = contestant.encoderClass().getName();
    coder.clientDecoder = contestant.decoderClass().getName();
  }

  /** Looks at what DataNodes did. */
  void noteRebuild(Contestant rebuilder, Outage outage) throws IOException {
    DemoReport.Coder coder = report.coder(rebuilder.coderName());
    coder.blocksRebuilt += outage.loss().blocks();
    coder.bytesRebuilt += outage.loss().bytes();
    coder.rebuildTasks += (long) outage.counter("EcReconstructionTasks");
    coder.rebuildTasksFailed += (long) outage.counter("EcFailedReconstructionTasks");
    coder.rebuildDecodingSeconds += outage.counter("EcDecodingTimeNanos") / 1e9;
  }
}
