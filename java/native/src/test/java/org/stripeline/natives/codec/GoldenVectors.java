// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Reads vectors/*.json, whose format vectors/README.md defines. */
final class GoldenVectors {
  private GoldenVectors() {}

  /** A stripe with its expected parity, checksums and decodes. */
  static final class Case {
    final Code code;
    final int dataUnits;
    final int parityUnits;
    final int length;
    final int bytesPerChecksum;
    final byte[] parityMatrix;
    final byte[][] units;
    final int[] crc32c;
    final int[] crc32;
    final List<int[]> erased = new ArrayList<>();
    final List<int[]> absent = new ArrayList<>();

    Case(Code code, JsonObject json) {
      this.code = code;
      dataUnits = json.get("data_units").getAsInt();
      parityUnits = json.get("parity_units").getAsInt();
      length = json.get("length").getAsInt();
      bytesPerChecksum = json.get("bytes_per_checksum").getAsInt();
      parityMatrix = unhex(json.get("parity_matrix").getAsString());
      units = new byte[dataUnits + parityUnits][];
      JsonArray data = json.getAsJsonArray("data");
      JsonArray parity = json.getAsJsonArray("parity");
      for (int i = 0; i < units.length; i++) {
        JsonElement unit = i < dataUnits ? data.get(i) : parity.get(i - dataUnits);
        units[i] = unhex(unit.getAsString());
      }
      crc32c = sums(json.getAsJsonArray("crc32c"));
      crc32 = sums(json.getAsJsonArray("crc32"));
      for (JsonElement erasure : json.getAsJsonArray("erasures")) {
        erased.add(indices(erasure.getAsJsonObject().getAsJsonArray("erased")));
        absent.add(indices(erasure.getAsJsonObject().getAsJsonArray("absent")));
      }
    }

    @Override
    public String toString() {
      return code + " " + dataUnits + "+" + parityUnits + " x " + length;
    }
  }

  static List<Case> of(Code code) throws IOException {
    Path file =
        Paths.get(System.getProperty("stripeline.root"), "vectors", code.codecName() + ".json");
    List<Case> cases = new ArrayList<>();
    try (Reader reader = Files.newBufferedReader(file)) {
      JsonObject json = new Gson().fromJson(reader, JsonObject.class);
      if (!json.get("code").getAsString().equals(code.codecName())) {
        throw new IOException(file + " is for code " + json.get("code"));
      }
      for (JsonElement element : json.getAsJsonArray("cases")) {
        cases.add(new Case(code, element.getAsJsonObject()));
      }
    }
    return cases;
  }

  private static int[] sums(JsonArray units) {
    StringBuilder all = new StringBuilder();
    units.forEach(unit -> all.append(unit.getAsString()));
    int[] sums = new int[all.length() / 8];
    for (int i = 0; i < sums.length; i++) {
      sums[i] = Integer.parseUnsignedInt(all.substring(8 * i, 8 * i + 8), 16);
    }
    return sums;
  }

  private static int[] indices(JsonArray array) {
    int[] indices = new int[array.size()];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = array.get(i).getAsInt();
    }
    return indices;
  }

  private static byte[] unhex(String text) {
    byte[] bytes = new byte[text.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }
}
