// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.util.concurrent.atomic.AtomicBoolean;
import org.stripeline.natives.MessageLog;

/** Selects the native or the pure-Java codec, and logs a warning for the pure-Java one. */
final class CodecSelection {
  private static final MessageLog LOG = MessageLog.of(ErasureCodec.class);
  private static final AtomicBoolean ANNOUNCED = new AtomicBoolean();

  private CodecSelection() {}

  static ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    if (code == null) {
      throw new IllegalArgumentException("Cannot create codec: the code is null");
    }
    code.checkUnits(dataUnits, parityUnits);
    CoderStatus status = CoderStatus.current();
    if (status.isNative()) {
      return new NativeCodec(code, dataUnits, parityUnits);
    }
    if (ANNOUNCED.compareAndSet(false, true)) {
      LOG.warn(
          "Falling back to pure-Java erasure coding, several times slower: "
              + status.fallbackCause().orElse("unknown cause"));
    }
    return new JavaCodec(code, dataUnits, parityUnits);
  }
}
