// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.stripeline.lab.cluster.ClusterStatus.DataNodeStatus;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stripeline cluster}: runs a real HDFS on this machine, for evaluation and for tests. */
@Command(
    name = "cluster",
    description = "Run a real HDFS on this machine, and stop, start or add DataNodes.",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExample:%n",
    footer = {
      "  stripeline cluster start --dir=/data/hdfs --datanodes=9 --racks=3",
      "  export HADOOP_CONF_DIR=/data/hdfs/conf-stripeline",
      "  stripeline hdfs dfs -ls /",
      "  stripeline cluster stop --dir=/data/hdfs"
    })
public final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Cannot run cluster: name a command, such as start");
  }

  /** The options of every command on a cluster. */
  static final class Target {
    @Option(
        names = "--dir",
        required = true,
        paramLabel = "DIR",
        description = "Directory of the cluster: its blocks, configuration and log")
    Path directory;

    ClusterProcess running() throws IOException {
      Optional<ClusterProcess> found = ClusterProcess.find(directory);
      if (!found.isPresent()) {
        throw new ClusterException(
            "Cannot reach cluster: none runs in "
                + directory.toAbsolutePath().normalize()
                + "; start it with 'stripeline cluster start --dir="
                + directory
                + "'");
      }
      return found.get();
    }
  }

  @Command(
      name = "start",
      mixinStandardHelpOptions = true,
      description = {
        "Start an HDFS in the background.",
        "",
        "A NameNode and DataNodes in one process, with our coder configured. All servers listen on"
            + " loopback addresses only. In a new cluster, all built-in erasure coding policies are"
            + " enabled; later starts keep its files and policies as they are.",
        "",
        "Writes two directories for HADOOP_CONF_DIR: with conf-stripeline, clients read and write"
            + " with our pipelines, which need our jar on the class path ('stripeline hdfs' has"
            + " it); conf is for Hadoop's own client, which uses our coder if it finds the jar.",
        "",
        "If the directory holds a cluster already, DataNodes, racks and ports that are not given"
            + " keep their values; --set, --fast-recovery and --heap-mib are for one start."
      })
  int start(
      @Mixin Target target,
      @Option(
              names = "--datanodes",
              paramLabel = "COUNT",
              description = "DataNodes (new cluster: 9)")
          Integer datanodes,
      @Option(
              names = "--racks",
              paramLabel = "COUNT|PATHS",
              description =
                  "Racks: a number, or the rack path of each DataNode in order, such as /a,/a,/b"
                      + " (new cluster: 3)")
          String racks,
      @Option(
              names = "--port",
              paramLabel = "PORT",
              description =
                  "Port of the NameNode (new cluster: any free port, kept by later starts)")
          Integer port,
      @Option(
              names = "--web-port",
              paramLabel = "PORT",
              description =
                  "Port of the NameNode's web pages (new cluster: any free port, kept by later"
                      + " starts)")
          Integer webPort,
      @Option(
              names = "--heap-mib",
              paramLabel = "MIB",
              defaultValue = "" + ClusterOptions.HEAP_MIB_DEFAULT,
              description = "Java heap of the cluster's process (default: ${DEFAULT-VALUE})")
          int heapMib,
      @Option(
              names = "--fast-recovery",
              description =
                  "Detect a lost DataNode after 12 to 17 seconds instead of 10.5 minutes, and start"
                      + " to rebuild its blocks immediately")
          boolean fastRecovery,
      @Option(
              names = "--set",
              paramLabel = "KEY=VALUE",
              description = "Hadoop setting of the NameNode and DataNodes; may be repeated")
          Map<String, String> settings,
      @Mixin OutputOptions output)
      throws IOException {
    ClusterOptions.Builder options = ClusterOptions.builder();
    try {
      options.heapMib(heapMib);
      Optional.ofNullable(datanodes).ifPresent(options::datanodes);
      Optional.ofNullable(port).ifPresent(options::port);
      Optional.ofNullable(webPort).ifPresent(options::webPort);
      Optional.ofNullable(racks).ifPresent(value -> setRacks(options, value));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (fastRecovery) {
      options.fastRecovery(ClusterOptions.FastRecovery.FAST);
    }
    Optional.ofNullable(settings).orElseGet(LinkedHashMap::new).forEach(options::setting);

    ClusterOptions wanted = options.build();
    new ClusterDirectory(target.directory).requireSpace(wanted.settings());
    PrintWriter err = spec.commandLine().getErr();
    err.println("Starting HDFS in " + target.directory.toAbsolutePath().normalize() + " ...");
    err.flush();
    ClusterProcess cluster = ClusterProcess.start(target.directory, wanted);
    if (cluster.origin() == ClusterProcess.Origin.FOUND) {
      err.println("Already running as process " + cluster.pid() + ".");
      err.flush();
    }
    print(cluster.client().status(), output);
    return ExitStatus.SOUND;
  }

  private static void setRacks(ClusterOptions.Builder options, String value) {
    if (value.matches("[0-9]{1,4}")) {
      options.racks(Integer.parseInt(value));
    } else {
      options.racks(Arrays.asList(value.split(",", -1)));
    }
  }

  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = {
        "Show whether a cluster runs, its addresses and its DataNodes.",
        "",
        "Exit status 0 if it runs with all DataNodes, 1 if it is stopped or a DataNode is down,"
            + " 3 if it runs but does not answer, or its state cannot be read."
      })
  int status(@Mixin Target target, @Mixin OutputOptions output) throws IOException {
    ClusterStatus status;
    try {
      status = ClusterProcess.status(target.directory);
    } catch (ClusterException e) {
      throw new CommandException(ExitStatus.UNCHECKED, e.getMessage());
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.UNCHECKED, "Cannot read the state of the cluster: " + e);
    }
    print(status, output);
    boolean sound =
        status.running && status.datanodes.stream().allMatch(node -> node.running && node.live);
    return sound ? ExitStatus.SOUND : ExitStatus.FAILED;
  }

  @Command(
      name = "stop",
      mixinStandardHelpOptions = true,
      description = "Stop a cluster and keep its files.")
  int stop(@Mixin Target target) throws IOException {
    Optional<ClusterProcess> running = ClusterProcess.find(target.directory);
    PrintWriter err = spec.commandLine().getErr();
    if (running.isPresent()) {
      running.get().stop();
      err.println("Stopped process " + running.get().pid() + ".");
    } else {
      err.println("No cluster runs in " + target.directory.toAbsolutePath().normalize() + ".");
    }
    err.flush();
    return ExitStatus.SOUND;
  }

  @Command(
      name = "stop-datanode",
      mixinStandardHelpOptions = true,
      description = "Stop DataNodes: their blocks can no longer be read.")
  int stopDataNode(
      @Mixin Target target,
      @Parameters(paramLabel = "ID", arity = "1..*", description = "dn1, dn2 ...") String[] ids,
      @Option(
              names = "--expire",
              description =
                  "Make the NameNode consider them dead immediately, so that rebuilding begins"
                      + " within about 5 seconds")
          boolean expire)
      throws IOException {
    ClusterClient client = target.running().client();
    // Those that are stopped already can still expire.
    List<DataNodeStatus> before =
        expire ? client.status().datanodes : Collections.<DataNodeStatus>emptyList();
    for (String id : ids) {
      if (before.stream().noneMatch(node -> node.id.equals(id) && !node.running)) {
        client.stopDataNode(id);
      }
    }
    // Once one is dead, the NameNode assigns work to all others that it considers alive.
    for (String id : expire ? ids : new String[0]) {
      client.expireDataNode(id);
    }
    return ExitStatus.SOUND;
  }

  @Command(
      name = "start-datanode",
      mixinStandardHelpOptions = true,
      description = "Start stopped DataNodes again with their blocks.")
  int startDataNode(
      @Mixin Target target,
      @Parameters(paramLabel = "ID", arity = "1..*", description = "dn1, dn2 ...") String[] ids)
      throws IOException {
    ClusterProcess cluster = target.running();
    for (String id : ids) {
      cluster.client().startDataNode(id);
    }
    return ExitStatus.SOUND;
  }

  @Command(
      name = "add-datanode",
      mixinStandardHelpOptions = true,
      description = "Add an empty DataNode permanently, and print its name.")
  int addDataNode(@Mixin Target target) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    out.println(target.running().client().addDataNode());
    out.flush();
    return ExitStatus.SOUND;
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = {
        "Set a Hadoop key on all running DataNodes.",
        "",
        "The setting is lost when the cluster stops.",
        "Each task that rebuilds blocks creates its coder, so this command switches coders:",
        "  stripeline cluster set --dir=DIR io.erasurecode.codec.rs.rawcoders=rs_java"
      })
  int set(
      @Mixin Target target,
      @Parameters(paramLabel = "KEY=VALUE", arity = "1..*", description = "Key and value")
          Map<String, String> settings)
      throws IOException {
    ClusterProcess cluster = target.running();
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      cluster.client().set(setting.getKey(), setting.getValue());
    }
    return ExitStatus.SOUND;
  }

  private void print(ClusterStatus status, OutputOptions output) {
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      OutputOptions.printJson(out, status);
      return;
    }
    out.println(
        "state                 "
            + (status.running ? "running as process " + status.pid : "stopped")
            + (status.safeMode ? ", in safe mode" : ""));
    out.println("address               " + status.uri);
    out.println("web                   " + status.web);
    out.println("client configuration  " + status.clientConfiguration);
    out.println("with our pipelines    " + status.stripelineConfiguration);
    out.println("log                   " + status.log);
    if (status.running) {
      out.println(
          "versions              Hadoop " + status.hadoopVersion + ", Java " + status.javaVersion);
      out.println();
      TextTable table = new TextTable("datanode", "state", "rack", "address", "blocks").left(4);
      for (DataNodeStatus node : status.datanodes) {
        String state = node.running ? node.live ? "live" : "joining" : node.live ? "lost" : "dead";
        String address = node.address == null ? "-" : node.address;
        table.row(node.id, state, node.rack, address, String.valueOf(node.blocks));
      }
      out.print(table.render());
      out.println();
      out.println("Use it with: export HADOOP_CONF_DIR=" + status.stripelineConfiguration);
      out.println("Then try:    stripeline hdfs dfs -ls /");
      out.println("For a Hadoop without our jar use " + status.clientConfiguration + " instead.");
    }
    out.flush();
  }
}
