// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.EcException;

/** Engines for tests, and tasks that keep an engine busy as long as a test needs. */
final class Engines {
  private static final int WIDE = 250;
  private static final int WIDE_PARITY = 5;
  private static final int WIDE_LENGTH = 16 << 20;

  private Engines() {}

  static RailEngine open(String... settings) throws EcException {
    EngineConfiguration configuration = EngineConfiguration.defaults();
    for (String setting : settings) {
      String[] pair = setting.split("=", 2);
      configuration = configuration.with("stripeline.engine." + pair[0], pair[1]);
    }
    return RailEngine.open(configuration);
  }

  /** Opens an engine with one worker, in which tasks issued first delay later ones. */
  static RailEngine slow(String... settings) throws EcException {
    List<String> all =
        new ArrayList<>(
            Arrays.asList(
                "rails=cpu",
                "workers-max=1",
                "waiting-threads-help=false",
                "bytes-max=" + (1L << 60)));
    all.addAll(Arrays.asList(settings));
    return open(all.toArray(new String[0]));
  }

  /**
   * Returns a stripe of zeros that any number of comparisons can share; each takes about 100 ms.
   */
  static ByteBuffer[] wideStripe() {
    ByteBuffer[] units = new ByteBuffer[WIDE + WIDE_PARITY];
    Arrays.fill(units, ByteBuffer.allocateDirect(WIDE_LENGTH));
    return units;
  }

  static RailCodec wideCodec(RailEngine engine) {
    return engine.codec(Code.RS, WIDE, WIDE_PARITY);
  }

  /** Issues comparisons that keep one worker busy for many seconds; the caller must cancel them. */
  static List<EngineTask> occupy(RailCodec wide, int count) {
    ByteBuffer[] units = wideStripe();
    List<EngineTask> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(wide.iverify(units));
    }
    return tasks;
  }

  static void cancel(List<EngineTask> tasks) {
    // In reverse order, so that no task starts because an earlier one was cancelled.
    for (int i = tasks.size() - 1; i >= 0; i--) {
      tasks.get(i).cancel(true);
    }
  }
}
