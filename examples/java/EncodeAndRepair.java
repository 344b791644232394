// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Encodes a stripe as HDFS does with RS-6-3, loses three units, restores them, changes one and
 * brings the parity up to date.
 *
 * <p>Needs only the jar on the class path, not Hadoop:
 *
 * <pre>java -cp stripeline-0.1.0.jar examples/java/EncodeAndRepair.java</pre>
 */
public final class EncodeAndRepair {
  private static final int DATA_UNITS = 6;
  private static final int PARITY_UNITS = 3;
  private static final int CELL_SIZE_BYTES = 1 << 20;
  private static final int BYTES_PER_CHECKSUM = 512;

  private EncodeAndRepair() {}

  /** Runs the example; prints what it does and fails if a byte differs. */
  public static void main(String[] arguments) throws IOException {
    System.out.println("coder: " + CoderStatus.current().implementation());
    ByteBuffer[] units = new ByteBuffer[DATA_UNITS + PARITY_UNITS];
    for (int i = 0; i < units.length; i++) {
      // Direct buffers go to the native library as they are; so do arrays.
      units[i] = ByteBuffer.allocateDirect(CELL_SIZE_BYTES);
    }
    ByteBuffer[] data = Arrays.copyOf(units, DATA_UNITS);
    ByteBuffer[] parity = Arrays.copyOfRange(units, DATA_UNITS, units.length);
    for (int i = 0; i < DATA_UNITS; i++) {
      fill(data[i], "unit " + i + " ");
    }

    try (ErasureCodec codec = ErasureCodec.create(Code.RS, DATA_UNITS, PARITY_UNITS)) {
      int[] sums = new int[units.length * (CELL_SIZE_BYTES / BYTES_PER_CHECKSUM)];
      codec.encodeWithChecksums(data, parity, ChecksumKind.CRC32C, BYTES_PER_CHECKSUM, sums);
      System.out.println(
          "encoded: " + PARITY_UNITS + " parity units, " + sums.length + " checksums");

      restore(codec, units, 7, 0, 4);

      ByteBuffer fresh = ByteBuffer.allocateDirect(CELL_SIZE_BYTES);
      fill(fresh, "changed ");
      codec.update(2, units[2], fresh, parity);
      units[2] = fresh;
      check(codec.verify(units) == -1, "parity does not belong to the changed data");
      System.out.println("updated: parity follows the change of unit 2");

      units[8].put(12_345, (byte) ~units[8].get(12_345));
      check(codec.verify(units) == 2, "a flipped byte went unseen");
      System.out.println("verified: a flipped byte in parity unit 2 is found");
    }
  }

  private static void restore(ErasureCodec codec, ByteBuffer[] units, int... lost)
      throws IOException {
    ByteBuffer[] remaining = units.clone();
    List<ByteBuffer> restored = new ArrayList<>();
    for (int unit : lost) {
      remaining[unit] = null;
      restored.add(ByteBuffer.allocateDirect(CELL_SIZE_BYTES));
    }
    codec.decode(remaining, lost, restored.toArray(new ByteBuffer[0]));
    for (int i = 0; i < lost.length; i++) {
      check(restored.get(i).equals(units[lost[i]]), "unit " + lost[i] + " was restored wrongly");
    }
    System.out.println("restored: units " + Arrays.toString(lost));
  }

  private static void fill(ByteBuffer buffer, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < buffer.capacity(); i++) {
      buffer.put(i, bytes[i % bytes.length]);
    }
  }

  private static void check(boolean condition, String failure) {
    if (!condition) {
      throw new IllegalStateException(failure);
    }
  }
}
