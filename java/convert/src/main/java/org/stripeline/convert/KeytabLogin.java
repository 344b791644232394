// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.DaemonThreads;

/**
 * Logs this process in to Kerberos from a keytab, for commands that last longer than a ticket.
 *
 * <p>Hadoop's own renewal gives up if it keeps failing until the ticket expires. This one keeps
 * trying, so that a command survives a key distribution center that is unavailable for hours.
 */
public final class KeytabLogin implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(KeytabLogin.class);

  private final ScheduledExecutorService thread;

  private KeytabLogin(UserGroupInformation user, long periodSeconds) {
    thread = Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("stripeline-login"));
    thread.scheduleWithFixedDelay(
        () -> renew(user), periodSeconds, periodSeconds, TimeUnit.SECONDS);
  }

  /**
   * Logs this process in.
   *
   * @param options the keytab, and the principal whose keys are in it; {@code _HOST} stands for the
   *     name of this machine
   * @return null if neither is given, and the user is logged in already
   * @throws RefusedException if the login fails; the message says what to do
   */
  public static KeytabLogin of(Configuration conf, LoginOptions options) throws IOException {
    String principal = options.principal;
    String keytab = options.keytab;
    if (keytab == null && principal == null) {
      return null;
    }
    if (keytab == null || principal == null) {
      throw new RefusedException(
          "Cannot log in with one of --keytab and --principal alone: give both");
    }
    UserGroupInformation.setConfiguration(conf);
    if (!UserGroupInformation.isSecurityEnabled()) {
      throw new RefusedException(
          "Cannot log in from --keytab="
              + keytab
              + ": "
              + CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION
              + " is not kerberos in core-site.xml; set HADOOP_CONF_DIR, or omit --keytab");
    }
    if (!Files.isReadable(Paths.get(keytab))) {
      throw new RefusedException("Cannot log in from --keytab=" + keytab + ": it cannot be read");
    }
    String name =
        SecurityUtil.getServerPrincipal(
            principal, InetAddress.getLocalHost().getCanonicalHostName());
    try {
      UserGroupInformation.loginUserFromKeytab(name, keytab);
    } catch (IOException e) {
      throw new RefusedException(
          "Cannot log in as " + name + " from --keytab=" + keytab + ": " + Reasons.of(e));
    }
    long periodSeconds =
        conf.getLong(
            CommonConfigurationKeysPublic.HADOOP_KERBEROS_MIN_SECONDS_BEFORE_RELOGIN,
            CommonConfigurationKeysPublic.HADOOP_KERBEROS_MIN_SECONDS_BEFORE_RELOGIN_DEFAULT);
    return new KeytabLogin(UserGroupInformation.getLoginUser(), Math.max(1, periodSeconds));
  }

  /** Obtains a new ticket once four fifths of the current ticket's lifetime have passed. */
  private static void renew(UserGroupInformation user) {
    try {
      user.checkTGTAndReloginFromKeytab();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot log in again as {}, retrying later: {}", user.getUserName(), Reasons.of(e));
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
