// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.terminal.ExitStatus;

/** Runs of benches in a network of their own, if this user may create one. */
public final class RecordedBench {
  private RecordedBench() {}

  /**
   * Runs the quick form of a bench, and requires that nothing fails and nothing is left.
   *
   * @param directory where it works, and where the record is, in the directory {@code record}
   * @param name the name of the bench and of its record
   * @return the report in the record
   */
  public static <R extends ClusterBenchReport> R run(
      Path directory, String name, Class<R> type, String... options) throws Exception {
    String obstacle = PrivateNetwork.obstacle();
    assumeTrue(obstacle == null, obstacle);
    Path work = directory.resolve("work");
    Path record = directory.resolve("record");
    List<String> arguments = new ArrayList<>(Arrays.asList("bench", name, "--quick"));
    arguments.addAll(Arrays.asList(options));
    arguments.addAll(Arrays.asList("--dir=" + work, "--record=" + record));

    assertThat(PrivateNetwork.run(LabMain.class, arguments)).isEqualTo(ExitStatus.SOUND);

    assertThat(work).doesNotExist();
    R report = new Gson().fromJson(Files.readString(record.resolve(name + ".json")), type);
    assertThat(report.failures).isEmpty();
    return report;
  }
}
