// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AccessController;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;
import org.stripeline.testkit.ForkedJvm;
import org.stripeline.testkit.Kerberos;

/**
 * Tests the command with a keytab and without a ticket. Kerberos settings apply to the whole JVM.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class KeytabLoginTest {
  @TempDir Path directory;
  private Kerberos kerberos;

  /** Kerberos settings of commands. */
  private Path clientSettings;

  @AfterEach
  void stop() throws Exception {
    if (kerberos != null) {
      kerberos.close();
    }
    UserGroupInformation.reset();
  }

  private String startKdc(Properties properties) throws Exception {
    kerberos = new Kerberos(Files.createDirectory(directory.resolve("kdc")), properties);
    clientSettings = kerberos.clientConfiguration().toPath();
    return kerberos.principal("hdfs");
  }

  private File keytab() {
    return kerberos.keytab("hdfs");
  }

  private static Configuration kerberos() {
    Configuration conf = new Configuration();
    conf.set("hadoop.security.authentication", "kerberos");
    return conf;
  }

  private static KerberosTicket ticket() throws Exception {
    return UserGroupInformation.getLoginUser()
        .doAs(
            (PrivilegedExceptionAction<KerberosTicket>)
                () ->
                    Subject.getSubject(AccessController.getContext())
                        .getPrivateCredentials(KerberosTicket.class)
                        .stream()
                        .findAny()
                        .orElse(null));
  }

  @Test
  void logsInAgainBeforeTheTicketEnds() throws Exception {
    Properties properties = MiniKdc.createConf();
    properties.setProperty(MiniKdc.MIN_TICKET_LIFETIME, "1");
    properties.setProperty(MiniKdc.MAX_TICKET_LIFETIME, "6");
    String principal = startKdc(properties);
    Configuration conf = kerberos();
    conf.setInt("hadoop.kerberos.min.seconds.before.relogin", 1);

    KeytabLogin login = KeytabLogin.of(conf, options(principal, keytab().getPath()));
    try {
      assertThat(UserGroupInformation.getLoginUser().getUserName()).isEqualTo(principal);
      KerberosTicket first = ticket();
      assertThat(first.getEndTime().getTime() - first.getStartTime().getTime())
          .isLessThanOrEqualTo(6000);
      long end = first.getEndTime().getTime();
      Conditions.await("a new ticket", () -> isLater(ticket(), end));
      // And again, after the last ticket has expired while no new one could be obtained.
      Path away = directory.resolve("away");
      Files.move(keytab().toPath(), away);
      Conditions.await("a lack", () -> !isLater(ticket(), System.currentTimeMillis()));
      Files.move(away, keytab().toPath());
      Conditions.await("another ticket", () -> isLater(ticket(), System.currentTimeMillis()));
    } finally {
      login.close();
    }
  }

  private static LoginOptions options(String principal, String keytab) {
    LoginOptions options = new LoginOptions();
    options.principal = principal;
    options.keytab = keytab;
    return options;
  }

  private static boolean isLater(KerberosTicket ticket, long end) {
    return ticket != null && !ticket.isDestroyed() && ticket.getEndTime().getTime() > end;
  }

  @Test
  void refusesInvalidLogins() throws Exception {
    assertThatThrownBy(() -> KeytabLogin.of(new Configuration(), options("hdfs@X", "/no.keytab")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("hadoop.security.authentication is not kerberos");
    String principal = startKdc(MiniKdc.createConf());
    assertThatThrownBy(() -> KeytabLogin.of(kerberos(), options(principal, "/no.keytab")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("it cannot be read");
    assertThatThrownBy(() -> KeytabLogin.of(kerberos(), options("eve@X", keytab().getPath())))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("Cannot log in as eve@X");
  }

  @Test
  void theCommandConvertsWithoutATicketOfItsUser() throws Exception {
    startKdc(MiniKdc.createConf());
    Path dfs = Files.createDirectory(directory.resolve("dfs"));
    try (ConvertCluster cluster = new ConvertCluster(dfs, 6, 3, this::secure)) {
      byte[] bytes = cluster.write("/secure/a", 4 * ConvertCluster.BLOCK);

      String[] login = {"--keytab=" + keytab(), "--principal=" + kerberos.principal("hdfs")};
      assertThat(run(cluster)).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(log()).contains("Client cannot authenticate");
      int status = run(cluster, login);
      assertThat(status).as(log()).isZero();

      assertThat(cluster.policy("/secure/a")).isEqualTo("RS-3-2-1024k");
      assertThat(cluster.read("/secure/a")).isEqualTo(bytes);
    }
  }

  private void secure(Configuration conf) {
    kerberos.authenticate(conf);
    conf.set("dfs.data.transfer.protection", "authentication");
    conf.setBoolean("ignore.secure.ports.for.testing", true);
    conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
  }

  private String log() throws Exception {
    return Files.readString(directory.resolve("command.log"));
  }

  @Test
  void aServiceWaitsLongerThanItsTickets() throws Exception {
    Properties properties = MiniKdc.createConf();
    properties.setProperty(MiniKdc.MIN_TICKET_LIFETIME, "1");
    startKdc(properties);
    // Only for the service: servers that share a process do not log in again.
    String settings = Files.readString(kerberos.clientConfiguration().toPath());
    clientSettings = directory.resolve("krb5.conf");
    Files.writeString(
        clientSettings, settings.replace("[libdefaults]", "[libdefaults]\n ticket_lifetime = 15s"));
    Path dfs = Files.createDirectory(directory.resolve("dfs"));
    Path rules = directory.resolve("rules.xml");
    Files.writeString(
        rules, "<rules><rule name='a'><path>/secure</path><policy>RS-3-2</policy></rule></rules>");
    try (ConvertCluster cluster = new ConvertCluster(dfs, 6, 3, this::secure)) {
      cluster.write("/secure/a", 4 * ConvertCluster.BLOCK);
      Path own = Files.copy(keytab().toPath(), directory.resolve("own.keytab"));
      Process service =
          begin(
              cluster,
              "--rules=" + rules,
              "--execute",
              "--every=2s",
              "-Dhadoop.kerberos.min.seconds.before.relogin=1",
              "--keytab=" + own,
              "--principal=" + kerberos.principal("hdfs"));
      try {
        await(service, "the first file", () -> cluster.policy("/secure/a") != null);
        Path away = directory.resolve("away");
        Files.move(own, away);
        await(service, "an old ticket", () -> log().contains("Cannot log in again as"));
        Files.move(away, own);
        cluster.write("/secure/b", 4 * ConvertCluster.BLOCK);
        await(service, "the second file", () -> cluster.policy("/secure/b") != null);
        HadoopProcess.signal(service, "TERM");
        assertThat(service.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(service.exitValue()).as(log()).isEqualTo(143);
      } finally {
        service.destroyForcibly();
      }
    }
  }

  private void await(Process process, String what, Callable<Boolean> condition) throws Exception {
    try {
      Conditions.await(what, () -> !process.isAlive() || condition.call());
    } catch (AssertionError e) {
      throw new AssertionError(log(), e);
    }
    assertThat(process.isAlive()).as(log()).isTrue();
  }

  /** Runs the command in a separate process, since the servers are logged in in this one. */
  private Process begin(ConvertCluster cluster, String... more) throws Exception {
    List<String> words = new ArrayList<>(List.of("convert"));
    words.addAll(Arrays.asList(more));
    return ForkedJvm.of(ConvertMain.class, words.toArray(new String[0]))
        .site(directory.resolve("conf"), cluster.conf(), "core")
        .withoutTickets(clientSettings)
        .with("-Djava.library.path=" + System.getProperty("java.library.path"))
        .start(directory.resolve("command.log"));
  }

  private int run(ConvertCluster cluster, String... more) throws Exception {
    List<String> words =
        new ArrayList<>(List.of(cluster.uri() + "/secure", "--policy=RS-3-2", "--execute"));
    words.addAll(Arrays.asList(more));
    Process process = begin(cluster, words.toArray(new String[0]));
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
