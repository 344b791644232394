// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.coder.RsCoderFactory;

/**
 * A coder that takes part: its name in Hadoop's configuration, a file system that uses it and
 * nothing else, and a directory of its own.
 *
 * <p>Only this one coder is configured. Hadoop falls back without a word when a coder of the list
 * cannot be made; with a list of one it fails instead.
 */
final class Contestant implements AutoCloseable {

  /** Our coder's name in Hadoop's configuration. */
  static final String OURS = new RsCoderFactory().getCoderName();

  private final String coderName;
  private final StripeShape shape;
  private final Configuration conf;
  private final DistributedFileSystem fs;

  /**
   * Opens a file system of its own.
   *
   * @param coderName coder as configured under {@code io.erasurecode.codec.<codec>.rawcoders}
   */
  Contestant(String coderName, StripeShape shape, Configuration cluster) throws IOException {
    this.coderName = coderName;
    this.shape = shape;
    this.conf = new Configuration(cluster);
    conf.set(coderKey(shape), coderName);
    this.fs = (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
  }

  /** The key under which Hadoop looks for the coders of a codec. */
  static String coderKey(StripeShape shape) {
    return "io.erasurecode.codec." + shape.codecName() + ".rawcoders";
  }

  /** Our coder first, then Hadoop's own Java coder of the same codec. */
  static List<String> usualCoders(StripeShape shape) {
    return Collections.unmodifiableList(
        Arrays.asList(OURS, shape.codecName() + "_java"));
  }

  String coderName() {
    return coderName;
  }

  boolean isOurs() {
    return coderName.equals(OURS);
  }

  Configuration conf() {
    return conf;
  }

  DistributedFileSystem fs() {
    return fs;
  }

  /** Where this coder's files lie. */
  Path directory() {
    return new Path("/demo/" + coderName);
  }

  /** Where one file of the demo lies for this coder. */
  Path path(SourceFile file) {
    return new Path(directory(), file.name());
  }

  /** Class of the encoder that Hadoop makes for this configuration. */
  Class<?> encoderClass() throws IOException {
    try {
      RawErasureEncoder encoder = CodecUtil.createRawEncoder(conf, shape.codecName(), options());
      encoder.release();
      return encoder.getClass();
    } catch (IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  /** Class of the decoder that Hadoop makes for this configuration. */
  Class<?> decoderClass() throws IOException {
    try {
      RawErasureDecoder decoder = CodecUtil.createRawDecoder(conf, shape.codecName(), options());
      decoder.release();
      return decoder.getClass();
    } catch (IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  @Override
  public void close() throws IOException {
    fs.close();
  }

  private DemoException unusable(IllegalArgumentException e) {
    return new DemoException(
        "Cannot use coder " + coderName + ": Hadoop cannot make it (" + e.getMessage() + ")");
  }

  private ErasureCoderOptions options() {
    return new ErasureCoderOptions(shape.dataUnits(), shape.parityUnits());
  }
}
