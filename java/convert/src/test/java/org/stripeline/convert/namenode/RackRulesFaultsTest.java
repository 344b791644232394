// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.EarStripedPlacementPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.server.namenode.EarKeys;

/** Tests the rules for racks if one of two NameNodes answers strangely, differs or is silent. */
class RackRulesFaultsTest {
  private static final CodeShape SHAPE = CodeShape.ofDataAndParity(6, 3);
  private static final int RACKS = 20;
  private static final String OF_HDFS = RackRule.even(SHAPE, RACKS).toString();
  private static final String PLACED = "at most 3 per rack, 4 target racks";

  private final Page one = new Page();
  private final Page other = new Page();

  /** The configuration page of a NameNode that does not exist. */
  private static final class Page {
    final HttpServer server;
    volatile int status = 200;
    volatile String text = settings("3", "4");

    Page() {
      try {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      server.createContext(
          "/conf",
          exchange -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            try (OutputStream out = exchange.getResponseBody()) {
              out.write(bytes);
            }
          });
    }
  }

  private static String settings(String blocksPerRack, String targetRacks) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("dfs.block.replicator.classname", EarPlacementPolicy.class.getName());
    keys.put("dfs.block.placement.ec.classname", EarStripedPlacementPolicy.class.getName());
    keys.put(EarKeys.DIRECTORIES, "/warm");
    keys.put(EarKeys.BLOCKS_PER_RACK, blocksPerRack);
    keys.put(EarKeys.TARGET_RACKS, targetRacks);
    JsonArray properties = new JsonArray();
    keys.forEach(
        (key, value) -> {
          JsonObject property = new JsonObject();
          property.addProperty("key", key);
          property.addProperty("value", value);
          property.addProperty("resource", "hdfs-site.xml");
          properties.add(property);
        });
    JsonObject page = new JsonObject();
    page.add("properties", properties);
    return page.toString();
  }

  @BeforeEach
  void start() {
    one.server.start();
    other.server.start();
  }

  @AfterEach
  void stop() {
    one.server.stop(0);
    other.server.stop(0);
  }

  private RackRules ask() {
    Configuration client = new Configuration(false);
    client.set("dfs.nameservices", "ns");
    client.set("dfs.ha.namenodes.ns", "nn1,nn2");
    name(client, "nn1", one);
    name(client, "nn2", other);
    client.set(
        "dfs.client.failover.proxy.provider.ns",
        "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
    return RackRules.ask(URI.create("hdfs://ns"), client, false);
  }

  private static void name(Configuration client, String id, Page page) {
    InetSocketAddress address = page.server.getAddress();
    client.set("dfs.namenode.rpc-address.ns." + id, "localhost:" + (1 + address.getPort() % 1000));
    client.set("dfs.namenode.http-address.ns." + id, "localhost:" + address.getPort());
  }

  private void assertRuleOfHdfs(String... reasons) {
    RackRules rules = ask();
    assertThat(rules.rule("/warm/a", SHAPE, 6, RACKS)).hasToString(OF_HDFS);
    assertThat(rules.obstacle("/warm", SHAPE, RACKS)).contains(reasons);
  }

  @Test
  void theRuleIsUsedIfBothNameNodesHaveIt() {
    assertThat(ask().rule("/warm/a", SHAPE, 6, RACKS)).hasToString(PLACED);
  }

  @Test
  void theRuleIsThatOfHdfsIfOneOfTwoNameNodesDiffersOrIsSilent() {
    other.text = settings("2", "5");
    assertRuleOfHdfs("NameNodes have different settings");
    other.text = settings("-3", "4");
    assertRuleOfHdfs("NameNodes have different settings");
    other.text = settings("three", "4");
    assertRuleOfHdfs("NameNodes have different settings");
    other.text = "{\"properties\":[]}";
    assertRuleOfHdfs("NameNodes have different settings");
    other.status = 403;
    assertRuleOfHdfs("NameNode nn2 (http://", "could not be asked: HTTP status 403");
    other.server.stop(0);
    assertRuleOfHdfs("NameNode nn2 (http://", "could not be asked: ConnectException");
  }

  /** Such as the page of a proxy. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<configuration/>",
        "[]",
        "null",
        "{\"properties\":",
        "{\"properties\":{}}",
        "{\"properties\":null}",
        "{\"properties\":[1]}",
        "{\"properties\":[{\"value\":1}]}",
        "{\"properties\":[{\"key\":null,\"value\":1}]}",
        "{\"properties\":[{\"key\":\"stripeline.x\",\"value\":[1,2]}]}",
        "{\"properties\":[{\"key\":\"stripeline.x\",\"value\":{}}]}",
      })
  void aPageThatIsNoConfigurationIsNamed(String page) {
    other.text = page;
    assertRuleOfHdfs("NameNode nn2 (http://", "could not be asked: its reply is not");
  }

  @Test
  void aPageThatIsNestedWithoutEndIsNamed() {
    other.text = String.join("", Collections.nCopies(100_000, "["));
    assertRuleOfHdfs("NameNode nn2 (http://", "could not be asked: its reply is not");
  }
}
