// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.RefusedException;

/** Refuses what a scrub could not check anywhere, before it begins. */
final class Rights {
  /** Agents that are asked until one answers. A DataNode that is down takes seconds. */
  private static final int ASKED_MAX = 10;

  private Rights() {}

  /**
   * Requires the rights of a superuser, of the NameNode and of an agent.
   *
   * @param verb what the command does, for messages
   * @throws RefusedException if one of them denies them, or it is a Router instead of a NameNode
   */
  static void require(DistributedFileSystem fs, Agents agents, String verb) throws IOException {
    List<DatanodeInfo> nodes = Preflight.asSuperuser(fs.getClient(), verb).nodes();
    for (DatanodeInfo node : nodes.subList(0, Math.min(ASKED_MAX, nodes.size()))) {
      try {
        agents.describe(node);
        return;
      } catch (AgentException e) {
        if (e.kind() == AgentException.Kind.DENIED) {
          throw new RefusedException(
              "Cannot "
                  + verb
                  + ": "
                  + Reasons.of(e)
                  + "; run this as a user in the group that dfs.permissions.superusergroup names on"
                  + " the DataNodes");
        }
      }
    }
  }
}
