// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.convert.namenode.ServerSettings;
import org.stripeline.lab.bench.RailReport;

/** The findings of {@code stripeline doctor}; the field names are those of the JSON output. */
public final class DoctorReport {
  /** Release and location of Stripeline. */
  public final Software stripeline = new Software();

  /** Release and location of Hadoop. */
  public final Hadoop hadoop = new Hadoop();

  /** Release and location of Java. */
  public final Software java = new Software();

  /** The options of this JVM and of DataNodes that affect our code. */
  public final Options options = new Options();

  /** The machine. */
  public final Machine machine = new Machine();

  /** How programs load our jar, and problems with it. */
  public final Loading loading = new Loading();

  /** Our native library. */
  public final Library library = new Library();

  /** Hadoop's configuration. */
  public final HadoopConfiguration configuration = new HadoopConfiguration();

  /** The client pipelines that serve erasure-coded files of HDFS. */
  public final Pipelines pipelines = new Pipelines();

  /** The rails and their rough rates; null without the native library. */
  public RailReport rails;

  /** Each erasure code with its coders. */
  public final List<Codec> codecs = new ArrayList<>();

  /** The NameNodes of the cluster; null if they were not queried. */
  public Cluster cluster;

  /** The self-test of the coders. */
  public final SelfTest selfTest = new SelfTest();

  /** The problems found, in the order of the examination; empty if there are none. */
  public final List<Problem> problems = new ArrayList<>();

  /** What works, but should be changed or known; empty if there is nothing. */
  public final List<Problem> warnings = new ArrayList<>();

  /** What could not be checked, with the reasons; empty if everything was. */
  public final List<Problem> unchecked = new ArrayList<>();

  /** A program and its location. */
  public static class Software {
    /** Release. */
    public String version;

    /** File or directory; null if unknown. */
    public String location;
  }

  /** Hadoop. */
  public static final class Hadoop extends Software {
    /** Our jar where an installed Hadoop finds it without further settings; null if it does not. */
    public String stripelineJar;
  }

  /** Options of Java that affect our code. */
  public static final class Options {
    /** Those of this JVM, which has the properties of HADOOP_OPTS and hadoop-env.sh. */
    public final List<String> inUse = new ArrayList<>();

    /** Those in HDFS_DATANODE_OPTS, which only DataNodes have. */
    public final List<String> dataNodes = new ArrayList<>();
  }

  /** How programs load our jar, as far as configuration files show. */
  public static final class Loading {
    /** The configuration files that were read, of programs that load jars. */
    public final List<String> files = new ArrayList<>();

    /** Their settings for class paths and class loaders. */
    public final List<String> settings = new ArrayList<>();

    /** Settings that cannot be examined from here. */
    public final List<String> unseen = new ArrayList<>();
  }

  /** The machine. */
  public static final class Machine {
    /** Operating system and its release. */
    public String system;

    /** Architecture as Java names it. */
    public String architecture;

    /** The C library and its release; null if it is not glibc. */
    public String glibc;

    /** Name of the processor; null if unknown. */
    public String processor;

    /** Number of processors available to Java. */
    public int processors;

    /** Instruction sets of the processor that the kernels can use. */
    public List<String> features = new ArrayList<>();
  }

  /** Our native library. */
  public static final class Library {
    /** Whether it is loaded; otherwise the pure Java coder is used. */
    public boolean loaded;

    /** Its origin: path, library-path or jar; null if not loaded. */
    public String source;

    /** The file that was loaded; null when not loaded. */
    public String file;

    /** Release of the library; null when not loaded. */
    public String version;

    /** Instruction set of its kernels; null when not loaded. */
    public String instructionSet;

    /** How the instruction set was selected; null if not loaded. */
    public String selection;

    /** Why it is not loaded; null when it is. */
    public String cause;

    /** The directory into which it is unpacked if it comes from the jar. */
    public String temporaryDirectory;

    /** Whether programs may be executed from that directory; null if this could not be tested. */
    public Boolean temporaryDirectoryExecutable;
  }

  /** Hadoop's configuration. */
  public static final class HadoopConfiguration {
    /** HADOOP_CONF_DIR; null when it is not set. */
    public String directory;

    /** Site files that are in effect. */
    public List<String> files = new ArrayList<>();
  }

  /** The client pipelines. */
  public static final class Pipelines {
    /** Those of programs that use FileSystem. */
    public final Pipeline fileSystem = new Pipeline();

    /** Those of programs that use FileContext. */
    public final Pipeline fileContext = new Pipeline();

    /** Whether this Hadoop has everything that our pipelines depend on. */
    public boolean selfCheckPassed;

    /** What is missing. */
    public final List<String> missing = new ArrayList<>();

    /** The coder that our pipelines use, by codec; empty if all pipelines are stock. */
    public final Map<String, String> coders = new TreeMap<>();
  }

  /** The pipelines of one of Hadoop's client APIs. */
  public static final class Pipeline {
    /** Class that serves hdfs://. */
    public String type;

    /**
     * Class that serves the mounted file systems if the class above only has mount points; null
     * otherwise.
     */
    public String target;

    /** The file that sets the class; null if it is not set. */
    public String setBy;

    /** The reader: stripeline or stock; null if no file system can be opened. */
    public String read;

    /** The writer: stock or one of our modes; null if no file system can be opened. */
    public String write;
  }

  /** One erasure code. */
  public static final class Codec {
    /** Name: rs, rs-legacy or xor. */
    public String codec;

    /** The key that sets the order of its coders. */
    public String key;

    /** Value of the key; null when it is not set. */
    public String value;

    /** The file that sets the key; null if it is not set. */
    public String setBy;

    /** Name of the coder that Hadoop uses; null if none works. */
    public String live;

    /** All coders: first those that Hadoop tries, in its order, then those that it never tries. */
    public List<Coder> coders = new ArrayList<>();
  }

  /** One coder of an erasure code. */
  public static final class Coder {
    /** Name. */
    public String name;

    /** Class of the factory; null if no class provides the name. */
    public String factory;

    /** live, works, fails, skipped, unknown or not configured. */
    public String state;

    /** Why it fails or is skipped; null otherwise. */
    public String reason;
  }

  /** The NameNodes of the cluster and the policies that they must accept. */
  public static final class Cluster {
    /** URI of the file system. */
    public String fileSystem;

    /** The added policy with the largest cells, and its state; null if none was added. */
    public String largestPolicy;

    /** Cell size of that policy in bytes; 0 if none was added. */
    public int largestCellBytes;

    /** All NameNodes, and the SecondaryNameNode if one is configured. */
    public final List<NameNode> nameNodes = new ArrayList<>();

    /** Their settings, for bug reports only. */
    transient List<ServerSettings> servers = new ArrayList<>();

    /** The live DataNodes; null if the NameNode did not list them. */
    public List<DataNode> dataNodes;

    /** The results over all DataNodes and NameNodes. */
    public final List<Check> checks = new ArrayList<>();
  }

  /** One result over several servers. */
  public static final class Check {
    /** What was checked. */
    public final String name;

    /** OK, WARNING, FAILED or NOT ASKED. */
    public final String state;

    /** The result. */
    public final String text;

    /** What to do; null if it is OK. */
    public final String remedy;

    /** All servers that the result names; empty if it is about all. */
    public final List<String> servers;

    Check(String name, String state, String text, String remedy, List<String> servers) {
      this.name = name;
      this.state = state;
      this.text = text;
      this.remedy = remedy;
      this.servers = servers;
    }
  }

  /** A live DataNode, with what it and the NameNode reported. */
  public static final class DataNode {
    /** Host and port of data transfers. */
    public String name;

    /** Address of its web server. */
    public String address;

    /** Why it could not be asked; null if it answered. */
    public String reason;

    /** Version of its agent, an empty string if it has none; null if unknown. */
    public String agent;

    /** Coder in use: native or java; null if unknown. */
    public String coder;

    /** Instruction set of its kernels; null if unknown. */
    public String kernels;

    /** Why it codes in Java; null if it does not, or if that is unknown. */
    public String fallbackCause;

    /** Its value of io.erasurecode.codec.rs.rawcoders; null if unknown. */
    public String rawCoders;

    /** Bytes of its disks. */
    public long capacityBytes;

    /** Bytes that HDFS may still use. */
    public long remainingBytes;

    /** Its clock minus that of this machine in milliseconds, to a second; null if unknown. */
    public Long clockAheadMillis;

    /** Our JMX beans, for bug reports only. */
    transient String beans;

    /** Its UUID, null if the user may not list DataNodes. */
    transient String uuid;

    /** As the NameNode listed it, null if the user may not list DataNodes. */
    transient DatanodeInfo info;

    /** Returns a copy without answers. */
    DataNode unasked() {
      DataNode copy = new DataNode();
      copy.name = name;
      copy.address = address;
      copy.capacityBytes = capacityBytes;
      copy.remainingBytes = remainingBytes;
      copy.uuid = uuid;
      copy.info = info;
      return copy;
    }
  }

  /** A NameNode. */
  public static final class NameNode {
    /** Role, id and address. */
    public String name;

    /** Maximum cell size in bytes that it accepts; 0 if it could not be queried. */
    public int cellBytesMax;

    /** OK, NOT ENOUGH or NOT ASKED. */
    public String state;

    /** Why it is not OK; null otherwise. */
    public String reason;
  }

  /** The self-test of the coders. */
  public static final class SelfTest {
    /** Number of known answers compared. */
    public int knownAnswers;

    /** Number of erasure patterns decoded. */
    public int patterns;

    /** Number of comparisons with Hadoop's own Java coders. */
    public int comparisons;

    /** Wrong results. */
    public List<String> failures = new ArrayList<>();
  }

  /** A problem and its remedy. */
  public static final class Problem {
    /** The problem. */
    public String text;

    /** The remedy. */
    public String remedy;

    Problem(String text, String remedy) {
      this.text = text;
      this.remedy = remedy;
    }
  }

  void addProblem(String text, String remedy) {
    problems.add(new Problem(text, remedy));
  }

  void addWarning(String text, String remedy) {
    warnings.add(new Problem(text, remedy));
  }

  void addUnchecked(String text, String remedy) {
    unchecked.add(new Problem(text, remedy));
  }
}
