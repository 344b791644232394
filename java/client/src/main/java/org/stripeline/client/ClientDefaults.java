// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.io.erasurecode.CodecUtil;

/**
 * Replaces some of Hadoop's defaults for Stripeline's clients; settings that differ from the
 * defaults are kept.
 *
 * <ul>
 *   <li>Stripeline's coder is tried before Hadoop's own coders, also in Hadoop's shaded client
 *       ({@code hadoop-client-api}). Shading has changed the names of the keys of coders in its
 *       code, so that it ignores what users set; both names get the same value.
 *   <li>The connection cache is larger. Hadoop's cache keeps 16 connections per JVM, which suits
 *       reads of replicated blocks. A decode reads from k DataNodes at once, so with a few threads
 *       most of its connections would have to be opened again. All clients of the JVM with the same
 *       context name share the cache, therefore Stripeline's clients use a context name of their
 *       own.
 * </ul>
 */
public final class ClientDefaults {
  private static final String CODER = "stripeline,";

  private static final String RS_CODERS = CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY;

  private static final String[][] DEFAULTS = {
    {RS_CODERS, "rs_native,rs_java"},
    {CodecUtil.IO_ERASURECODE_CODEC_RS_LEGACY_RAWCODERS_KEY, "rs-legacy_java"},
    {CodecUtil.IO_ERASURECODE_CODEC_XOR_RAWCODERS_KEY, "xor_native,xor_java"},
  };

  /** Hadoop 3.3 has no constant for it. */
  private static final String NATIVE = "io.erasurecode.codec.native.enabled";

  /** What shading has put before these keys in Hadoop's code; empty in Hadoop's other jars. */
  private static final String SHADED = shaded();

  private static final String CONTEXT = HdfsClientConfigKeys.DFS_CLIENT_CONTEXT;
  private static final String CONTEXT_DEFAULT = HdfsClientConfigKeys.DFS_CLIENT_CONTEXT_DEFAULT;
  private static final String OUR_CONTEXT = "stripeline";

  private static final String CONNECTIONS =
      HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_CAPACITY_KEY;
  private static final String CONNECTIONS_DEFAULT =
      String.valueOf(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_CAPACITY_DEFAULT);

  /** Enough for sixteen threads that each decode from six DataNodes, with some spare. */
  private static final int OUR_CONNECTIONS = 128;

  private ClientDefaults() {}

  /** Returns the configuration for one of Stripeline's clients. */
  public static Configuration apply(Configuration conf) {
    return apply(conf, SHADED);
  }

  static Configuration apply(Configuration conf, String shaded) {
    Configuration ours = new Configuration(conf);
    for (String[] coders : DEFAULTS) {
      if (isAt(conf, coders[0], coders[1])) {
        ours.set(coders[0], CODER + coders[1]);
      }
      ours.setIfUnset(shaded + coders[0], ours.get(coders[0]));
    }
    ours.setBooleanIfUnset(shaded + NATIVE, ours.getBoolean(NATIVE, true));
    if (isAt(conf, CONTEXT, CONTEXT_DEFAULT) && isAt(conf, CONNECTIONS, CONNECTIONS_DEFAULT)) {
      ours.set(CONTEXT, OUR_CONTEXT);
      ours.setInt(CONNECTIONS, OUR_CONNECTIONS);
    }
    return ours;
  }

  private static String shaded() {
    try {
      // By reflection, because the compiler copies constants.
      Object key = CodecUtil.class.getField("IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY").get(null);
      return key.toString().replace(RS_CODERS, "");
    } catch (ReflectiveOperationException e) {
      return "";
    }
  }

  private static boolean isAt(Configuration conf, String key, String hadoopsDefault) {
    return conf.getTrimmed(key, hadoopsDefault).equals(hadoopsDefault);
  }
}
