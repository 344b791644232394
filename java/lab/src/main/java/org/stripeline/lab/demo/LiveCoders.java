// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawEncoder;
import org.stripeline.coder.CoderMetrics;
import org.stripeline.natives.CoderStatus;

/**
 * Finds out which coder really works, on clients and on DataNodes.
 *
 * <p>Configuration proves nothing: Hadoop falls from one coder to the next without a word. So the
 * classes that Hadoop makes are looked at, and our coder's own counters must go up when it is its
 * turn and stand still when it is not.
 */
final class LiveCoders {

  private static final String BEAN = "Hadoop:service=Stripeline,name=Coder";

  private final DemoCluster cluster;
  private final DemoReport report;

  LiveCoders(DemoCluster cluster, DemoReport report) {
    this.cluster = cluster;
    this.report = report;
  }

  /**
   * Looks at the classes that Hadoop makes for a client.
   *
   * @throws DemoException if ours is configured and is not what comes out
   */
  void checkClient(Contestant contestant) throws IOException {
    Class<?> encoder = contestant.encoderClass();
    Class<?> decoder = contestant.decoderClass();
    DemoReport.Coder coder = report.coder(contestant.coderName());
    coder.clientEncoder = encoder.getName();
    coder.clientDecoder = decoder.getName();
    boolean ours = encoder == StripelineRawEncoder.class && decoder == StripelineRawDecoder.class;
    if (ours != contestant.isOurs()) {
      throw new DemoException(
          "Wrong coder is live on the client: for " + contestant.coderName() + " Hadoop makes "
              + encoder.getName() + " and " + decoder.getName());
    }
    if (ours) {
      CoderStatus status = CoderStatus.current();
      coder.clientInstructionSet = status.implementation() + " " + status.isa();
      requireNative("the client", status.implementation(), status.fallbackCause().orElse(""));
    }
  }

  /** Data bytes that our coder has encoded in this process. */
  long encodedBytes() {
    return CoderMetrics.shared().getEncodedBytes();
  }

  /** Bytes that our coder has decoded in this process. */
  long decodedBytes() {
    return CoderMetrics.shared().getDecodedBytes();
  }

  /** Bytes that our coder has decoded in the cluster's process. */
  long clusterDecodedBytes() throws IOException {
    Object count = cluster.bean(BEAN).get("DecodedBytes");
    return count == null ? 0 : ((Number) count).longValue();
  }

  /**
   * Checks that our coder did the work if it was its turn, and none of it otherwise.
   *
   * @param what the work, for the message
   * @param counted bytes that our coder counted during that work
   * @param least bytes that it must have counted if the work was its own
   */
  void requireShare(Contestant worker, String what, long counted, long least) {
    if (worker.isOurs() ? counted < least : counted != 0) {
      throw new DemoException(
          String.format(
              "Wrong coder is live: during %s with %s our coder counts %d bytes, should be %s",
              what, worker.coderName(), counted, worker.isOurs() ? least + " or more" : "0"));
    }
  }

  /**
   * Looks at what DataNodes did.
   *
   * @param counted bytes that our coder decoded in the cluster's process meanwhile
   */
  void noteRebuild(Contestant rebuilder, Outage outage, long counted) throws IOException {
    DemoReport.Coder coder = report.coder(rebuilder.coderName());
    coder.blocksRebuilt += outage.loss().blocks();
    coder.bytesRebuilt += outage.loss().bytes();
    coder.rebuildTasks += (long) outage.counter("EcReconstructionTasks");
    coder.rebuildTasksFailed += (long) outage.counter("EcFailedReconstructionTasks");
    coder.rebuildDecodingSeconds += outage.counter("EcDecodingTimeNanos") / 1e9;
    requireShare(rebuilder, "rebuilding", counted, outage.loss().bytes());
    if (rebuilder.isOurs()) {
      Map<String, Object> bean = cluster.bean(BEAN);
      coder.datanodeInstructionSet = bean.get("Implementation") + " " + bean.get("Isa");
      requireNative(
          "the DataNodes",
          String.valueOf(bean.get("Implementation")),
          String.valueOf(bean.get("FallbackCause")));
    }
  }

  /** Pure Java is right but is not what the demo is to show, unless somebody asked for it. */
  private static void requireNative(String where, String implementation, String cause) {
    boolean wanted = !"false".equals(System.getProperty("stripeline.native.enabled"));
    if (wanted && !implementation.equals("native")) {
      throw new DemoException(
          "Wrong coder is live on " + where + ": " + implementation + " instead of native ("
              + cause + "); -Dstripeline.native.enabled=false in STRIPELINE_JAVA_OPTS runs the demo"
              + " with pure Java on purpose");
    }
  }
}
