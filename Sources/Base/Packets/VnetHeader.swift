/// What stands in front of a packet that crosses a tun with IFF_VNET_HDR, in the host's byte order (`struct virtio_net_hdr`
/// of linux/virtio_net.h): how much of the packet's work the other side has left undone, or may leave undone.
package struct VnetHeader: Hashable, Sendable {
  package enum Segmentation: UInt8, Sendable {
    case none = 0
    case tcpIPv4 = 1
    case tcpIPv6 = 4
    case udp = 5

    // The derived one is generic code when it is called from another room; every packet asks.
    package static func == (left: Segmentation, right: Segmentation) -> Bool { left.rawValue == right.rawValue }
  }

  /// Bytes.
  package static let size = 10

  /// The checksum field holds the sum of the pseudo header only; the rest is for whoever cuts or sends the packet.
  package var needsChecksum: Bool
  package var segmentation: Segmentation
  /// IP and transport header of a super-packet.
  package var headerLength: UInt16
  /// Payload bytes of each segment but the last.
  package var segmentSize: UInt16
  /// Where the sum begins, from the packet's first byte, and where it goes, from there.
  package var checksumStart: UInt16
  package var checksumOffset: UInt16

  package init(
    needsChecksum: Bool = false, segmentation: Segmentation = .none, headerLength: UInt16 = 0, segmentSize: UInt16 = 0,
    checksumStart: UInt16 = 0, checksumOffset: UInt16 = 0
  ) {
    self.needsChecksum = needsChecksum
    self.segmentation = segmentation
    self.headerLength = headerLength
    self.segmentSize = segmentSize
    self.checksumStart = checksumStart
    self.checksumOffset = checksumOffset
  }

  private static let needsChecksumFlag: UInt8 = 1
  /// VIRTIO_NET_HDR_GSO_ECN: the first segment alone carries CWR, which it does without being told.
  private static let ecnFlag: UInt8 = 0x80

  /// True when something is left undone. That a checksum was found right (VIRTIO_NET_HDR_F_DATA_VALID) is nothing.
  ///
  /// - Parameter bytes: `size` bytes.
  package static func isTelling(_ bytes: UnsafeRawPointer) -> Bool {
    unsafe bytes.load(as: UInt8.self) & needsChecksumFlag != 0 || bytes.load(fromByteOffset: 1, as: UInt8.self) != 0
  }

  /// - Parameter bytes: `size` bytes.
  /// - Returns: `nil` for a kind of segmentation that was never asked for.
  package init?(reading bytes: UnsafeRawPointer) {
    let kind = unsafe bytes.load(fromByteOffset: 1, as: UInt8.self) & ~Self.ecnFlag
    guard let segmentation = Segmentation(rawValue: kind) else { return nil }
    self.segmentation = segmentation
    needsChecksum = unsafe bytes.load(as: UInt8.self) & Self.needsChecksumFlag != 0
    headerLength = unsafe bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
    segmentSize = unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
    checksumStart = unsafe bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
    checksumOffset = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
  }

  package func write(into bytes: UnsafeMutableRawPointer) {
    unsafe bytes.storeBytes(of: needsChecksum ? Self.needsChecksumFlag : 0, as: UInt8.self)
    unsafe bytes.storeBytes(of: segmentation.rawValue, toByteOffset: 1, as: UInt8.self)
    unsafe bytes.storeBytes(of: headerLength, toByteOffset: 2, as: UInt16.self)
    unsafe bytes.storeBytes(of: segmentSize, toByteOffset: 4, as: UInt16.self)
    unsafe bytes.storeBytes(of: checksumStart, toByteOffset: 6, as: UInt16.self)
    unsafe bytes.storeBytes(of: checksumOffset, toByteOffset: 8, as: UInt16.self)
  }
}
