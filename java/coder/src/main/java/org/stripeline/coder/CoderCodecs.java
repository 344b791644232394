// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.engine.EngineConfiguration;
import org.stripeline.natives.engine.RailEngine;

/**
 * Creates the codecs behind Hadoop's coders: codecs that call the library directly or, if {@code
 * stripeline.engine.enabled} is set, codecs that use the engine of this process with all its rails.
 *
 * <p>An engine that cannot be opened must not stop reads and writes: one WARN gives the reason, and
 * the library is called directly.
 */
final class CoderCodecs {
  private static final Logger LOG = LoggerFactory.getLogger(CoderCodecs.class);
  private static final AtomicBoolean ANNOUNCED = new AtomicBoolean();

  private CoderCodecs() {}

  static ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return engine()
        .<ErasureCodec>map(engine -> engine.codec(code, dataUnits, parityUnits))
        .orElseGet(() -> ErasureCodec.create(code, dataUnits, parityUnits));
  }

  /** Returns the engine that the coders of this process use, if they use one. */
  private static Optional<RailEngine> engine() {
    if (!Switch.ENABLED) {
      return Optional.empty();
    }
    try {
      RailEngine engine = RailEngine.shared();
      if (!ANNOUNCED.get() && ANNOUNCED.compareAndSet(false, true)) {
        LOG.info("Erasure coding uses the engine: {}", engine.describe());
        EngineMetrics.publish(engine);
      }
      return Optional.of(engine);
    } catch (EcException e) {
      if (ANNOUNCED.compareAndSet(false, true)) {
        LOG.warn("Erasure coding does not use the engine: {}", e.getMessage());
      }
      return Optional.empty();
    }
  }

  /** Read when the first coder is created, not when factories are loaded. */
  private static final class Switch {
    static final boolean ENABLED =
        Boolean.parseBoolean(System.getProperty(EngineConfiguration.ENABLED_KEY, "false").trim());

    private Switch() {}
  }
}
