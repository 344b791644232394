// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.stripeline.cli.rails.RailReport;

/** What {@code stripeline doctor} found; the field names are those of the JSON output. */
public final class DoctorReport {
  /** Release and place of Stripeline. */
  public final Software stripeline = new Software();

  /** Release and place of Hadoop. */
  public final Hadoop hadoop = new Hadoop();

  /** Release and place of Java. */
  public final Software java = new Software();

  /** The machine. */
  public final Machine machine = new Machine();

  /** What loads our jar, or fails to. */
  public final Loading loading = new Loading();

  /** Our native library. */
  public final Library library = new Library();

  /** Hadoop's configuration. */
  public final HadoopConfiguration configuration = new HadoopConfiguration();

  /** What serves erasure-coded files of HDFS. */
  public final Pipelines pipelines = new Pipelines();

  /** Coders on devices, in or out, roughly measured; null without the native library. */
  public RailReport rails;

  /** Each erasure code with its coders. */
  public final List<Codec> codecs = new ArrayList<>();

  /** The NameNodes of the cluster; null when they were not asked. */
  public Cluster cluster;

  /** What was computed to see that the coders are right. */
  public final SelfTest selfTest = new SelfTest();

  /** What is wrong, the worst first; empty when all is sound. */
  public final List<Problem> problems = new ArrayList<>();

  /** A program and where it lies. */
  public static class Software {
    /** Release. */
    public String version;

    /** File or directory; null when unknown. */
    public String location;
  }

  /** Hadoop. */
  public static final class Hadoop extends Software {
    /** Our jar where an installed Hadoop finds it by itself; null when it does not. */
    public String stripelineJar;
  }

  /** How programs come by our jar, as far as configuration files tell. */
  public static final class Loading {
    /** Configuration files of programs that load jars, as far as they are here. */
    public final List<String> files = new ArrayList<>();

    /** What these say about class paths and class loaders. */
    public final List<String> settings = new ArrayList<>();

    /** What cannot be seen from here. */
    public final List<String> unseen = new ArrayList<>();
  }

  /** The machine. */
  public static final class Machine {
    /** Operating system and its release. */
    public String system;

    /** Architecture as Java names it. */
    public String architecture;

    /** The C library and its release; null when it is not glibc. */
    public String glibc;

    /** Processor by its own name; null when it tells none. */
    public String processor;

    /** Processors that Java may use. */
    public int processors;

    /** Instruction sets that matter to the kernels and that the processor has. */
    public List<String> features = new ArrayList<>();
  }

  /** Our native library. */
  public static final class Library {
    /** Whether it is loaded; otherwise pure Java codes. */
    public boolean loaded;

    /** Where it came from: path, library-path or jar; null when not loaded. */
    public String source;

    /** The file that was loaded; null when not loaded. */
    public String file;

    /** Release of the library; null when not loaded. */
    public String version;

    /** Instruction set of its kernels; null when not loaded. */
    public String instructionSet;

    /** How that was chosen; null when not loaded. */
    public String selection;

    /** Why it is not loaded; null when it is. */
    public String cause;

    /** Where it is unpacked when it comes from the jar. */
    public String temporaryDirectory;

    /** Whether programs may run from there; null when that could not be tried. */
    public Boolean temporaryDirectoryExecutable;
  }

  /** Hadoop's configuration. */
  public static final class HadoopConfiguration {
    /** HADOOP_CONF_DIR; null when it is not set. */
    public String directory;

    /** Site files that are in force. */
    public List<String> files = new ArrayList<>();
  }

  /** The client pipelines. */
  public static final class Pipelines {
    /** Those of programs that use FileSystem. */
    public final Pipeline fileSystem = new Pipeline();

    /** Those of programs that use FileContext. */
    public final Pipeline fileContext = new Pipeline();

    /** Whether this Hadoop has all that our pipelines rest on. */
    public boolean selfCheckPassed;

    /** What it lacks. */
    public final List<String> missing = new ArrayList<>();

    /** With which coder ours code, by codec; empty where all is stock. */
    public final Map<String, String> coders = new TreeMap<>();
  }

  /** The pipelines of one of Hadoop's interfaces. */
  public static final class Pipeline {
    /** Class that serves hdfs://. */
    public String type;

    /**
     * Class that serves what is mounted, where the class above only has mount points; else null.
     */
    public String target;

    /** Where it is set; null when it is not. */
    public String setBy;

    /** What reads: stripeline or stock; null when nothing can be opened. */
    public String read;

    /** How files are written: stock or a mode of ours; null when nothing can be opened. */
    public String write;
  }

  /** One erasure code. */
  public static final class Codec {
    /** Name: rs, rs-legacy or xor. */
    public String codec;

    /** The key that orders its coders. */
    public String key;

    /** Value of the key; null when it is not set. */
    public String value;

    /** Where the key is set; null when it is not set. */
    public String setBy;

    /** Name of the coder that Hadoop uses; null when none works. */
    public String live;

    /** Every coder in the order in which Hadoop tries them, then those that it never tries. */
    public List<Coder> coders = new ArrayList<>();
  }

  /** One coder of an erasure code. */
  public static final class Coder {
    /** Name. */
    public String name;

    /** Class of the factory; null when no class offers the name. */
    public String factory;

    /** live, works, fails, skipped, unknown or not configured. */
    public String state;

    /** Why it fails or is skipped; null otherwise. */
    public String reason;
  }

  /** The NameNodes of the cluster and the policies that they have to accept. */
  public static final class Cluster {
    /** URI of the file system. */
    public String fileSystem;

    /** The added policy with the largest cells, and its state; null when none was added. */
    public String largestPolicy;

    /** Bytes of its cells; 0 when none was added. */
    public int largestCellBytes;

    /** Every NameNode, and a SecondaryNameNode that is configured. */
    public final List<NameNode> nameNodes = new ArrayList<>();
  }

  /** A NameNode. */
  public static final class NameNode {
    /** Role, id and address. */
    public String name;

    /** Most bytes of a cell that it accepts; 0 when it could not be asked. */
    public int cellBytesMax;

    /** OK, NOT ENOUGH or NOT ASKED. */
    public String state;

    /** Why it is not OK; null otherwise. */
    public String reason;
  }

  /** What was computed to see that the coders are right. */
  public static final class SelfTest {
    /** Known answers compared. */
    public int knownAnswers;

    /** Patterns of lost units that were decoded. */
    public int patterns;

    /** Comparisons with Hadoop's own Java coders. */
    public int comparisons;

    /** Results that were wrong. */
    public List<String> failures = new ArrayList<>();
  }

  /** Something wrong and the way out of it. */
  public static final class Problem {
    /** What is wrong. */
    public String text;

    /** What to do. */
    public String remedy;

    Problem(String text, String remedy) {
      this.text = text;
      this.remedy = remedy;
    }
  }

  void addProblem(String text, String remedy) {
    problems.add(new Problem(text, remedy));
  }
}
