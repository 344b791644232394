// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.apache.hadoop.hdfs.security.token.block.InvalidBlockTokenException;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;

class FailedReadTest {
  private static final FingerprintRequest REQUEST =
      new FingerprintRequest.Builder("BP-1", new AgentBlock(7, 1001, 5000))
          .function(1, 2, 1 << 20)
          .windows(0, 1)
          .build();

  private final BlockFingerprints.Builder answer = new BlockFingerprints.Builder(REQUEST);

  private Outcome outcome(IOException cause, boolean isOpened) {
    IOException failure = new IOException("Cannot read blk_7 back", cause);
    return FailedRead.outcome(failure, isOpened, REQUEST, answer);
  }

  /** Returns the outcome of a refusal as clients of Hadoop get it. */
  private Outcome refusal(String exception) {
    String message =
        "Got error, status=ERROR, status message opReadBlock BP-1:blk_7_1001 received exception "
            + exception
            + ", for OP_READ_BLOCK, for file stripeline-convert";
    return outcome(new IOException(message), false);
  }

  private BlockFingerprints end() {
    return answer.end(Outcome.DIFFERENT, "");
  }

  @Test
  void refusalsOfDataNodesAreOfTheReplica() {
    String classes = "org.apache.hadoop.hdfs.server.datanode.";
    assertThat(refusal(classes + "ReplicaNotFoundException: Replica not found for BP-1:blk_7_1001"))
        .isEqualTo(Outcome.ABSENT);
    assertThat(refusal("java.io.FileNotFoundException: Meta-data not found for BP-1:blk_7_1001"))
        .isEqualTo(Outcome.UNREADABLE);
    assertThat(refusal(classes + "CorruptMetaHeaderException: The meta file length 3 is less"))
        .isEqualTo(Outcome.UNREADABLE);
  }

  @Test
  void generationStampsAndLengthsAreThoseThatTheDataNodeSays() {
    assertThat(
            refusal(
                "java.io.IOException: Replica gen stamp < block genstamp, block=BP-1:blk_7_1001,"
                    + " replica=FinalizedReplica, blk_7_999, FINALIZED"))
        .isEqualTo(Outcome.DIFFERENT);
    assertThat(end().generationStamp).isEqualTo(999);
    assertThat(end().length).isEqualTo(5000);

    assertThat(
            refusal(
                "java.io.IOException:  Offset 0 and length 5000 don't match block BP-1:blk_7_1001"
                    + " ( blockLen 4000 )"))
        .isEqualTo(Outcome.DIFFERENT);
    assertThat(end().generationStamp).isEqualTo(1001);
    assertThat(end().length).isEqualTo(4000);
  }

  @Test
  void aBrokenOffReadIsOfTheReplicaUnlessTheNetworkFailed() {
    assertThat(outcome(new IOException("Premature EOF reading from org.apache"), true))
        .isEqualTo(Outcome.UNREADABLE);
    assertThat(outcome(new EOFException("Unexpected EOF"), true)).isEqualTo(Outcome.UNREADABLE);
    assertThat(outcome(new SocketException("Connection reset"), true)).isNull();
    assertThat(outcome(new SocketTimeoutException("60000 millis timeout"), true)).isNull();
  }

  @Test
  void otherFailuresMayBeOfTheDataNodeOrTheNetwork() {
    assertThat(outcome(new ConnectException("Connection refused"), false)).isNull();
    assertThat(outcome(new EOFException("Premature EOF: no length prefix available"), false))
        .isNull();
    assertThat(outcome(new InvalidBlockTokenException("Got access token error"), false)).isNull();
    assertThat(FailedRead.outcome(new IOException("no cause"), true, REQUEST, answer)).isNull();
  }
}
