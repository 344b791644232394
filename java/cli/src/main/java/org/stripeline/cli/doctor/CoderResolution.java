// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/**
 * Determines which coder Hadoop uses for a code: tries the same list in the same order, and
 * compares the result with the coder that Hadoop creates.
 *
 * <p>Hadoop falls back from one coder to the next and logs this at debug level only, and its
 * defaults for rs and xor contain only its own coders, so a jar on the class path is not
 * sufficient.
 */
final class CoderResolution {
  /** Name of our coder for each code. */
  static final String OURS = "stripeline";

  private static final String NATIVE_ENABLED_KEY = "io.erasurecode.codec.native.enabled";

  private final Configuration conf;
  private final DoctorReport report;

  CoderResolution(Configuration conf, DoctorReport report) {
    this.conf = conf;
    this.report = report;
  }

  /** Returns the coder that each codec uses; codecs without a coder are omitted. */
  static Map<String, String> live(Configuration conf) {
    DoctorReport report = new DoctorReport();
    new CoderResolution(conf, report).examine();
    Map<String, String> coders = new TreeMap<>();
    for (DoctorReport.Codec codec : report.codecs) {
      if (codec.live != null) {
        coders.put(codec.codec, codec.live);
      }
    }
    return coders;
  }

  /** Examines all codes that our coder supports. */
  void examine() {
    examine("rs", new ErasureCoderOptions(6, 3));
    examine("rs-legacy", new ErasureCoderOptions(6, 3));
    examine("xor", new ErasureCoderOptions(2, 1));
  }

  private void examine(String codec, ErasureCoderOptions options) {
    DoctorReport.Codec result = new DoctorReport.Codec();
    result.codec = codec;
    result.key = "io.erasurecode.codec." + codec + ".rawcoders";
    result.value = conf.get(result.key);
    result.setBy = ConfigurationReader.setBy(conf, result.key);

    String[] registered = CodecRegistry.getInstance().getCoderNames(codec);
    List<String> all = registered == null ? new ArrayList<>() : Arrays.asList(registered);
    // Hadoop uses the registered coders only if the key is not set.
    List<String> tried =
        result.value == null ? all : Arrays.asList(conf.getTrimmedStrings(result.key));
    for (String name : tried) {
      DoctorReport.Coder coder = tryCoder(codec, name, options);
      if (result.live == null && coder.state.equals("works")) {
        result.live = name;
        coder.state = "live";
      }
      result.coders.add(coder);
    }
    Set<String> others = new LinkedHashSet<>(all);
    others.removeAll(tried);
    for (String name : others) {
      DoctorReport.Coder coder = tryCoder(codec, name, options);
      if (coder.state.equals("works")) {
        coder.state = "not configured";
      }
      result.coders.add(coder);
    }
    report.codecs.add(result);
    judge(result, tried.size(), all.contains(OURS));
    compareWithHadoop(result, options);
  }

  private DoctorReport.Coder tryCoder(String codec, String name, ErasureCoderOptions options) {
    DoctorReport.Coder coder = new DoctorReport.Coder();
    coder.name = name;
    RawErasureCoderFactory factory = CodecRegistry.getInstance().getCoderByName(codec, name);
    if (factory == null) {
      coder.state = "unknown";
      coder.reason = "no class on the class path provides it";
      return coder;
    }
    coder.factory = factory.getClass().getName();
    if (!conf.getBoolean(NATIVE_ENABLED_KEY, true) && name.contains("native")) {
      coder.state = "skipped";
      coder.reason = NATIVE_ENABLED_KEY + " is false";
      return coder;
    }
    try {
      RawErasureEncoder encoder = factory.createEncoder(options);
      RawErasureDecoder decoder = factory.createDecoder(options);
      encoder.release();
      decoder.release();
      coder.state = "works";
    } catch (Exception | LinkageError e) {
      coder.state = "fails";
      coder.reason = RootCause.message(e);
    }
    return coder;
  }

  private void judge(DoctorReport.Codec codec, int tried, boolean ourJarIsThere) {
    if (OURS.equals(codec.live)) {
      return;
    }
    String what =
        "Codec "
            + codec.codec
            + " uses "
            + (codec.live == null ? "no coder at all" : codec.live)
            + ", not "
            + OURS;
    if (!ourJarIsThere) {
      report.addProblem(
          what + ": the jar is not on Hadoop's class path",
          "put the jar on the class path that 'hadoop classpath' prints, on clients and DataNodes");
      return;
    }
    for (DoctorReport.Coder coder : codec.coders) {
      if (coder.name.equals(OURS) && coder.state.equals("fails")) {
        report.addProblem(what + ": " + coder.reason, "see the native library above");
        return;
      }
    }
    report.addProblem(
        what
            + ": "
            + codec.key
            + (codec.value == null
                ? " is not set, and other coders come first"
                : " is " + codec.value + " (" + codec.setBy + ")"),
        "set in core-site.xml of clients and DataNodes: <property><name>"
            + codec.key
            + "</name><value>"
            + wanted(codec.coders.subList(0, tried))
            + "</value></property>");
  }

  /** Returns the recommended list of coders: ours first, then those that Hadoop tries now. */
  private static String wanted(List<DoctorReport.Coder> tried) {
    List<String> names = new ArrayList<>();
    names.add(OURS);
    for (DoctorReport.Coder coder : tried) {
      if (!coder.name.equals(OURS) && !coder.state.equals("unknown")) {
        names.add(coder.name);
      }
    }
    return String.join(",", names);
  }

  /**
   * Compares the result with the coder that Hadoop creates and shows the latter if a release of
   * Hadoop selects another one.
   */
  private void compareWithHadoop(DoctorReport.Codec codec, ErasureCoderOptions options) {
    String chosen;
    try {
      RawErasureDecoder decoder = CodecUtil.createRawDecoder(conf, codec.codec, options);
      chosen = decoder.getClass().getName();
      decoder.release();
    } catch (IllegalArgumentException none) {
      chosen = null;
    }
    String expected = null;
    if (codec.live != null) {
      RawErasureDecoder decoder =
          CodecRegistry.getInstance()
              .getCoderByName(codec.codec, codec.live)
              .createDecoder(options);
      expected = decoder.getClass().getName();
      decoder.release();
    }
    if (expected == null ? chosen != null : !expected.equals(chosen)) {
      report.addProblem(
          "Codec "
              + codec.codec
              + ": this Hadoop chooses "
              + chosen
              + " where "
              + expected
              + " was expected",
          "report this with the Hadoop release");
    }
  }
}
