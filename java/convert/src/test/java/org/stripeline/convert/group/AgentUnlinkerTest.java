// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentInfo;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.Agents;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;

/** Tests which agents are called to remove the blocks of abandoned groups. */
class AgentUnlinkerTest {
  private static final String HUNG = "hung";
  private static final String SOUND = "sound";
  private static final int TASKS = 50;

  private final List<String> calls = new ArrayList<>();
  private final Agents agents =
      (Agents)
          Proxy.newProxyInstance(
              Agents.class.getClassLoader(),
              new Class<?>[] {Agents.class},
              (proxy, method, arguments) -> answer(method.getName(), (DatanodeInfo) arguments[0]));

  private Object answer(String method, DatanodeInfo node) throws IOException {
    String uuid = node.getDatanodeUuid();
    if (method.equals("describe")) {
      return new AgentInfo(AgentProtocol.NUMBER, "version", "hadoop", uuid, "coder");
    }
    calls.add(method + " " + uuid);
    if (uuid.equals(HUNG)) {
      throw new AgentException(AgentException.Kind.UNREACHABLE, "no answer in two minutes");
    }
    return 1;
  }

  private static DFSClient client() throws IOException {
    return new DFSClient(URI.create("hdfs://localhost:1"), new Configuration()) {
      @Override
      public DatanodeStorageReport[] getDatanodeStorageReport(DatanodeReportType type) {
        return new DatanodeStorageReport[] {report(HUNG), report(SOUND)};
      }
    };
  }

  private static DatanodeStorageReport report(String uuid) {
    DatanodeInfo node =
        new DatanodeInfoBuilder().setDatanodeUuid(uuid).setNetworkLocation("/r").build();
    return new DatanodeStorageReport(node, new StorageReport[0]);
  }

  /** Each call to it lasts until a timeout, and the file may be locked until the end. */
  @Test
  void aDataNodeThatHangsIsCalledOnce() throws Exception {
    String begin = "{'kind':'begin','fileId':8,'path':'/a'}";
    OpenFile open = new OpenFile(new Gson().fromJson(begin, JournalRecord.class));
    for (int i = 0; i < TASKS; i++) {
      open.add(JournalRecord.task(8, HUNG, i));
      open.add(
          JournalRecord.group(
              8,
              "pool",
              Arrays.asList(
                  new JournalRecord.Placed(HUNG, -32 * i - 16, 1, 1),
                  new JournalRecord.Placed(SOUND, -32 * i - 15, 1, 1))));
    }
    try (DFSClient client = client()) {
      new AgentUnlinker(new AgentNodes(client, agents, new InstantWaits())).unlink(open);
    }
    assertThat(calls).containsExactlyInAnyOrder("cancel " + HUNG, "unlink " + SOUND);
  }
}
