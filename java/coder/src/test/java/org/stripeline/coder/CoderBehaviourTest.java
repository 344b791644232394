// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.erasurecode.ECChunk;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the behaviour of a raw coder on which HDFS relies, other than its bytes. */
class CoderBehaviourTest {
  private static final ErasureCoderOptions OPTIONS = new ErasureCoderOptions(6, 3);

  private final RawErasureEncoder encoder = new RsCoderFactory().createEncoder(OPTIONS);
  private final RawErasureDecoder decoder = new RsCoderFactory().createDecoder(OPTIONS);
  private final byte[][] units = stripe();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void inputsAdvanceAndOutputsStay(boolean direct) throws Exception {
    ByteBuffer[] data = Coders.buffers(Arrays.copyOf(units, 6), direct);
    ByteBuffer[] parity = Coders.buffers(new byte[3][100], direct);
    encoder.encode(data, parity);
    for (ByteBuffer input : data) {
      assertThat(input.remaining()).isZero();
      assertThat(input.limit()).isEqualTo(102);
    }
    for (ByteBuffer output : parity) {
      assertThat(output.position()).isEqualTo(2);
      assertThat(output.remaining()).isEqualTo(100);
    }
    int[] erased = {7, 0};
    ByteBuffer[] inputs = Coders.buffers(Coders.without(units, 0, 7), direct);
    ByteBuffer[] outputs = Coders.buffers(new byte[2][100], direct);
    decoder.decode(inputs, erased, outputs);
    for (ByteBuffer input : inputs) {
      assertThat(input == null ? 0 : input.remaining()).isZero();
    }
    assertThat(outputs[1].position()).isEqualTo(2);
    assertThat(Coders.bytes(outputs)).isDeepEqualTo(new byte[][] {units[7], units[0]});
    assertThat(erased).containsExactly(7, 0);
  }

  @Test
  void anEmptyRequestIsNotAnError() throws Exception {
    encoder.encode(new byte[6][0], new byte[3][0]);
    ByteBuffer[] inputs = Coders.buffers(units, true);
    decoder.decode(inputs, new int[0], new ByteBuffer[0]);
    assertThat(inputs[8].remaining()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void chunksMarkedAsZeroCountAsZero(boolean direct) throws Exception {
    byte[][] withZero = units.clone();
    withZero[3] = new byte[100];
    byte[][] parity = new byte[3][100];
    encoder.encode(Arrays.copyOf(withZero, 6), parity);
    System.arraycopy(parity, 0, withZero, 6, 3);
    byte[][] garbage = Coders.without(withZero, 1);
    garbage[3] = units[3];
    ECChunk[] inputs = chunks(Coders.buffers(garbage, direct));
    inputs[3].setAllZero(true);
    ByteBuffer[] output = Coders.buffers(new byte[1][100], direct);
    decoder.decode(inputs, new int[] {1}, chunks(output));
    assertThat(Coders.bytes(output)[0]).isEqualTo(withZero[1]);
  }

  @Test
  void chunksAreEncoded() throws Exception {
    ByteBuffer[] parity = Coders.buffers(new byte[3][100], true);
    encoder.encode(chunks(Coders.buffers(Arrays.copyOf(units, 6), true)), chunks(parity));
    assertThat(Coders.bytes(parity)).isDeepEqualTo(Arrays.copyOfRange(units, 6, 9));
  }

  @Test
  void arraysOfUnequalLengthAreRefused() {
    assertThatThrownBy(() -> encoder.encode(new byte[6][100], new byte[3][99]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot encode: output 0 has 99 bytes, but those before it have 100");
    byte[][] inputs = Coders.without(units, 0);
    inputs[4] = new byte[101];
    assertThatThrownBy(() -> decoder.decode(inputs, new int[] {0}, new byte[1][100]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot decode: input 4 has 101 bytes, but those before it have 100");
    assertThatThrownBy(() -> encoder.encode((byte[][]) null, new byte[3][9]))
        .hasMessage("Cannot encode: the array of inputs is null");
  }

  @Test
  void parametersAreRefusedWhenACoderIsCreated() {
    assertThatThrownBy(() -> new XorCoderFactory().createEncoder(new ErasureCoderOptions(4, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot create codec xor 4+2: it has exactly 1 parity unit");
    assertThatThrownBy(() -> new RsCoderFactory().createDecoder(new ErasureCoderOptions(250, 7)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 256 units");
  }

  @Test
  void directBuffersArePreferred() {
    assertThat(encoder.preferDirectBuffer()).isTrue();
    assertThat(decoder.preferDirectBuffer()).isTrue();
  }

  @Test
  void creationTakesMicroseconds() {
    RsCoderFactory factory = new RsCoderFactory();
    long[] nanos = new long[2001];
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < nanos.length; i++) {
        long start = System.nanoTime();
        factory.createDecoder(OPTIONS).release();
        nanos[i] = System.nanoTime() - start;
      }
    }
    Arrays.sort(nanos);
    assertThat(nanos[nanos.length / 2]).as("median ns").isLessThan(20_000);
  }

  @Test
  void noCallCopiesUnits() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    byte[][] large = Coders.randomUnits(new Random(1), 9, 65536);
    byte[][] given = Coders.without(large, 2);
    byte[][] output = new byte[1][65536];
    ByteBuffer[] direct = Coders.buffers(given, true);
    ByteBuffer[] directOutput = Coders.buffers(output, true);
    int[] erased = {2};
    long thread = Thread.currentThread().getId();
    long before = 0;
    for (int call = 0; call < 200; call++) {
      if (call == 100) {
        before = threads.getThreadAllocatedBytes(thread);
      }
      decoder.decode(given, erased, output);
      decoder.decode(direct, erased, directOutput);
      for (ByteBuffer buffer : direct) {
        if (buffer != null) {
          buffer.position(2);
        }
      }
    }
    long perCall = (threads.getThreadAllocatedBytes(thread) - before) / 200;
    // Allows for allocations of the interpreter before the code is compiled; a copied unit has
    // 65536 bytes.
    assertThat(perCall).isLessThan(16384);
  }

  @Test
  void releaseRacesWithDecode() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(3);
    try {
      for (int round = 0; round < 50; round++) {
        RawErasureDecoder shared = new RsCoderFactory().createDecoder(OPTIONS);
        CountDownLatch running = new CountDownLatch(3);
        List<Future<Integer>> results = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
          boolean direct = thread % 2 == 0;
          results.add(executor.submit(() -> decodeUntilReleased(shared, direct, running)));
        }
        running.await();
        shared.release();
        shared.release();
        for (Future<Integer> result : results) {
          assertThat(result.get(30, TimeUnit.SECONDS)).isPositive();
        }
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private int decodeUntilReleased(RawErasureDecoder shared, boolean direct, CountDownLatch running)
      throws Exception {
    for (int calls = 0; ; calls++) {
      ByteBuffer[] outputs = Coders.buffers(new byte[1][100], direct);
      try {
        shared.decode(Coders.buffers(Coders.without(units, 5), direct), new int[] {5}, outputs);
      } catch (IOException e) {
        assertThat(e).hasMessage("Cannot decode: codec rs 6+3 is closed");
        return calls;
      }
      assertThat(Coders.bytes(outputs)[0]).isEqualTo(units[5]);
      if (calls == 0) {
        running.countDown();
      }
    }
  }

  private static ECChunk[] chunks(ByteBuffer[] buffers) {
    ECChunk[] chunks = new ECChunk[buffers.length];
    for (int i = 0; i < buffers.length; i++) {
      chunks[i] = buffers[i] == null ? null : new ECChunk(buffers[i]);
    }
    return chunks;
  }

  private byte[][] stripe() {
    byte[][] stripe = Coders.randomUnits(new Random(63), 9, 100);
    byte[][] parity = Arrays.copyOfRange(stripe, 6, 9);
    try {
      encoder.encode(Arrays.copyOf(stripe, 6), parity);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return stripe;
  }
}
