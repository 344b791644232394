// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileMeter;
import org.stripeline.convert.job.OpenFile;

/** The conversion of one file, from the creation of its temporary file to the swap. */
public final class Attempt {
  private final Candidate file;
  private final OpenFile open;
  private final String source;
  private final ErasureCodingPolicy policy;
  private final int replication;
  private final Attributes attributes;
  private final ChecksumOpt checksums;
  private final LocatedBlocks blocks;
  private final FileMeter meter;

  private Attempt(Builder builder) {
    file = builder.file;
    open = builder.open;
    source = builder.source;
    policy = builder.policy;
    replication = builder.replication;
    attributes = builder.attributes;
    checksums = builder.checksums;
    blocks = builder.blocks;
    meter = builder.meter;
  }

  public Candidate file() {
    return file;
  }

  /** Returns the path of the temporary file. */
  public String temporary() {
    return open.begin().temporary;
  }

  /** Returns the state of the file according to the journal. */
  public OpenFile open() {
    return open;
  }

  /** Returns a path through which the bytes can be read as they are stored. */
  public String source() {
    return source;
  }

  /** Returns the policy of the temporary file, or null for replication. */
  public ErasureCodingPolicy policy() {
    return policy;
  }

  /** Returns the replication of the temporary file if it has no policy. */
  public int replication() {
    return replication;
  }

  public Attributes attributes() {
    return attributes;
  }

  /**
   * Returns the checksum type of the original. The temporary file needs the same type, since file
   * checksums could not be compared otherwise.
   */
  public ChecksumOpt checksums() {
    return checksums;
  }

  /** Returns the blocks of the original, which must be the same once its lease is held. */
  public LocatedBlocks blocks() {
    return blocks;
  }

  /** Returns the meter that counts what is read and written for the file. */
  public FileMeter meter() {
    return meter;
  }

  /** Builds an attempt. */
  static final class Builder {
    private final Candidate file;
    private final OpenFile open;
    private String source;
    private ErasureCodingPolicy policy;
    private int replication;
    private Attributes attributes;
    private ChecksumOpt checksums;
    private LocatedBlocks blocks;
    private FileMeter meter;

    Builder(Candidate file, OpenFile open) {
      this.file = file;
      this.open = open;
    }

    Builder source(String value) {
      source = value;
      return this;
    }

    Builder policy(ErasureCodingPolicy value) {
      policy = value;
      return this;
    }

    Builder replication(int value) {
      replication = value;
      return this;
    }

    Builder attributes(Attributes value) {
      attributes = value;
      return this;
    }

    Builder checksums(ChecksumOpt value) {
      checksums = value;
      return this;
    }

    Builder blocks(LocatedBlocks value) {
      blocks = value;
      return this;
    }

    Builder meter(FileMeter value) {
      meter = value;
      return this;
    }

    Attempt build() {
      return new Attempt(this);
    }
  }
}
