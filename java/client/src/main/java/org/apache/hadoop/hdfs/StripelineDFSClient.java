// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoCodec;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileEncryptionInfo;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsCreateModes;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsPathHandle;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.security.token.block.DataEncryptionKey;
import org.apache.hadoop.hdfs.server.namenode.ha.ObserverReadProxyProvider;
import org.apache.hadoop.util.Progressable;
import org.stripeline.client.ClientDefaults;
import org.stripeline.client.PipelineChoice;
import org.stripeline.client.WriteMode;
import org.stripeline.client.metrics.ClientMetrics;
import org.stripeline.client.read.shared.ConnectionKeys;
import org.stripeline.client.read.shared.FetchThreads;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.write.SyncMode;
import org.stripeline.client.write.WriteSettings;

/** Hadoop's client with Stripeline's streams for erasure-coded files. */
class StripelineDFSClient extends DFSClient {
  private static final int SWEPT_MAX = 1000;

  /** A key that not all releases of Hadoop have; the others use the default. */
  private static final String DEFAULTS_VALIDITY = "dfs.client.server-defaults.validity.period.ms";

  private static final long DEFAULTS_VALIDITY_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final PipelineChoice choice;
  private final ReadContext readContext;
  private final StripelineOutputStreams outputs;
  private final SyncRefusal syncRefusal;
  private final boolean syncsDurably;
  private final URI uri;
  private final ConnectionKeys keys;
  private volatile ReplicatedSwitch.Listener switchListener = ReplicatedSwitch.Listener.NONE;

  /**
   * Directories whose leftover temporary files were deleted, the latest ones, and when. Guarded by
   * itself.
   */
  private final Map<String, Long> swept =
      new LinkedHashMap<String, Long>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > SWEPT_MAX;
        }
      };

  /** Open streams that are still reachable. Guarded by itself. */
  private final Set<StripelineInputStream> reading = Collections.newSetFromMap(new WeakHashMap<>());

  private StripelineDFSClient(
      URI uri,
      Configuration conf,
      FileSystem.Statistics statistics,
      ReadContext readContext,
      WriteSettings writeSettings)
      throws IOException {
    super(uri, ClientDefaults.apply(conf), statistics);
    this.choice = PipelineChoice.of(conf);
    this.readContext = readContext;
    this.syncRefusal = new SyncRefusal(writeSettings.sync() == SyncMode.REFUSE);
    this.syncsDurably = writeSettings.sync() == SyncMode.DURABLE;
    this.uri = uri;
    this.keys =
        new ConnectionKeys(
            readContext,
            nameNode(),
            getConfiguration().getLong(DEFAULTS_VALIDITY, DEFAULTS_VALIDITY_MILLIS),
            () -> namenode.getServerDefaults(),
            () -> namenode.getDataEncryptionKey());
    this.outputs =
        choice.write() == WriteMode.STOCK ? null : new StripelineOutputStreams(this, writeSettings);
  }

  /** Creates a client. */
  static StripelineDFSClient create(URI uri, Configuration conf, FileSystem.Statistics statistics)
      throws IOException {
    ReadContext readContext = new ReadContext(conf, String.valueOf(uri.getAuthority()));
    WriteSettings writeSettings = WriteSettings.of(conf);
    ClientMetrics.publish();
    return new StripelineDFSClient(uri, conf, statistics, readContext, writeSettings);
  }

  /** Returns whether NameNodes other than the active one may answer reads. */
  boolean readsFromObservers() {
    String key = HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX + '.' + uri.getHost();
    Class<?> provider = getConfiguration().getClass(key, null);
    return provider != null && ObserverReadProxyProvider.class.isAssignableFrom(provider);
  }

  /** Returns the NameNode or nameservice. */
  String nameNode() {
    return String.valueOf(getCanonicalServiceName());
  }

  ReadContext readContext() {
    return readContext;
  }

  SyncRefusal syncRefusal() {
    return syncRefusal;
  }

  StripelineOutputStreams outputs() {
    return outputs;
  }

  ReplicatedSwitch.Listener switchListener() {
    return switchListener;
  }

  /** For tests: sets what is told of the steps of {@link ReplicatedSwitch}. */
  void setSwitchListener(ReplicatedSwitch.Listener listener) {
    switchListener = listener;
  }

  /**
   * Returns true for a directory whose leftover temporary files this client has not deleted for as
   * long as files must be old to be leftovers.
   *
   * @param now the time of the NameNode in milliseconds
   */
  boolean sweeps(String directory, long now) {
    synchronized (swept) {
      Long before = swept.get(directory);
      if (before != null && now - before <= TemporaryFiles.LEFTOVER_MILLIS) {
        return false;
      }
      swept.put(directory, now);
      return true;
    }
  }

  /** Returns a stream that encrypts with the key of a file, and writes to another stream. */
  CryptoOutputStream cipherOf(FileEncryptionInfo info, OutputStream to) throws IOException {
    KeyProvider.KeyVersion key =
        HdfsKMSUtil.decryptEncryptedDataEncryptionKey(info, getKeyProvider());
    CryptoCodec codec = HdfsKMSUtil.getCryptoCodec(getConfiguration(), info);
    return new CryptoOutputStream(to, codec, key.getMaterial(), info.getIV(), 0);
  }

  /**
   * Recovers a lease as Hadoop does. A last block group that no recovery could complete is removed
   * first ({@link UnrecoverableGroup}). Temporary files of this file are removed, too: a writer
   * that is suspended while its first sync replaces the file could otherwise finish that later, and
   * have the file open again. A call that returns false because the recovery goes on has also
   * removed them: callers may then wait by {@code isFileClosed} instead of calling again.
   */
  @Override
  boolean recoverLease(String src) throws IOException {
    if (!syncsDurably) {
      return super.recoverLease(src);
    }
    HdfsFileStatus before = getFileInfo(src);
    return UnrecoverableGroup.recover(this, src, () -> recoverAndFence(src, before));
  }

  private boolean recoverAndFence(String src, HdfsFileStatus before) throws IOException {
    boolean closed = super.recoverLease(src);
    long inode = before == null ? HdfsConstants.GRANDFATHER_INODE_ID : before.getFileId();
    new TemporaryFiles(this).fence(src, inode);
    try {
      HdfsFileStatus now = isCoded(before) ? getFileInfo(src) : null;
      // The writer replaced it just before; any other new writer keeps its lease.
      return now != null && !isCoded(now) ? super.recoverLease(src) : closed;
    } catch (FileNotFoundException e) {
      // Deleted or renamed in the meantime; Hadoop's client would not have noticed.
      return closed;
    }
  }

  /**
   * Removes the temporary files of an erasure-coded file that was opened for appending: a writer
   * that lost its lease while its first sync replaced the file could otherwise finish that later,
   * without what is appended.
   */
  void fenceForAppend(String src, HdfsFileStatus file) {
    if (syncsDurably && isCoded(file)) {
      new TemporaryFiles(this).fence(src, file.getFileId());
    }
  }

  private static boolean isCoded(HdfsFileStatus file) {
    return file != null && file.getErasureCodingPolicy() != null;
  }

  @Override
  public FsServerDefaults getServerDefaults() throws IOException {
    checkOpen();
    return keys.defaults(
        FetchThreads.isCurrent() || Thread.currentThread() instanceof DataStreamer);
  }

  @Override
  public DataEncryptionKey newDataEncryptionKey() throws IOException {
    return shouldEncryptData() ? keys.key() : null;
  }

  @Override
  public void clearDataEncryptionKey() {
    keys.forgetKey();
  }

  @Override
  public DataEncryptionKey getEncryptionKey() {
    return keys.knownKey();
  }

  /**
   * Returns no empty block groups, and the others with their policy; also input streams get their
   * block locations here.
   */
  @Override
  public LocatedBlocks getLocatedBlocks(String src, long start, long length) throws IOException {
    return CodedGroups.of(super.getLocatedBlocks(src, start, length), start);
  }

  @Override
  public DFSInputStream open(String src, int bufferSize, boolean verifyChecksum)
      throws IOException {
    if (!choice.ourRead()) {
      return super.open(src, bufferSize, verifyChecksum);
    }
    checkOpen();
    return open(getLocatedBlocks(src, 0), src, verifyChecksum);
  }

  @Override
  public DFSInputStream open(HdfsPathHandle handle, int bufferSize, boolean verifyChecksum)
      throws IOException {
    if (!choice.ourRead()) {
      return super.open(handle, bufferSize, verifyChecksum);
    }
    checkOpen();
    String src = handle.getPath();
    HdfsLocatedFileStatus status = getLocatedFileInfo(src, true);
    handle.verify(status);
    return open(CodedGroups.of(status.getLocatedBlocks(), 0), src, verifyChecksum);
  }

  private DFSInputStream open(LocatedBlocks blocks, String src, boolean verifyChecksum)
      throws IOException {
    if (blocks == null) {
      throw new IOException("Cannot open filename " + src);
    }
    ErasureCodingPolicy policy = blocks.getErasureCodingPolicy();
    if (policy == null) {
      return new PlainInputStream(this, src, verifyChecksum, blocks);
    }
    StripelineInputStream in = new StripelineInputStream(this, src, verifyChecksum, policy, blocks);
    synchronized (reading) {
      reading.add(in);
    }
    return in;
  }

  /** Removes a stream that is being closed from the open streams. */
  void forget(StripelineInputStream in) {
    synchronized (reading) {
      reading.remove(in);
    }
  }

  /** Closes the client and releases the resources of streams that are still open. */
  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      List<StripelineInputStream> open;
      synchronized (reading) {
        open = new ArrayList<>(reading);
        reading.clear();
      }
      open.forEach(StripelineInputStream::clientClosed);
    }
  }

  /** Declared here, because HBase looks for it only in the class of the client. */
  @Override
  DFSHedgedReadMetrics getHedgedReadMetrics() {
    return super.getHedgedReadMetrics();
  }

  @Override
  public BlockLocation[] getBlockLocations(String src, long start, long length) throws IOException {
    if (!choice.ourRead()) {
      return super.getBlockLocations(src, start, length);
    }
    checkOpen();
    return WideCellLocations.of(getLocatedBlocks(src, start, length), start, length);
  }

  /**
   * Corrects statuses as {@link WideCellLocations} does, if Stripeline's read pipeline is enabled.
   */
  <T extends LocatedFileStatus> RemoteIterator<T> correct(RemoteIterator<T> all) {
    return choice.ourRead() ? WideCellLocations.correct(all) : all;
  }

  @Override
  public DFSOutputStream create(
      String src,
      FsPermission permission,
      EnumSet<CreateFlag> flag,
      boolean createParent,
      short replication,
      long blockSize,
      Progressable progress,
      int bufferSize,
      ChecksumOpt checksum,
      InetSocketAddress[] favoredNodes,
      String ecPolicy,
      String storagePolicy)
      throws IOException {
    if (outputs == null) {
      return super.create(
          src,
          permission,
          flag,
          createParent,
          replication,
          blockSize,
          progress,
          bufferSize,
          checksum,
          favoredNodes,
          ecPolicy,
          storagePolicy);
    }
    checkOpen();
    FsPermission unmasked = permission == null ? FsPermission.getFileDefault() : permission;
    return outputs.create(
        src,
        FsCreateModes.applyUMask(unmasked, getConf().getUMask()),
        flag,
        createParent,
        replication,
        blockSize,
        progress,
        getConf().createChecksum(checksum),
        names(favoredNodes),
        ecPolicy,
        storagePolicy);
  }

  @Override
  public DFSOutputStream primitiveCreate(
      String src,
      FsPermission permission,
      EnumSet<CreateFlag> flag,
      boolean createParent,
      short replication,
      long blockSize,
      Progressable progress,
      int bufferSize,
      ChecksumOpt checksum)
      throws IOException {
    if (outputs == null) {
      return super.primitiveCreate(
          src,
          permission,
          flag,
          createParent,
          replication,
          blockSize,
          progress,
          bufferSize,
          checksum);
    }
    checkOpen();
    CreateFlag.validate(flag);
    if (flag.contains(CreateFlag.APPEND)) {
      if (getFileInfo(src) != null) {
        return outputs.append(src, flag, progress, null);
      }
      if (!flag.contains(CreateFlag.CREATE)) {
        throw new FileNotFoundException(
            "failed to append to non-existent file " + src + " on client " + clientName);
      }
    }
    return outputs.create(
        src,
        permission,
        flag,
        createParent,
        replication,
        blockSize,
        progress,
        getConf().createChecksum(checksum),
        null,
        null,
        null);
  }

  @Override
  public HdfsDataOutputStream append(
      String src,
      int bufferSize,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      FileSystem.Statistics statistics)
      throws IOException {
    return append(src, bufferSize, flag, progress, statistics, null);
  }

  @Override
  public HdfsDataOutputStream append(
      String src,
      int bufferSize,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      FileSystem.Statistics statistics,
      InetSocketAddress[] favoredNodes)
      throws IOException {
    if (outputs == null) {
      return super.append(src, bufferSize, flag, progress, statistics, favoredNodes);
    }
    checkOpen();
    DFSOutputStream out = outputs.append(src, flag, progress, names(favoredNodes));
    return createWrappedOutputStream(out, statistics, out.getInitialLen());
  }

  private static String[] names(InetSocketAddress[] nodes) {
    if (nodes == null) {
      return null;
    }
    String[] names = new String[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      names[i] = nodes[i].getHostName() + ":" + nodes[i].getPort();
    }
    return names;
  }
}
