// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCounters;
import org.stripeline.client.write.ManyWriters;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.ForkedJvm;

/** Tests many concurrent streams in a JVM that has direct memory for only a few of them. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("full")
class TightJvmTest {
  @TempDir Path folder;

  @Test
  void readersEndWithRightBytes() throws Exception {
    assertThat(run("read")).contains("64 of 64 are right");
  }

  @Test
  void writersEnd() throws Exception {
    assertThat(run("write")).contains("150 of 150 are written");
  }

  @Test
  void moreMemoryThanTheJvmHasIsAcceptedWithAWarning() throws Exception {
    assertThat(run("limit"))
        .contains("WARN")
        .contains(ClientKeys.READ_MEMORY + " is 67108864 bytes, more than the 33554432 bytes")
        .contains("-XX:MaxDirectMemorySize");
  }

  private String run(String what) throws Exception {
    String text =
        ForkedJvm.of(Main.class, what)
            .with("-XX:MaxDirectMemorySize=32m")
            .logging(folder, "WARN")
            .output();
    System.out.println(what + ": " + text);
    return text;
  }

  /** The main class of the tested JVM. */
  static final class Main {
    private static final int CELL = 256 << 10;

    public static void main(String[] args) throws Exception {
      switch (args[0]) {
        case "read":
          read();
          break;
        case "write":
          System.out.println(ManyWriters.run(150, CELL) + " of 150 are written");
          break;
        default:
          Configuration conf = new Configuration(false);
          conf.set(ClientKeys.READ_MEMORY, "64m");
          new ReadContext(conf);
      }
      for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
        System.out.println(pool.getName() + " " + (pool.getTotalCapacity() >> 20) + " MiB");
      }
      System.exit(0);
    }

    private static void read() throws Exception {
      // Every second stream decodes.
      MemoryGroup[] groups = {group(), group()};
      groups[1].dead[2] = true;
      ReadContext context = new ReadContext(new Configuration(false));
      List<FutureTask<Boolean>> readers = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        MemoryGroup group = groups[i % 2];
        FutureTask<Boolean> reader = new FutureTask<>(reading(context, group));
        readers.add(reader);
        new Thread(reader, "reader " + i).start();
      }
      int right = 0;
      for (FutureTask<Boolean> reader : readers) {
        right += reader.get() ? 1 : 0;
      }
      System.out.println(right + " of 64 are right");
    }

    private static MemoryGroup group() throws IOException {
      return new MemoryGroup(6, 3, CELL, 4 * 6 * CELL - 777, true, 5);
    }

    private static Callable<Boolean> reading(ReadContext context, MemoryGroup group) {
      return () -> {
        SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED);
        window.enter(
            new GroupReader(
                context,
                new GroupKnowledge(group, 6, 3, CELL, group.data.length, false, Ticker.SYSTEM),
                new ReadCounters(ReadContext.counters())));
        boolean isRight = true;
        for (int at = 0; at < group.data.length; ) {
          window.begin();
          try {
            int wanted = Math.min(64 << 10, group.data.length - at);
            ByteBuffer part = window.at(at, wanted).bytesAt(at);
            byte[] bytes = new byte[Math.min(wanted, part.remaining())];
            part.get(bytes);
            isRight &= Arrays.equals(bytes, Arrays.copyOfRange(group.data, at, at + bytes.length));
            at += bytes.length;
          } finally {
            window.end();
          }
        }
        // The window is not closed.
        return isRight;
      };
    }
  }
}
