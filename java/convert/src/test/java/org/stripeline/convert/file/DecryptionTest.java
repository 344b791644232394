// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.net.SocketTimeoutException;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DecryptionTest {
  private final DFSClient client = mock(DFSClient.class);
  private final Decryption decryption = new Decryption(client);

  @BeforeEach
  void configureKeys() throws IOException {
    when(client.getKeyProvider()).thenReturn(mock(KeyProvider.class));
  }

  @Test
  void nothingIsReadWithoutAProviderOfKeys() throws IOException {
    when(client.getKeyProvider()).thenReturn(null);

    decryption.compare("/a", "/a.new");

    verify(client, never()).open(anyString());
  }

  @Test
  void aDenialOfKeysHoldsForAllFiles() throws IOException {
    IOException denial = new AuthorizationException("User:hdfs not allowed to do DECRYPT_EEK");
    when(client.open(anyString())).thenThrow(new IOException(denial));

    decryption.compare("/a", "/a.new");
    decryption.compare("/b", "/b.new");

    verify(client, times(1)).open(anyString());
  }

  @Test
  void anotherFailureIsOneOfItsFileOnly() throws IOException {
    when(client.open(anyString())).thenThrow(new SocketTimeoutException("Read timed out"));

    for (String file : new String[] {"/a", "/b"}) {
      assertThatThrownBy(() -> decryption.compare(file, file + ".new"))
          .isInstanceOf(SocketTimeoutException.class);
    }
  }
}
