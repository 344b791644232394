// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineFactsTest {
  @TempDir Path temporary;

  @Test
  void readsBothFamiliesOfProcessors() throws Exception {
    DoctorReport.Machine intel = new DoctorReport.Machine();
    MachineFacts.readProcessor(
        file("processor\t: 0\nmodel name\t: Example CPU\nflags\t\t: fpu ssse3 avx2 gfni\n"), intel);
    assertThat(intel.processor).isEqualTo("Example CPU");
    assertThat(intel.features).containsExactly("ssse3", "avx2", "gfni");

    DoctorReport.Machine arm = new DoctorReport.Machine();
    MachineFacts.readProcessor(file("processor\t: 0\nFeatures\t: fp asimd pmull crc32\n"), arm);
    assertThat(arm.processor).isNull();
    assertThat(arm.features).containsExactly("asimd", "pmull", "crc32");
  }

  @Test
  void anAbsentFileLeavesTheFactsUnknown() {
    DoctorReport.Machine machine = new DoctorReport.Machine();
    MachineFacts.readProcessor(temporary.resolve("none"), machine);
    assertThat(machine.features).isEmpty();
  }

  @Test
  void theTemporaryDirectoryIsTestedAndLeftEmpty() throws Exception {
    assertThat(TemporaryDirectory.mayExecute(temporary)).isTrue();
    assertThat(temporary.toFile().list()).isEmpty();
  }

  private Path file(String content) throws Exception {
    return Files.write(temporary.resolve("cpuinfo"), content.getBytes());
  }
}
