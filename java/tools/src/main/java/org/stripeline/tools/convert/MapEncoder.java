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
import org.stripeline.server.agent.AgentNode;
import org.stripeline.server.agent.EncodeRequest;

/** Has maps call agents and wait for them. */
final class MapEncoder implements GroupEncoder {
  private final Job job;
  private final MapWaves waves;

  MapEncoder(Job job, MapWaves waves) {
    this.job = job;
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
    GroupWork group = adoption.group();
    String directory = job.makeWorkDirectory(attempt.open().begin());
    String encoder = group.encoder().getDatanodeUuid();
    String ticket = UUID.randomUUID().toString();
    Future<GroupAnswer> answer =
        waves.add(
            encoder,
            isGivenUp,
            bytesPerSecond -> {
              EncodeRequest request = group.request(bytesPerSecond);
              GroupOrder order = new GroupOrder(directory, group.number(), hosts(request, group));
              order.encode =
                  new GroupOrder.Encode(AgentNode.of(group.encoder()), ticket, request);
              return order;
            });
    return () -> {
      job.traffic().encoded(Futures.get(answer).encoded, group.sends());
      job.reached(Step.ENCODED, attempt.open());
    };
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
