// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.EncryptionZones;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;
import org.stripeline.testkit.ForkedJvm;
import org.stripeline.testkit.Kerberos;

/**
 * Scrub and repair of an encryption zone under Kerberos, with two NameNodes: during each run, the
 * standby becomes the active one.
 */
@Tag("full")
@Timeout(400)
class SecureScrubTest {
  private static final String ZONE = "/zone";
  private static final int DATA_NODES = 7;

  @TempDir Path directory;
  private ConvertCluster cluster;
  private int active;

  @Test
  void damageInAnEncryptionZoneIsRepairedAcrossFailovers() throws Exception {
    long seed = new SecureRandom().nextLong();
    System.out.println("seed of the damage: " + seed);
    try (Kerberos kerberos = new Kerberos(Files.createDirectory(directory.resolve("kdc")));
        ConvertCluster opened =
            ConvertCluster.withStandby(
                Files.createDirectory(directory.resolve("dfs")),
                DATA_NODES,
                DATA_NODES,
                conf -> configure(conf, kerberos))) {
      cluster = opened;
      EncryptionZones.make(cluster, ZONE);
      SeededDamage damage =
          new SeededDamage(cluster.fs(), directory.resolve("dfs"), ZONE, 12, 4, new Random(seed));
      damage.damage(6, 2, "");

      ScrubReport found = acrossFailovers(new ScrubCommand(), Ledger.ROOT_DEFAULT + "/log");
      assertThat(found.status).as("%s", found).isEqualTo(ExitStatus.FAILED);
      damage.requireFound(found.groups());

      ScrubReport repaired =
          acrossFailovers(new RepairCommand(), RepairAudit.DIRECTORY_DEFAULT, "--execute");
      damage.requireNoFalseAlarm(repaired.groups(), "NOT_CHECKED", "DUPLICATE");
      // The new active NameNode may count the wrong replica and the rebuilt one as two of a kind,
      // delete the rebuilt one, and rebuild it once more.
      Conditions.await(
          "a repair that leaves nothing",
          () -> {
            cluster.reportAll();
            ScrubReport last = run(new RepairCommand(), "--execute");
            damage.requireNoFalseAlarm(last.groups(), "NOT_CHECKED", "DUPLICATE", "MISSING");
            return last.status == ExitStatus.SOUND;
          });
      cluster.reportAll();
      damage.awaitRight();
      ScrubReport sound = run(new ScrubCommand());
      assertThat(sound.status).as("%s", sound).isEqualTo(ExitStatus.SOUND);
      assertThat(sound.groups()).isEmpty();
      assertThat(sound.sum("windowsByClient")).isZero();

      UserGroupInformation alice = kerberos.logIn("alice");
      ScrubReport refused =
          alice.doAs(
              (java.security.PrivilegedExceptionAction<ScrubReport>) () -> run(new ScrubCommand()));
      assertThat(refused.status).as("%s", refused).isEqualTo(ExitStatus.USAGE);
      requireLoginFromKeytab(kerberos);
    }
  }

  /** Both commands need no ticket of the user who runs them. */
  private void requireLoginFromKeytab(Kerberos kerberos) throws Exception {
    String[] login = {
      "--keytab=" + kerberos.keytab("hdfs"), "--principal=" + kerberos.principal("hdfs")
    };
    assertThat(status(kerberos, "scrub")).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(status(kerberos, "scrub", login)).isEqualTo(ExitStatus.SOUND);
    assertThat(status(kerberos, "repair", login)).isEqualTo(ExitStatus.SOUND);
    // The path is a glob, which needs the login too.
    assertThat(status(kerberos, "scrub", "--status", login[0], login[1])).isZero();
    assertThat(status(kerberos, "scrub", login[0])).isEqualTo(ExitStatus.USAGE);
  }

  /** Returns the exit status of a process that finds no ticket. */
  private int status(Kerberos kerberos, String command, String... options) throws Exception {
    List<String> words = new ArrayList<>(List.of(command, cluster.uri() + ZONE + "*"));
    words.addAll(Arrays.asList(options));
    return ForkedJvm.of(Stripeline.class, words.toArray(new String[0]))
        .site(directory.resolve("site"), cluster.conf(), "core")
        .with("-Djava.library.path=" + System.getProperty("java.library.path"))
        .withoutTickets(kerberos.clientConfiguration().toPath())
        .run()
        .exitCode();
  }

  private void configure(Configuration conf, Kerberos kerberos) {
    kerberos.authenticate(conf);
    conf.set("dfs.data.transfer.protection", "privacy");
    conf.setBoolean("ignore.secure.ports.for.testing", true);
    conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
    conf.set("stripeline.agent.scrub.bandwidth", "1m");
    EncryptionZones.configure(conf, directory);
    conf.setInt("dfs.datanode.scan.period.hours", -1);
    conf.setInt("dfs.datanode.directoryscan.interval", -1);
    conf.set("dfs.ha.tail-edits.period", "1s");
    conf.setInt("dfs.client.failover.sleep.base.millis", 50);
    conf.setInt("dfs.client.failover.sleep.max.millis", 500);
    conf.setInt("ipc.client.connect.retry.interval", 50);
  }

  private void failOver() throws IOException {
    cluster.mini.transitionToStandby(active);
    active = 1 - active;
    cluster.mini.transitionToActive(active);
  }

  /**
   * Runs a command, and lets the NameNodes take over from each other until it ends.
   *
   * @param begun a file that exists when the command works
   */
  private ScrubReport acrossFailovers(Object command, String begun, String... options)
      throws Exception {
    FutureTask<ScrubReport> task = new FutureTask<>(() -> run(command, options));
    new Thread(task, "command").start();
    Conditions.await(
        begun, () -> task.isDone() || cluster.fs().exists(new org.apache.hadoop.fs.Path(begun)));
    assertThat(task.isDone()).isFalse();
    failOver();
    return task.get();
  }

  /** Runs a command with the settings of the cluster. */
  private ScrubReport run(Object command, String... options) throws Exception {
    Path site = Files.createDirectories(directory.resolve("site"));
    try (OutputStream out = Files.newOutputStream(site.resolve("core-site.xml"))) {
      cluster.conf().writeXml(out);
    }
    String[] arguments = new String[options.length + 2];
    System.arraycopy(options, 0, arguments, 2, options.length);
    arguments[0] = cluster.uri() + ZONE;
    arguments[1] = "--json";
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {site.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      return ScrubReport.of(command, arguments);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
