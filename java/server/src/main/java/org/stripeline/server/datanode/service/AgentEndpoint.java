// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import org.apache.hadoop.thirdparty.protobuf.BlockingService;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FileDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.MethodDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.ServiceDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.Descriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.DescriptorValidationException;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FileDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.MethodDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.ServiceDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.stripeline.agent.AgentProtocol;

/**
 * Adapts {@link AgentProtocol} to Hadoop's IPC server: the service that a protobuf compiler would
 * generate, described at run time.
 */
public final class AgentEndpoint implements BlockingService {
  private static final ServiceDescriptor SERVICE = describe();

  private final AgentProtocol protocol;
  private final Admission admission;

  /**
   * Creates an endpoint for a protocol.
   *
   * @param admission called in the thread of each call, before its request is parsed
   */
  public AgentEndpoint(AgentProtocol protocol, Admission admission) {
    this.protocol = protocol;
    this.admission = admission;
  }

  /** Decides whether an authenticated caller may send a request at all. */
  public interface Admission {
    /**
     * Returns normally if the request may be parsed.
     *
     * @throws IOException if it may not; the exception is sent to the caller
     */
    void check() throws IOException;
  }

  private static ServiceDescriptor describe() {
    Descriptor bytes = BytesValue.getDescriptor();
    String type = '.' + bytes.getFullName();
    int dot = AgentProtocol.NAME.lastIndexOf('.');
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("stripeline-agent.proto")
            .setPackage(AgentProtocol.NAME.substring(0, dot))
            .addDependency(bytes.getFile().getName())
            .addService(
                ServiceDescriptorProto.newBuilder()
                    .setName(AgentProtocol.NAME.substring(dot + 1))
                    .addMethod(
                        MethodDescriptorProto.newBuilder()
                            .setName("call")
                            .setInputType(type)
                            .setOutputType(type)))
            .build();
    try {
      return FileDescriptor.buildFrom(file, new FileDescriptor[] {bytes.getFile()})
          .getServices()
          .get(0);
    } catch (DescriptorValidationException e) {
      throw new IllegalStateException("Cannot describe the agent's protocol to protobuf", e);
    }
  }

  @Override
  public ServiceDescriptor getDescriptorForType() {
    return SERVICE;
  }

  /**
   * The server calls this method right before it parses the request, so the caller is checked here.
   */
  @Override
  public Message getRequestPrototype(MethodDescriptor method) {
    try {
      admission.check();
    } catch (IOException e) {
      // For an exception of this class, the server answers with the cause.
      throw new UndeclaredThrowableException(e);
    }
    return BytesValue.getDefaultInstance();
  }

  @Override
  public Message getResponsePrototype(MethodDescriptor method) {
    return BytesValue.getDefaultInstance();
  }

  @Override
  public Message callBlockingMethod(
      MethodDescriptor method, RpcController controller, Message request) throws ServiceException {
    return protocol.call(controller, (BytesValue) request);
  }
}
