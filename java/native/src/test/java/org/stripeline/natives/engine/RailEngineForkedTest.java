// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.CodecContractTest;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.codec.Stripes;
import org.stripeline.natives.library.NeedsNativeLibrary;
import org.stripeline.testkit.ForkedJvm;

/** Tests the shared engine with its properties, each case in a separate JVM. */
@NeedsNativeLibrary
class RailEngineForkedTest {
  @Test
  void propertiesConfigureTheEngine() throws Exception {
    assertThat(
            probe(
                "-Dstripeline.engine.rails=cpu,isbl",
                "-Dstripeline.engine.scheduling=single:cpu",
                "-Dstripeline.engine.enabled=true"))
        .contains(
            "rails=cpu\n",
            "sound=true",
            "WARN org.stripeline.natives.engine.RailEngine - Erasure coding engine: Cannot use"
                + " rail isbl");
  }

  @Test
  void wrongPropertyIsNamedEveryTime() throws Exception {
    String text =
        "CONFIGURATION Cannot read the engine's configuration: 'when-full=perhaps' must be wait or "
            + "refuse";
    assertThat(probe("-Dstripeline.engine.when-full=perhaps")).contains("1 " + text, "2 " + text);
  }

  @Test
  void withoutTheLibraryTheReasonIsReported() throws Exception {
    assertThat(probe("-Dstripeline.native.enabled=false"))
        .contains(
            "1 CONFIGURATION Cannot open the engine: it needs the native library (Cannot load "
                + "native library: stripeline.native.enabled is false)");
  }

  @Test
  void aRailThatCodesNothingNeedsAPropertyOfItsOwn() throws Exception {
    assertThat(probe("-Dstripeline.engine.rails=null"))
        .contains("1 CONFIGURATION Cannot start the engine: rail null codes nothing")
        .doesNotContain("sound=");
    assertThat(probe("-Dstripeline.engine.rails=null", "-Dstripeline.engine.measure-only=true"))
        .contains("rails=null", "sound=false");
  }

  @Test
  void aProcessEndsWithTasksInProgress() throws Exception {
    assertThat(ForkedJvm.of(Leave.class).output()).contains("leaving");
  }

  @Test
  void callsNearTheEndOfTheStackDoNotEndTheProcess() throws Exception {
    assertThat(ForkedJvm.of(Deep.class).output()).contains("closed");
  }

  private static String probe(String... jvmArguments) throws Exception {
    return ForkedJvm.of(Probe.class).with(jvmArguments).output();
  }

  /** Requests the shared engine twice and uses it. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] arguments) throws Exception {
      for (int i = 1; i <= 2; i++) {
        try {
          RailEngine engine = RailEngine.shared();
          System.out.println("rails=" + engine.statistics().names());
          RailCodec codec = engine.codec(Code.RS, 6, 3);
          byte[][] units = Stripes.stripe(new Random(i), Code.RS, 6, 3, 5000);
          ByteBuffer[] all = Stripes.place(units, Stripes.Placement.DIRECT, 0);
          ByteBuffer[] parity = CodecContractTest.blank(3, 5000, Stripes.Placement.DIRECT);
          codec.iencode(Arrays.copyOf(all, 6), parity).join();
          byte[][] expected = Arrays.copyOfRange(units, 6, 9);
          System.out.println("sound=" + Arrays.deepEquals(Stripes.bytes(parity), expected));
        } catch (EcException e) {
          System.out.println(i + " " + e.kind() + " " + e.getMessage());
        }
      }
    }
  }

  /** Makes every kind of call when a thread's stack is almost exhausted. */
  static final class Deep {
    /** The range before the end of the stack in which calls are made, in frames of one method. */
    private static final int LEVELS = 600;

    private final RailEngine engine = Engines.open("check-every=1");
    private final RailCodec codec = engine.codec(Code.RS, 6, 3);
    private final ErasureCodec direct = ErasureCodec.create(Code.RS, 6, 3);
    private final ByteBuffer[] units = CodecContractTest.blank(9, 5000, Stripes.Placement.DIRECT);
    private final ByteBuffer[] data = Arrays.copyOf(units, 6);
    private final ByteBuffer[] parity = Arrays.copyOfRange(units, 6, 9);
    private final ByteBuffer[] rest = units.clone();
    private final ByteBuffer[] heap = CodecContractTest.blank(9, 5000, Stripes.Placement.HEAP);
    private int end;

    private Deep() throws EcException {
      rest[0] = null;
    }

    public static void main(String[] arguments) throws Exception {
      Deep deep = new Deep();
      for (int round = 0; round < 3; round++) {
        for (Call call : deep.calls()) {
          deep.end = 0;
          Thread thread = new Thread(null, () -> deep.dive(call, 0), "deep", 1 << 20);
          thread.start();
          thread.join();
        }
      }
      deep.engine.awaitAll();
      deep.engine.close();
      System.out.println("closed");
    }

    private Call[] calls() {
      ByteBuffer[] output = CodecContractTest.blank(1, 5000, Stripes.Placement.DIRECT);
      ByteBuffer[] outputs = CodecContractTest.blank(3, 5000, Stripes.Placement.DIRECT);
      return new Call[] {
        () -> codec.verify(units),
        () -> codec.encode(data, outputs),
        () -> codec.decode(rest, new int[] {0}, output),
        () -> codec.update(0, data[0], data[1], outputs),
        () -> codec.iverify(units),
        () -> direct.verify(heap),
        () -> direct.verify(units),
      };
    }

    private void dive(Call call, int level) {
      try {
        dive(call, level + 1);
      } catch (StackOverflowError e) {
        if (end == 0) {
          end = level;
        }
      }
      if (level > end - LEVELS) {
        try {
          call.run();
        } catch (StackOverflowError e) {
          // Even a Java call does not fit on the stack.
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }

    /** A call made near the end of the stack. */
    private interface Call {
      void run() throws IOException;
    }
  }

  /** Returns from main with an open engine that still has tasks. */
  static final class Leave {
    private Leave() {}

    public static void main(String[] arguments) throws Exception {
      RailEngine engine = Engines.slow();
      ByteBuffer[] units = Engines.wideStripe();
      for (int i = 0; i < 100; i++) {
        Engines.wideCodec(engine).iverify(units);
      }
      System.out.println("leaving");
    }
  }
}
