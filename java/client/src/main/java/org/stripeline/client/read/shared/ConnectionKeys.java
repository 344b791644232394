// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.hdfs.security.token.block.DataEncryptionKey;
import org.apache.hadoop.util.Time;
import org.stripeline.natives.Ticker;

/**
 * What each new connection to a DataNode needs from the NameNode: its defaults, which tell whether
 * data is encrypted, and the key. Hadoop's client requests them on the thread that connects. Here
 * that thread can be interrupted during a request, because its read is given up: see {@link
 * NameNodeRequest}.
 */
public final class ConnectionKeys {
  private final Ticker ticker;
  private final long validNanos;
  private final NameNodeRequest.Call<FsServerDefaults> defaultsCall;
  private final NameNodeRequest<FsServerDefaults> defaultsRequest;
  private final NameNodeRequest<DataEncryptionKey> keyRequest;
  private volatile Defaults defaults;
  private volatile DataEncryptionKey key;

  /**
   * Creates an object that knows nothing yet.
   *
   * @param nameNode the NameNode or nameservice
   * @param validMillis how long defaults are used
   * @param defaultsCall requests the defaults
   * @param keyCall requests a key
   */
  public ConnectionKeys(
      ReadContext context,
      String nameNode,
      long validMillis,
      NameNodeRequest.Call<FsServerDefaults> defaultsCall,
      NameNodeRequest.Call<DataEncryptionKey> keyCall) {
    ticker = context.ticker();
    validNanos = TimeUnit.MILLISECONDS.toNanos(validMillis);
    this.defaultsCall = defaultsCall;
    FetchThreads threads = context.threads();
    defaultsRequest =
        new NameNodeRequest<>(threads, nameNode, "the NameNode's defaults", this::fetchDefaults);
    keyRequest =
        new NameNodeRequest<>(
            threads,
            nameNode,
            "the key for encrypted data",
            () -> {
              DataEncryptionKey fetched = keyCall.call();
              key = fetched;
              return fetched;
            });
  }

  /**
   * Returns the defaults of the NameNode, which are requested if they are not known or too old.
   *
   * @param mayBeGivenUp whether the calling thread is interrupted when its work is given up; other
   *     threads request the defaults themselves, as in Hadoop
   */
  public FsServerDefaults defaults(boolean mayBeGivenUp) throws IOException {
    Defaults known = defaults;
    if (known != null && ticker.nanos() - known.sinceNanos <= validNanos) {
      return known.values;
    }
    return mayBeGivenUp ? defaultsRequest.answer() : fetchDefaults();
  }

  private FsServerDefaults fetchDefaults() throws IOException {
    FsServerDefaults values = defaultsCall.call();
    defaults = new Defaults(values, ticker.nanos());
    return values;
  }

  /** Returns the key for encrypted data; it is requested if none is known or it has expired. */
  public DataEncryptionKey key() throws IOException {
    DataEncryptionKey known = key;
    if (known != null && known.expiryDate >= Time.now()) {
      return known;
    }
    return keyRequest.answer();
  }

  /** Returns the key that was fetched last, null if it was forgotten. */
  public DataEncryptionKey knownKey() {
    return key;
  }

  /** Forgets the key, which a DataNode has refused. */
  public void forgetKey() {
    keyRequest.dropInFlight();
    key = null;
  }

  /** The defaults of the NameNode and when they were requested. */
  private static final class Defaults {
    final FsServerDefaults values;
    final long sinceNanos;

    Defaults(FsServerDefaults values, long sinceNanos) {
      this.values = values;
      this.sinceNanos = sinceNanos;
    }
  }
}
