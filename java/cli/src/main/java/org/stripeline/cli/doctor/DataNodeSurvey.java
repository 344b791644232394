// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentInfo;
import org.stripeline.agent.RpcAgents;
import org.stripeline.convert.namenode.ServerPages;
import org.stripeline.terminal.DaemonThreads;

/**
 * Asks all live DataNodes for their agent, coder and clock: by their web pages, which any user may
 * read unless the cluster restricts them; by RPC if a page cannot be read. Each DataNode has a
 * limit of time.
 */
final class DataNodeSurvey implements AutoCloseable {
  static final int LIMIT_MILLIS = 10_000;

  /** The key that tells with which coder a DataNode rebuilds. */
  static final String CODERS_KEY = "io.erasurecode.codec.rs.rawcoders";

  private static final int THREADS = 64;
  private static final String NODES_PAGE = "/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo";
  private static final String BEANS_PAGE = "/jmx?qry=Hadoop:service=Stripeline,*";
  private static final String CODERS_PAGE = "/conf?format=json&name=" + CODERS_KEY;

  private final Configuration conf;
  private final String scheme;
  private final boolean byHostName;
  private final int limitMillis;
  private final ServerPages pages;
  private final List<String> dead = new ArrayList<>();

  DataNodeSurvey(Configuration conf, int limitMillis) {
    this.conf = conf;
    this.limitMillis = limitMillis;
    scheme = DFSUtil.getHttpClientScheme(conf);
    // Kerberos and TLS name servers by their hosts.
    byHostName =
        UserGroupInformation.isSecurityEnabled()
            || scheme.equals("https")
            || conf.getBoolean(
                HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
                HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT);
    pages = new ServerPages(conf, limitMillis / 2);
  }

  /**
   * Lists the live DataNodes: by RPC as a superuser, else from the web page of a NameNode.
   *
   * @param nameNodes addresses of web pages
   * @throws AccessControlException if the user may not list them by RPC and no page has them
   */
  List<DoctorReport.DataNode> list(DistributedFileSystem fs, List<URI> nameNodes)
      throws IOException {
    List<DoctorReport.DataNode> nodes = new ArrayList<>();
    try {
      for (DatanodeInfo info : fs.getDataNodeStats(DatanodeReportType.LIVE)) {
        nodes.add(node(info));
      }
      for (DatanodeInfo info : fs.getDataNodeStats(DatanodeReportType.DEAD)) {
        if (!info.isDecommissioned()) {
          dead.add(info.getHostName() + ":" + info.getXferPort());
        }
      }
      return nodes;
    } catch (RemoteException e) {
      if (!(e.unwrapRemoteException() instanceof AccessControlException)) {
        throw e;
      }
    }
    String reason = "no NameNode answered";
    for (URI nameNode : nameNodes) {
      try {
        return listed(pages.read(nameNode, NODES_PAGE).json());
      } catch (IOException | RuntimeException e) {
        reason = nameNode + ": " + ServerPages.reason(e);
      }
    }
    throw new AccessControlException(
        "only superusers may list DataNodes by RPC, and the NameNode's web page has no list ("
            + reason
            + ")");
  }

  /**
   * Returns the names of the DataNodes that were dead, and not decommissioned, when the live ones
   * were listed.
   */
  List<String> dead() {
    return dead;
  }

  private DoctorReport.DataNode node(DatanodeInfo info) {
    DoctorReport.DataNode node = new DoctorReport.DataNode();
    node.name = info.getHostName() + ":" + info.getXferPort();
    node.address =
        scheme
            + "://"
            + (byHostName ? info.getHostName() : info.getIpAddr())
            + ":"
            + (scheme.equals("https") ? info.getInfoSecurePort() : info.getInfoPort());
    node.capacityBytes = info.getCapacity();
    node.remainingBytes = info.getRemaining();
    node.uuid = info.getDatanodeUuid();
    node.info = info;
    return node;
  }

  private List<DoctorReport.DataNode> listed(JsonElement page) {
    JsonObject bean = page.getAsJsonObject().getAsJsonArray("beans").get(0).getAsJsonObject();
    JsonObject live = JsonParser.parseString(bean.get("LiveNodes").getAsString()).getAsJsonObject();
    List<DoctorReport.DataNode> nodes = new ArrayList<>();
    for (Map.Entry<String, JsonElement> entry : live.entrySet()) {
      JsonObject values = entry.getValue().getAsJsonObject();
      DoctorReport.DataNode node = new DoctorReport.DataNode();
      node.name = entry.getKey();
      String web = values.get(scheme.equals("https") ? "infoSecureAddr" : "infoAddr").getAsString();
      String host = node.name.substring(0, node.name.lastIndexOf(':'));
      node.address = scheme + "://" + (byHostName ? host + web.replaceFirst(".*:", ":") : web);
      node.capacityBytes = values.get("capacity").getAsLong();
      node.remainingBytes = values.get("remaining").getAsLong();
      nodes.add(node);
    }
    JsonObject gone = JsonParser.parseString(bean.get("DeadNodes").getAsString()).getAsJsonObject();
    for (Map.Entry<String, JsonElement> entry : gone.entrySet()) {
      if (!entry.getValue().getAsJsonObject().get("decommissioned").getAsBoolean()) {
        dead.add(entry.getKey());
      }
    }
    return nodes;
  }

  /** Asks all DataNodes of a list, and replaces its elements by those with the answers. */
  void ask(List<DoctorReport.DataNode> nodes) throws IOException {
    int threads = Math.max(1, Math.min(THREADS, nodes.size()));
    ExecutorService pool =
        Executors.newFixedThreadPool(threads, DaemonThreads.named("stripeline-doctor-ask"));
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    try (RpcAgents agents = new RpcAgents(conf, limitMillis / 2)) {
      List<Future<DoctorReport.DataNode>> answers = new ArrayList<>();
      for (DoctorReport.DataNode node : nodes) {
        answers.add(
            pool.submit(
                () ->
                    user.doAs(
                        (PrivilegedAction<DoctorReport.DataNode>)
                            () -> askOne(node.unasked(), agents))));
      }
      int rounds = (nodes.size() + threads - 1) / threads;
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos((long) limitMillis * rounds);
      for (int i = 0; i < answers.size(); i++) {
        nodes.set(i, answer(answers.get(i), nodes.get(i), end));
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private DoctorReport.DataNode answer(
      Future<DoctorReport.DataNode> answer, DoctorReport.DataNode node, long end)
      throws IOException {
    try {
      return answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      node.reason = "no answer within " + limitMillis / 1000 + " s";
    } catch (ExecutionException e) {
      node.reason = RootCause.message(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return node;
  }

  private DoctorReport.DataNode askOne(DoctorReport.DataNode node, RpcAgents agents) {
    URI address = URI.create(node.address);
    try {
      long before = System.currentTimeMillis();
      ServerPages.Page page = pages.read(address, BEANS_PAGE);
      node.clockAheadMillis = ahead(page, before);
      node.beans = page.json().toString();
      readBeans(page.json().getAsJsonObject().getAsJsonArray("beans"), node);
      node.rawCoders =
          pages
              .read(address, CODERS_PAGE)
              .json()
              .getAsJsonObject()
              .getAsJsonObject("property")
              .get("value")
              .getAsString();
    } catch (IOException | RuntimeException e) {
      node.reason = ServerPages.reason(e);
      if (node.agent == null && node.info != null) {
        askAgent(node, agents);
      }
    }
    return node;
  }

  /**
   * Returns by how many milliseconds the clock of a server is ahead of this machine's, null if the
   * server did not tell its time. HTTP gives times in whole seconds, half a second late on average.
   */
  private static Long ahead(ServerPages.Page page, long beforeMillis) {
    long now = (beforeMillis + System.currentTimeMillis()) / 2;
    return page.dateMillis() == 0 ? null : page.dateMillis() + 500 - now;
  }

  /** Returns the same for a NameNode, null if it does not answer. */
  Long clockOf(URI nameNode) {
    try {
      long before = System.currentTimeMillis();
      return ahead(pages.read(nameNode, NODES_PAGE), before);
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  private static void readBeans(JsonArray beans, DoctorReport.DataNode node) {
    node.agent = "";
    for (JsonElement element : beans) {
      JsonObject bean = element.getAsJsonObject();
      String name = bean.get("name").getAsString().replaceFirst(".*name=", "");
      if (name.startsWith("Agent") && isOf(bean, node)) {
        node.agent = text(bean, "Version", "unknown");
      }
      if (name.equals("Coder") || name.startsWith("Agent") && isOf(bean, node)) {
        node.coder = text(bean, "Implementation", node.coder);
        node.kernels = text(bean, "Isa", node.kernels);
        node.fallbackCause = text(bean, "FallbackCause", node.fallbackCause);
      }
    }
  }

  /** Several DataNodes of a test share a process and its beans. */
  private static boolean isOf(JsonObject bean, DoctorReport.DataNode node) {
    String port = node.name.substring(node.name.lastIndexOf(':'));
    return node.uuid == null
        ? text(bean, "DataNode", port).endsWith(port)
        : node.uuid.equals(text(bean, "DataNodeUuid", node.uuid));
  }

  private static String text(JsonObject bean, String attribute, String otherwise) {
    JsonElement value = bean.get(attribute);
    return value == null || value.isJsonNull() || value.getAsString().isEmpty()
        ? otherwise
        : value.getAsString();
  }

  private static void askAgent(DoctorReport.DataNode node, RpcAgents agents) {
    try {
      AgentInfo info = agents.describe(node.info);
      node.agent = info.version;
      node.coder = info.coder.startsWith("java") ? "java" : "native";
    } catch (AgentException e) {
      if (e.kind() == AgentException.Kind.NO_AGENT) {
        node.agent = "";
      } else if (e.kind() == AgentException.Kind.DENIED) {
        node.agent = "unknown";
      }
    } catch (IOException e) {
      // The reason why the web page did not answer is already recorded.
      node.agent = null;
    }
  }

  @Override
  public void close() {
    pages.close();
  }
}
