// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.protobuf.IpcConnectionContextProtos.IpcConnectionContextProto;
import org.apache.hadoop.ipc.protobuf.IpcConnectionContextProtos.UserInformationProto;
import org.apache.hadoop.ipc.protobuf.ProtobufRpcEngine2Protos.RequestHeaderProto;
import org.apache.hadoop.ipc.protobuf.RpcHeaderProtos.RpcRequestHeaderProto;
import org.apache.hadoop.ipc.protobuf.RpcHeaderProtos.RpcResponseHeaderProto;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.apache.hadoop.util.ProtoUtil;
import org.stripeline.agent.AgentProtocol;

/** Builds the bytes of Hadoop RPC connections and calls, valid or not. */
final class RawRpc {
  private static final int CONTEXT_CALL = -3;
  private static final int TIMEOUT_MILLIS = (int) TimeUnit.SECONDS.toMillis(30);

  private RawRpc() {}

  /** Returns the first bytes of a client's connection, without authentication. */
  static byte[] preamble() {
    byte[] preamble = {0, 0, 0, 0, 9, 0, 0};
    System.arraycopy("hrpc".getBytes(StandardCharsets.US_ASCII), 0, preamble, 0, 4);
    return preamble;
  }

  /** Returns the frame with the user and the protocol of the connection. */
  static byte[] context(String user) throws IOException {
    return context(user, AgentProtocol.NAME);
  }

  static byte[] context(String user, String protocol) throws IOException {
    return frame(
        header(RPC.RpcKind.RPC_PROTOCOL_BUFFER, CONTEXT_CALL),
        delimited(
            IpcConnectionContextProto.newBuilder()
                .setUserInfo(UserInformationProto.newBuilder().setEffectiveUser(user))
                .setProtocol(protocol)
                .build()));
  }

  /**
   * Returns a frame that calls a method through an engine, with a request in that engine's format.
   */
  static byte[] call(RPC.RpcKind kind, byte[]... request) throws IOException {
    return frame(header(kind, 0), join(request));
  }

  /** Returns the header of a request in the protobuf engine's format. */
  static byte[] method(String name, String protocol, long version) throws IOException {
    return delimited(
        RequestHeaderProto.newBuilder()
            .setMethodName(name)
            .setDeclaringClassProtocolName(protocol)
            .setClientProtocolVersion(version)
            .build());
  }

  /** Returns the frame of a call to an agent. */
  static byte[] call(Message request) throws IOException {
    return call(
        RPC.RpcKind.RPC_PROTOCOL_BUFFER,
        method("call", AgentProtocol.NAME, AgentProtocol.CALL_VERSION),
        delimited(request));
  }

  private static byte[] header(RPC.RpcKind kind, int call) throws IOException {
    return delimited(
        ProtoUtil.makeRpcRequestHeader(
            kind, RpcRequestHeaderProto.OperationProto.RPC_FINAL_PACKET, call, 0, new byte[16]));
  }

  static byte[] delimited(Message message) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    message.writeDelimitedTo(out);
    return out.toByteArray();
  }

  static byte[] frame(byte[]... parts) {
    byte[] payload = join(parts);
    return join(ByteBuffer.allocate(4).putInt(payload.length).array(), payload);
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.write(part, 0, part.length);
    }
    return out.toByteArray();
  }

  /**
   * Returns a request in the Writable engine's format that declares a number of parameters, and has
   * none.
   */
  static byte[] writable(int parameters) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeLong(2);
    out.writeUTF(AgentProtocol.NAME);
    out.writeUTF("call");
    out.writeLong(1);
    out.writeInt(0);
    out.writeInt(parameters);
    return bytes.toByteArray();
  }

  /**
   * Sends bytes and returns the replies.
   *
   * @param isWhole whether one reply is expected; otherwise the connection is closed after the
   *     bytes
   */
  static List<RpcResponseHeaderProto> send(int port, boolean isWhole, byte[]... parts)
      throws IOException {
    List<RpcResponseHeaderProto> replies = new ArrayList<>();
    try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      socket.getOutputStream().write(join(parts));
      if (isWhole) {
        replies.add(reply(in));
      }
      socket.shutdownOutput();
      while (!isWhole) {
        replies.add(reply(in));
      }
    } catch (IOException e) {
      if (isWhole && replies.isEmpty()) {
        throw e;
      }
      // The server closes connections with invalid bytes.
    }
    return replies;
  }

  private static RpcResponseHeaderProto reply(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length <= 0) {
      throw new IOException("Cannot read a reply: it has the form of an old version, an error");
    }
    byte[] frame = new byte[length];
    in.readFully(frame);
    return RpcResponseHeaderProto.parseDelimitedFrom(new ByteArrayInputStream(frame));
  }
}
