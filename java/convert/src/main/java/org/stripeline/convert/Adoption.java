// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.agent.Agents;
import org.stripeline.convert.file.FileRewriter;
import org.stripeline.convert.file.Recovery;
import org.stripeline.convert.group.AdoptingRewriter;
import org.stripeline.convert.group.AgentNodes;
import org.stripeline.convert.group.AgentUnlinker;
import org.stripeline.convert.group.ThreadDispatcher;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.DaemonThreads;

/** The resources of a job that adopts replicas: the agents, and the threads that wait for them. */
public final class Adoption implements Closeable {
  private static final int THREADS_MAX = 128;

  private final Agents agents;
  private final AgentNodes nodes;
  private final RackRules racks;
  private final ExecutorService encoders;

  private Adoption(Agents agents, AgentNodes nodes, RackRules racks, ExecutorService encoders) {
    this.agents = agents;
    this.nodes = nodes;
    this.racks = racks;
    this.encoders = encoders;
  }

  static Adoption open(DistributedFileSystem fs, JobSettings settings, Ticker ticker)
      throws IOException {
    Agents agents = Agents.connect(fs.getConf());
    int threads = Math.min(THREADS_MAX, settings.filesAtOnce() * settings.groupsAtOnce);
    ExecutorService encoders =
        Executors.newFixedThreadPool(threads, DaemonThreads.named("stripeline-convert-group"));
    RackRules racks =
        settings.skipNameNodeCheck
            ? RackRules.OF_HDFS
            : RackRules.ask(fs.getUri(), fs.getConf(), settings.allowRackLoss);
    return new Adoption(agents, new AgentNodes(fs.getClient(), agents, ticker), racks, encoders);
  }

  AgentNodes nodes() {
    return nodes;
  }

  RackRules racks() {
    return racks;
  }

  /** Returns a rewriter that adopts replicas. */
  FileRewriter rewriter(Job job) {
    return new AdoptingRewriter(job, nodes, racks, new ThreadDispatcher(job, nodes, encoders));
  }

  Recovery.Unlinker unlinker() {
    return new AgentUnlinker(nodes);
  }

  @Override
  public void close() {
    encoders.shutdownNow();
    agents.close();
  }
}
