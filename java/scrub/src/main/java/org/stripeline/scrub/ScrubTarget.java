// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.convert.KeytabLogin;
import org.stripeline.convert.LoginOptions;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The paths that a command checks, their file system, and the login. */
final class ScrubTarget {
  private final CommandSpec spec;
  private final LoginOptions login;
  private final String verb;
  private final Configuration conf = new HdfsConfiguration();

  /**
   * Creates a target.
   *
   * @param verb what the command does, for messages
   */
  ScrubTarget(CommandSpec spec, LoginOptions login, String verb) {
    this.spec = spec;
    this.login = login;
    this.verb = verb;
  }

  /** What a command does. */
  interface Action {
    /** Returns the exit status. */
    int run() throws IOException;
  }

  /**
   * Logs in, carries out a command, and throws with the exit status of its failure. Commands call
   * this from a class that is not loaded for their help: the exceptions are Hadoop's.
   */
  int run(Action action) {
    try (KeytabLogin keytab = KeytabLogin.of(conf, login)) {
      return action.run();
    } catch (RefusedException | FileNotFoundException | AccessControlException e) {
      throw new CommandException(ExitStatus.USAGE, Reasons.cannot(verb, e));
    } catch (CommandException | ParameterException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Any other status would be a result.
      CommandException unchecked =
          new CommandException(ExitStatus.UNCHECKED, Reasons.cannot(verb, e));
      unchecked.initCause(e);
      throw unchecked;
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Returns the paths, all of the file system of the first one. */
  List<Path> roots(List<String> paths) throws IOException {
    List<Path> roots = new ArrayList<>();
    for (String path : PathArguments.expand(conf, paths)) {
      Path root = new Path(path);
      if (!root.isUriPathAbsolute()) {
        throw usage("Cannot " + verb + " " + path + ": name an absolute path");
      }
      Preflight.requirePlain(root.toUri().getPath(), verb);
      if (!roots.isEmpty() && !uri(root).equals(uri(roots.get(0)))) {
        throw usage(
            "Cannot " + verb + " " + path + ": it is on another file system than the first");
      }
      roots.add(root);
    }
    return roots;
  }

  private URI uri(Path path) {
    URI given = path.toUri();
    return given.getScheme() == null
        ? FileSystem.getDefaultUri(conf)
        : URI.create(given.getScheme() + "://" + given.getRawAuthority());
  }

  /** Returns the directory that an option names. */
  Path directory(String option, String name) {
    Path directory;
    try {
      directory = new Path(name);
    } catch (IllegalArgumentException e) {
      throw usage("Cannot use " + option + "='" + name + "': " + e.getMessage());
    }
    if (!directory.isAbsolute() || directory.toUri().getScheme() != null) {
      throw usage(
          "Cannot use " + option + "=" + name + ": name an absolute path of the file system");
    }
    return directory;
  }

  /** Connects to the file system of a path; the caller closes it. */
  DistributedFileSystem connect(Path path) throws IOException {
    return HdfsConnection.open(conf, path, verb);
  }
}
