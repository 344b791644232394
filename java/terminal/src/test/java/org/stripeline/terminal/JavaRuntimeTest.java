// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class JavaRuntimeTest {
  @Test
  void releasesAreReadInBothForms() {
    assertThat(JavaRuntime.feature("1.8")).isEqualTo(8);
    assertThat(JavaRuntime.feature("17")).isEqualTo(17);
  }

  @Test
  void everyReleaseGetsOnlyArgumentsThatItKnows() {
    assertThat(JavaRuntime.hadoopArguments(8)).isEmpty();
    assertThat(JavaRuntime.hadoopArguments(17))
        .isNotEmpty()
        .allMatch(argument -> argument.startsWith("--add-opens="));
    assertThat(JavaRuntime.hadoopArguments(21)).contains("-Djava.security.manager=allow");
    assertThat(JavaRuntime.hadoopArguments(25))
        .contains("--enable-native-access=ALL-UNNAMED")
        .doesNotContain("-Djava.security.manager=allow");
  }

  @Test
  void childrenGetOnlyTheLimitOfCompilers() {
    assertThat(
            JavaRuntime.compilerArguments(
                Arrays.asList("-Xmx1g", "-XX:TieredStopAtLevel=1", "-Da=b")))
        .containsExactly("-XX:TieredStopAtLevel=1");
  }

  @Test
  void aReleaseThatHadoopCannotRunOnIsExplained() {
    assertThat(JavaRuntime.hadoopObstacle("3.4.2", 17)).isEmpty();
    assertThat(JavaRuntime.hadoopObstacle("3.5.0", 25)).isEmpty();
    assertThat(JavaRuntime.hadoopObstacle("3.4.2", 25).get())
        .contains("Hadoop 3.4.2 cannot run on Java 25")
        .contains("set JAVA_HOME");
  }
}
