// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.convert.file.Attempt;
import org.stripeline.convert.group.AgentNodes;
import org.stripeline.convert.group.CoreRack;
import org.stripeline.convert.group.GroupAdoption;
import org.stripeline.convert.group.GroupDispatcher;
import org.stripeline.convert.group.GroupWork;
import org.stripeline.convert.job.Futures;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.Step;

/** Encodes groups through maps, which call agents and wait for them. */
public final class MapDispatcher implements GroupDispatcher {
  private final Job job;
  private final AgentNodes nodes;
  private final MapWaves waves;

  public MapDispatcher(Job job, AgentNodes nodes, MapWaves waves) {
    this.job = job;
    this.nodes = nodes;
    this.waves = waves;
  }

  /**
   * Returns the maximum of a MapReduce job, since a file's groups should not wait for the next one.
   */
  @Override
  public int groupsAtOnce() {
    return MapWaves.ORDERS_MAX;
  }

  @Override
  public Pending begin(Attempt attempt, GroupAdoption adoption, BooleanSupplier isGivenUp)
      throws IOException {
    Order first = order(attempt, adoption.group(), isGivenUp);
    return () -> await(attempt, adoption, isGivenUp, first);
  }

  /** A group's order to a map. */
  private static final class Order {
    final DatanodeInfo encoder;

    /** Prefix of the tickets of all tasks that attempts of the map begin on an agent. */
    final String ticket;

    final Future<GroupAnswer> answer;

    Order(DatanodeInfo encoder, String ticket, Future<GroupAnswer> answer) {
      this.encoder = encoder;
      this.ticket = ticket;
      this.answer = answer;
    }
  }

  private Order order(Attempt attempt, GroupWork group, BooleanSupplier isGivenUp)
      throws IOException {
    String directory = job.makeWorkDirectory(attempt.open().begin());
    DatanodeInfo encoder = group.encoder();
    String ticket = UUID.randomUUID().toString();
    Future<GroupAnswer> answer =
        waves.add(
            encoder.getDatanodeUuid(),
            isGivenUp,
            bytesPerSecond -> {
              EncodeRequest request = group.request(bytesPerSecond, group.hasTokens());
              GroupOrder order = new GroupOrder(directory, group.number(), hosts(request, group));
              order.encode = new GroupOrder.Encode(AgentNode.of(encoder), ticket, request);
              // Maps have no Kerberos ticket, which secure agents require.
              order.encode.token = group.hasTokens() ? group.tokenToWrite() : null;
              return order;
            });
    return new Order(encoder, ticket, answer);
  }

  /**
   * Waits for the map. If the agent failed, plans the group again, and waits for a map of the next
   * MapReduce job.
   */
  private void await(
      Attempt attempt, GroupAdoption adoption, BooleanSupplier isGivenUp, Order first)
      throws IOException {
    GroupWork group = adoption.group();
    Order order = first;
    GroupAnswer done = null;
    while (done == null) {
      try {
        done = Futures.get(order.answer);
      } catch (AgentException e) {
        if (isGivenUp.getAsBoolean()) {
          throw e;
        }
        if (e.bad().isEmpty()) {
          group.encoderFailed();
        }
        nodes.requireEnd(order.encoder, order.ticket, e);
        adoption.planAgain(e);
        adoption.link();
        order = order(attempt, group, isGivenUp);
      }
    }
    job.traffic().encoded(done.encoded, group.sends());
    job.reached(Step.ENCODED, attempt.open());
  }

  /**
   * Returns the encoder's host, then those of other nodes in its rack that have replicas to read.
   */
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
