// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsConstants;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StripelineHdfs;
import org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.StripelineClients;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.stripeline.client.ClientDefaults;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.PipelineChoice;
import org.stripeline.client.WriteMode;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.write.WriteResources;
import org.stripeline.client.write.WriteSettings;

/**
 * Determines which client pipelines serve erasure-coded files of {@code hdfs://}: creates a file
 * system with Hadoop's API and examines its class.
 */
final class PipelineResolution {
  /** A client can be created without a connection. */
  private static final URI NOWHERE = URI.create("hdfs://127.0.0.1:1");

  private static final String FILE_SYSTEM_KEY = "fs.hdfs.impl";
  private static final String FILE_CONTEXT_KEY = "fs.AbstractFileSystem.hdfs.impl";

  /**
   * If {@link #FILE_SYSTEM_KEY} names a file system with mount points, this key names the class of
   * the mounted file systems.
   */
  private static final String TARGET_KEY =
      String.format(FsConstants.FS_VIEWFS_OVERLOAD_SCHEME_TARGET_FS_IMPL_PATTERN, "hdfs");

  private static final String OURS = "stripeline";
  private static final String STOCK = WriteMode.STOCK.configurationName();

  private final Configuration conf;
  private final DoctorReport report;
  private final DoctorReport.Pipelines result;

  PipelineResolution(Configuration conf, DoctorReport report) {
    this.conf = conf;
    this.report = report;
    this.result = report.pipelines;
  }

  void examine() {
    result.missing.addAll(StripelineClients.missing());
    result.selfCheckPassed = result.missing.isEmpty();
    result.fileSystem.setBy = ConfigurationReader.setBy(conf, FILE_SYSTEM_KEY);
    result.fileContext.setBy = ConfigurationReader.setBy(conf, FILE_CONTEXT_KEY);
    PipelineChoice choice = readSettings();
    examineFileSystem(choice);
    examineFileContext(choice);
    if (isOurs(result.fileSystem) || isOurs(result.fileContext)) {
      result.coders.putAll(CoderResolution.live(ClientDefaults.apply(conf)));
    }
    judge(choice);
    warnOfStockReaders(choice);
  }

  /** Reads all keys of the pipelines in the same way as a client and its first writer. */
  private PipelineChoice readSettings() {
    ClientSettings settings = new ClientSettings(conf);
    PipelineChoice choice = PipelineChoice.of(settings);
    new ReadContext(conf, settings);
    WriteSettings.of(settings);
    WriteResources.of(settings);
    for (String refused : settings.refused()) {
      report.addProblem(
          refused, "correct it in core-site.xml of clients; until then its default applies");
    }
    return choice;
  }

  private void examineFileSystem(PipelineChoice choice) {
    try {
      Configuration own = new Configuration(conf);
      own.setBoolean("fs.hdfs.impl.disable.cache", true);
      try (FileSystem fs = FileSystem.newInstance(NOWHERE, own)) {
        result.fileSystem.type = fs.getClass().getName();
        FileSystem serving = fs;
        if (fs instanceof ViewFileSystemOverloadScheme) {
          serving =
              ((ViewFileSystemOverloadScheme) fs)
                  .getRawFileSystem(new Path(NOWHERE.resolve("/any")), own);
          result.fileSystem.target = serving.getClass().getName();
        }
        boolean ours =
            serving instanceof DistributedFileSystem
                && StripelineClients.isOurs((DistributedFileSystem) serving);
        describe(result.fileSystem, ours, choice);
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      result.fileSystem.type = conf.get(FILE_SYSTEM_KEY);
      report.addProblem(
          "No file system for hdfs:// can be opened: " + RootCause.message(e),
          "correct " + fileSystemKey() + ", or remove " + FILE_SYSTEM_KEY + " to use Hadoop's own");
    }
  }

  /** Returns the key that sets the file system class for files of hdfs://. */
  private String fileSystemKey() {
    String type = conf.getTrimmed(FILE_SYSTEM_KEY);
    return ViewFileSystemOverloadScheme.class.getName().equals(type) ? TARGET_KEY : FILE_SYSTEM_KEY;
  }

  private void examineFileContext(PipelineChoice choice) {
    try {
      Class<?> type = conf.getClass(FILE_CONTEXT_KEY, null);
      result.fileContext.type = type == null ? null : type.getName();
      boolean ours =
          type != null
              && StripelineHdfs.class.isAssignableFrom(type)
              && choice.anyOfOurs()
              && result.selfCheckPassed;
      describe(result.fileContext, ours, choice);
    } catch (RuntimeException | LinkageError e) {
      result.fileContext.type = conf.get(FILE_CONTEXT_KEY);
      report.addProblem(
          "No FileContext for hdfs:// can be opened: " + RootCause.message(e),
          "correct " + FILE_CONTEXT_KEY + ", or remove it to use Hadoop's own");
    }
  }

  private static boolean isOurs(DoctorReport.Pipeline pipeline) {
    return OURS.equals(pipeline.read) || pipeline.write != null && !STOCK.equals(pipeline.write);
  }

  private static void describe(
      DoctorReport.Pipeline pipeline, boolean ours, PipelineChoice choice) {
    pipeline.read = ours && choice.ourRead() ? OURS : STOCK;
    pipeline.write = ours ? choice.write().configurationName() : STOCK;
  }

  /** Reports settings that have no effect. */
  private void judge(PipelineChoice choice) {
    String our = StripelineFileSystem.class.getName();
    boolean fileSystem = our.equals(result.fileSystem.type) || our.equals(result.fileSystem.target);
    boolean fileContext = StripelineHdfs.class.getName().equals(result.fileContext.type);
    if ((fileSystem || fileContext) && choice.anyOfOurs() && !result.selfCheckPassed) {
      report.addProblem(
          "Hadoop's own pipelines serve all files: this Hadoop lacks " + result.missing,
          "use a release of Hadoop that Stripeline supports, or remove " + FILE_SYSTEM_KEY);
    }
    if (fileSystem && !fileContext) {
      wantTwin("FileContext", FILE_CONTEXT_KEY, StripelineHdfs.class);
    } else if (fileContext && !fileSystem) {
      wantTwin("FileSystem", fileSystemKey(), StripelineFileSystem.class);
    } else if (!fileSystem && !conf.getPropsWithPrefix("stripeline.client.").isEmpty()) {
      report.addProblem(
          "Keys stripeline.client.* are set and have no effect: "
              + fileSystemKey()
              + " does not name our file system",
          remedy(fileSystemKey(), StripelineFileSystem.class));
    }
    if (!fileSystem && our.equals(conf.getTrimmed(TARGET_KEY))) {
      report.addProblem(
          TARGET_KEY
              + " names our file system and has no effect: "
              + FILE_SYSTEM_KEY
              + " is "
              + result.fileSystem.type,
          "set "
              + FILE_SYSTEM_KEY
              + " to "
              + ViewFileSystemOverloadScheme.class.getName()
              + ", or to "
              + our
              + " if mount points are not needed");
    }
  }

  /** Warns of a defect that all supported releases of Hadoop have in their reader. */
  private void warnOfStockReaders(PipelineChoice choice) {
    boolean fileSystem = STOCK.equals(result.fileSystem.read);
    boolean fileContext = STOCK.equals(result.fileContext.read);
    boolean named = isNamed() || isNamedTarget();
    // If the self-check failed, that is a problem by itself.
    if (!fileSystem && !fileContext || named && !result.selfCheckPassed) {
      return;
    }
    boolean disabled = named && !choice.ourRead();
    report.addWarning(
        "Programs that use "
            + (fileSystem
                ? fileContext ? "FileSystem or FileContext" : "FileSystem"
                : "FileContext")
            + " read erasure-coded files through Hadoop's own client, which can return wrong bytes,"
            + " without an exception, from a large positional read when a block of the file fails"
            + " part-way through",
        disabled
            ? "set " + ClientKeys.READ_ENABLED + " to true in core-site.xml of clients"
            : (fileSystem
                    ? remedy(fileSystemKey(), StripelineFileSystem.class)
                    : remedy(FILE_CONTEXT_KEY, StripelineHdfs.class))
                + (fileSystem && fileContext ? ", and " + FILE_CONTEXT_KEY + " likewise" : "")
                + "; DataNodes and NameNodes do not need it (install.md, The client pipelines)");
  }

  private boolean isNamed() {
    return StripelineFileSystem.class.getName().equals(result.fileSystem.type)
        || StripelineHdfs.class.getName().equals(result.fileContext.type);
  }

  private boolean isNamedTarget() {
    return StripelineFileSystem.class.getName().equals(result.fileSystem.target);
  }

  private void wantTwin(String api, String key, Class<?> type) {
    report.addProblem(
        "Programs that use "
            + api
            + " use Hadoop's own pipelines: "
            + key
            + " does not name our class",
        remedy(key, type));
  }

  private static String remedy(String key, Class<?> type) {
    return "set in core-site.xml of clients: <property><name>"
        + key
        + "</name><value>"
        + type.getName()
        + "</value></property>";
  }
}
