// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.NSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.QuotaByStorageTypeExceededException;
import org.apache.hadoop.hdfs.protocol.SnapshotAccessControlException;
import org.apache.hadoop.hdfs.protocol.UnresolvedPathException;
import org.apache.hadoop.hdfs.server.namenode.RetryStartFileException;
import org.apache.hadoop.hdfs.server.namenode.SafeModeException;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.tracing.TraceScope;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.Time;
import org.stripeline.client.write.SyncMode;
import org.stripeline.client.write.WriteSettings;

/**
 * Opens files for writing: Hadoop's own stream for replicated files, Stripeline's for striped
 * files. Hadoop selects the stream class in a static method, after the call to the NameNode; this
 * class therefore makes that call itself.
 */
final class StripelineOutputStreams {
  private static final long APPEND_RETRY_MILLIS = 5000;
  private static final long APPEND_PAUSE_MILLIS = 500;

  /**
   * Held while a stream is constructed: Hadoop's constructor takes a cell for each unit from a pool
   * that keeps all it ever had, and ours returns them, so that streams use the same cells.
   */
  private static final Object CONSTRUCTION = new Object();

  private final StripelineDFSClient client;
  private final WriteSettings settings;

  StripelineOutputStreams(StripelineDFSClient client, WriteSettings settings) {
    this.client = client;
    this.settings = settings;
  }

  /** Creates a file; the umask is already applied to the permission. */
  DFSOutputStream create(
      String src,
      FsPermission masked,
      EnumSet<CreateFlag> flag,
      boolean createParent,
      short replication,
      long blockSize,
      Progressable progress,
      DataChecksum checksum,
      String[] favoredNodes,
      String policy,
      String storagePolicy)
      throws IOException {
    DFSOutputStream out;
    try (TraceScope ignored = client.newPathTraceScope("newStreamForCreate", src)) {
      HdfsFileStatus stat =
          createAtNameNode(
              src,
              masked,
              flagsOf(src, flag, policy),
              createParent,
              replication,
              blockSize,
              policy,
              storagePolicy);
      if (stat.getErasureCodingPolicy() == null) {
        out = new DFSOutputStream(client, src, stat, flag, progress, checksum, favoredNodes, true);
      } else {
        out = striped(src, flag, progress, null, stat, checksum, favoredNodes, replication);
      }
      out.start();
    }
    LeaseCompat.begin(client, out);
    return out;
  }

  /** Files in the directories that are configured so are replicated. */
  private EnumSet<CreateFlag> flagsOf(String src, EnumSet<CreateFlag> flag, String policy) {
    if (policy != null || !settings.isReplicatedFirst(src)) {
      return flag;
    }
    EnumSet<CreateFlag> flags = EnumSet.copyOf(flag);
    flags.add(CreateFlag.SHOULD_REPLICATE);
    return flags;
  }

  private DFSOutputStream striped(
      String src,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      LocatedBlock last,
      HdfsFileStatus stat,
      DataChecksum checksum,
      String[] favoredNodes,
      short replication)
      throws IOException {
    HdfsFileStatus blocks = wholeCells(stat);
    synchronized (CONSTRUCTION) {
      if (settings.sync() == SyncMode.DURABLE) {
        // Callers ask for one replica of a file that is to be erasure-coded, which ignores the
        // number.
        short least = (short) Math.max(replication, client.getConf().getDefaultReplication());
        return new DurableOutputStream(
            client, src, flag, progress, last, blocks, checksum, favoredNodes, settings, least);
      }
      return new StripelineOutputStream(
          client, src, flag, progress, last, blocks, checksum, favoredNodes, settings);
    }
  }

  /**
   * Creates the temporary file that replaces a striped one, replicated and with the permission that
   * the striped file has.
   */
  HdfsFileStatus createTemporary(DurableOutputStream striped, String path, HdfsFileStatus like)
      throws IOException {
    return createAtNameNode(
        path,
        new FsPermission(like.getPermission().toShort()),
        EnumSet.of(CreateFlag.CREATE, CreateFlag.SHOULD_REPLICATE),
        false,
        striped.replication(),
        like.getBlockSize() - like.getBlockSize() % striped.layout.bytesPerChecksum(),
        null,
        null);
  }

  /** Opens the stream of a temporary file. */
  DFSOutputStream openTemporary(DurableOutputStream striped, HdfsFileStatus created)
      throws IOException {
    DFSOutputStream out = striped.open(created);
    try {
      out.start();
      LeaseCompat.begin(client, out);
      return out;
    } catch (IOException | RuntimeException | Error e) {
      try {
        ReplicatedFile.abort(client, out);
      } catch (IOException notAborted) {
        e.addSuppressed(notAborted);
      }
      throw e;
    }
  }

  private HdfsFileStatus createAtNameNode(
      String src,
      FsPermission masked,
      EnumSet<CreateFlag> flag,
      boolean createParent,
      short replication,
      long blockSize,
      String policy,
      String storagePolicy)
      throws IOException {
    int retries = DFSOutputStream.CREATE_RETRY_COUNT;
    while (true) {
      try {
        return client.namenode.create(
            src,
            masked,
            client.clientName,
            new EnumSetWritable<>(flag),
            createParent,
            replication,
            blockSize,
            DFSOutputStream.SUPPORTED_CRYPTO_VERSIONS,
            policy,
            storagePolicy);
      } catch (RemoteException e) {
        IOException cause =
            e.unwrapRemoteException(
                AccessControlException.class,
                DSQuotaExceededException.class,
                QuotaByStorageTypeExceededException.class,
                FileAlreadyExistsException.class,
                FileNotFoundException.class,
                ParentNotDirectoryException.class,
                NSQuotaExceededException.class,
                RetryStartFileException.class,
                SafeModeException.class,
                UnresolvedPathException.class,
                SnapshotAccessControlException.class,
                UnknownCryptoProtocolVersionException.class);
        if (!(cause instanceof RetryStartFileException)) {
          throw cause;
        }
        // The key of the encryption zone changed between two steps of the NameNode.
        if (retries-- == 0) {
          throw new IOException("Too many retries because of encryption zone operations", cause);
        }
      }
    }
  }

  /** Opens a file for appending. */
  DFSOutputStream append(
      String src, EnumSet<CreateFlag> flag, Progressable progress, String[] favoredNodes)
      throws IOException {
    CreateFlag.validateForAppend(flag);
    DFSOutputStream out;
    try {
      LastBlockWithStatus last = appendAtNameNode(src, flag);
      HdfsFileStatus stat = last.getFileStatus();
      if (stat == null) {
        // An older NameNode does not send the status.
        stat = client.getFileInfo(src);
      }
      client.fenceForAppend(src, stat);
      out = openForAppend(src, flag, progress, last.getLastBlock(), stat, favoredNodes);
    } catch (RemoteException e) {
      throw e.unwrapRemoteException(
          AccessControlException.class,
          FileNotFoundException.class,
          SafeModeException.class,
          DSQuotaExceededException.class,
          QuotaByStorageTypeExceededException.class,
          UnsupportedOperationException.class,
          UnresolvedPathException.class,
          SnapshotAccessControlException.class);
    }
    LeaseCompat.begin(client, out);
    return out;
  }

  private DFSOutputStream openForAppend(
      String src,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      LocatedBlock last,
      HdfsFileStatus stat,
      String[] favoredNodes)
      throws IOException {
    DataChecksum checksum = client.getConf().createChecksum(null);
    if (!stat.isErasureCoded()) {
      return DFSOutputStream.newStreamForAppend(
          client, src, flag, progress, last, stat, checksum, favoredNodes);
    }
    try (TraceScope ignored = client.newPathTraceScope("newStreamForAppend", src)) {
      short replication = (short) client.getConf().getDefaultReplication();
      DFSOutputStream out =
          striped(src, flag, progress, last, stat, checksum, favoredNodes, replication);
      out.start();
      return out;
    }
  }

  private LastBlockWithStatus appendAtNameNode(String src, EnumSet<CreateFlag> flag)
      throws IOException {
    EnumSetWritable<CreateFlag> flags = new EnumSetWritable<>(flag, CreateFlag.class);
    long start = Time.monotonicNow();
    while (true) {
      try {
        return client.namenode.append(src, client.clientName, flags);
      } catch (RemoteException e) {
        if (Time.monotonicNow() - start > APPEND_RETRY_MILLIS
            || !RetriableException.class.getName().equals(e.getClassName())) {
          throw e;
        }
        try {
          Thread.sleep(APPEND_PAUSE_MILLIS);
        } catch (InterruptedException interrupt) {
          throw DFSUtilClient.toInterruptedIOException("callAppend", interrupt);
        }
      }
    }
  }

  /**
   * Returns what a stream needs of the status, with blocks as large as whole cells allow: the
   * stream ends its block groups there, which the NameNode permits. Hadoop's stream fails when it
   * has filled blocks of other sizes, and write-ahead logs often have them: Accumulo's have 1.1
   * times the size of the log.
   */
  private static HdfsFileStatus wholeCells(HdfsFileStatus stat) {
    ErasureCodingPolicy policy = stat.getErasureCodingPolicy();
    long rest = stat.getBlockSize() % policy.getCellSize();
    if (rest == 0) {
      return stat;
    }
    // Releases of Hadoop differ in what else a status has, such as a namespace.
    return (HdfsFileStatus)
        Proxy.newProxyInstance(
            HdfsFileStatus.class.getClassLoader(),
            new Class<?>[] {HdfsFileStatus.class},
            (self, method, arguments) ->
                method.getName().equals("getBlockSize")
                    ? (Object) (stat.getBlockSize() - rest)
                    : method.invoke(stat, arguments));
  }
}
