// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.server.agent.AgentException;
import org.stripeline.server.agent.AgentNode;
import org.stripeline.server.agent.EncodeRequest;

/** Has maps call agents and wait for them. */
final class MapEncoder implements GroupEncoder {
  private final Job job;
  private final AgentNodes nodes;
  private final MapWaves waves;

  MapEncoder(Job job, AgentNodes nodes, MapWaves waves) {
    this.job = job;
    this.nodes = nodes;
    this.waves = waves;
  }

  /** As many as a job takes: those of a file that wait for the next one are of no use. */
  @Override
  public int groupsAtOnce() {
    return MapWaves.ORDERS_MAX;
  }

  @Override
  public Pending begin(Attempt attempt, GroupAdoption adoption, BooleanSupplier isGivenUp)
      throws IOException {
    Future<GroupAnswer> first = order(attempt, adoption.group(), isGivenUp);
    return () -> await(attempt, adoption, isGivenUp, first);
  }

  private Future<GroupAnswer> order(Attempt attempt, GroupWork group, BooleanSupplier isGivenUp)
      throws IOException {
    String directory = job.makeWorkDirectory(attempt.open().begin());
    String encoder = group.encoder().getDatanodeUuid();
    String ticket = UUID.randomUUID().toString();
    return waves.add(
        encoder,
        isGivenUp,
        bytesPerSecond -> {
          EncodeRequest request = group.request(bytesPerSecond, group.hasTokens());
          GroupOrder order = new GroupOrder(directory, group.number(), hosts(request, group));
          order.encode = new GroupOrder.Encode(AgentNode.of(group.encoder()), ticket, request);
          // Maps have no ticket where agents want one.
          order.encode.token = group.hasTokens() ? group.tokenToWrite() : null;
          return order;
        });
  }

  /** Waits for the map; where the agent failed, for that of another plan, in the next job. */
  private void await(
      Attempt attempt,
      GroupAdoption adoption,
      BooleanSupplier isGivenUp,
      Future<GroupAnswer> first)
      throws IOException {
    GroupWork group = adoption.group();
    Future<GroupAnswer> answer = first;
    GroupAnswer done = null;
    while (done == null) {
      try {
        done = Futures.get(answer);
      } catch (AgentException e) {
        if (isGivenUp.getAsBoolean()) {
          throw e;
        }
        group.encoderFailed();
        endTasks(attempt, group);
        adoption.planAgain(e);
        adoption.link();
        answer = order(attempt, group, isGivenUp);
      }
    }
    job.traffic().encoded(done.encoded, group.sends());
    job.reached(Step.ENCODED, attempt.open());
  }

  /** What cannot be asked may still be at work; what is written anew must not be in its way. */
  private void endTasks(Attempt attempt, GroupWork group) throws IOException {
    JournalRecord begin = attempt.open().begin();
    AgentNodes.Snapshot cluster = nodes.now();
    for (JournalRecord task :
        GroupEncoding.tasksOfGroup(
            job.fs(), new Path(job.workDirectory(begin)), begin.fileId, group.number())) {
      DatanodeInfo node = cluster.find(task.node);
      if (node != null) {
        nodes.endTask(node, task.task);
      }
    }
  }

  /** The encoder, then others of its rack with replicas to read. */
  private static List<String> hosts(EncodeRequest request, GroupWork group) {
    Set<String> hosts = new LinkedHashSet<>();
    hosts.add(group.encoder().getHostName());
    for (EncodeRequest.Source source : request.data) {
      for (AgentNode node : source.nodes) {
        if (node.rack.equals(request.rack) && hosts.size() < CoreRack.HOSTS_MAX) {
          hosts.add(node.host);
        }
      }
    }
    return new ArrayList<>(hosts);
  }

  @Override
  public void finish(Attempt attempt) throws IOException {
    job.deleteWorkDirectory(attempt.open().begin());
  }
}
