// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.io.erasurecode.CodecUtil;

/**
 * What our clients put in the place of Hadoop's defaults; what is configured otherwise stays.
 *
 * <ul>
 *   <li>Our coder before Hadoop's own.
 *   <li>Room for the connections that striped reads leave idle. Hadoop's cache keeps 16 of a JVM,
 *       which is what reads of replicated blocks want; a decode reads k DataNodes at once, so that
 *       with a few threads most of its connections would be made anew. As the cache is shared by
 *       all clients of the JVM that name the same context, ours name their own.
 * </ul>
 */
public final class ClientDefaults {
  private static final String CODER = "stripeline,";

  private static final String[][] DEFAULTS = {
    {CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY, "rs_native,rs_java"},
    {CodecUtil.IO_ERASURECODE_CODEC_RS_LEGACY_RAWCODERS_KEY, "rs-legacy_java"},
    {CodecUtil.IO_ERASURECODE_CODEC_XOR_RAWCODERS_KEY, "xor_native,xor_java"},
  };

  private static final String CONTEXT = HdfsClientConfigKeys.DFS_CLIENT_CONTEXT;
  private static final String CONTEXT_DEFAULT = HdfsClientConfigKeys.DFS_CLIENT_CONTEXT_DEFAULT;
  private static final String OUR_CONTEXT = "stripeline";

  private static final String CONNECTIONS =
      HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_CAPACITY_KEY;
  private static final String CONNECTIONS_DEFAULT =
      String.valueOf(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_CAPACITY_DEFAULT);

  /** What sixteen threads use that decode from six DataNodes each, and some. */
  private static final int OUR_CONNECTIONS = 128;

  private ClientDefaults() {}

  /** Returns the configuration of a client of ours. */
  public static Configuration apply(Configuration conf) {
    Configuration ours = new Configuration(conf);
    for (String[] coders : DEFAULTS) {
      if (isAt(conf, coders[0], coders[1])) {
        ours.set(coders[0], CODER + coders[1]);
      }
    }
    if (isAt(conf, CONTEXT, CONTEXT_DEFAULT) && isAt(conf, CONNECTIONS, CONNECTIONS_DEFAULT)) {
      ours.set(CONTEXT, OUR_CONTEXT);
      ours.setInt(CONNECTIONS, OUR_CONNECTIONS);
    }
    return ours;
  }

  private static boolean isAt(Configuration conf, String key, String hadoopsDefault) {
    return conf.getTrimmed(key, hadoopsDefault).equals(hadoopsDefault);
  }
}
