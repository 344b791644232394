// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.OpenFile;

/** One file whose temporary file is being made; its lease is held. */
public final class Attempt {
  private final Candidate file;
  private final OpenFile open;
  private final String source;
  private final ErasureCodingPolicy policy;
  private final int replication;
  private final Attributes attributes;
  private final ChecksumOpt checksums;
  private final LocatedBlocks blocks;

  private Attempt(Builder builder) {
    file = builder.file;
    open = builder.open;
    source = builder.source;
    policy = builder.policy;
    replication = builder.replication;
    attributes = builder.attributes;
    checksums = builder.checksums;
    blocks = builder.blocks;
  }

  public Candidate file() {
    return file;
  }

  /** Path of the temporary file. */
  public String temporary() {
    return open.begin().temporary;
  }

  /** What the journal says of the file. */
  public OpenFile open() {
    return open;
  }

  /** Path at which the bytes can be read as they are stored. */
  public String source() {
    return source;
  }

  /** Policy of the temporary file, or null for replication. */
  public ErasureCodingPolicy policy() {
    return policy;
  }

  /** Replicas of each block, if there is no policy. */
  public int replication() {
    return replication;
  }

  public Attributes attributes() {
    return attributes;
  }

  /** Checksums like those of the original, or checksums of the files could not be compared. */
  public ChecksumOpt checksums() {
    return checksums;
  }

  /** Blocks of the original under its fence. */
  public LocatedBlocks blocks() {
    return blocks;
  }

  /** Collects what there is to know. */
  static final class Builder {
    private final Candidate file;
    private final OpenFile open;
    private String source;
    private ErasureCodingPolicy policy;
    private int replication;
    private Attributes attributes;
    private ChecksumOpt checksums;
    private LocatedBlocks blocks;

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

    Attempt build() {
      return new Attempt(this);
    }
  }
}
