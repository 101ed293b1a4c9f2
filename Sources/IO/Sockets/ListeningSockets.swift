package import Base

/// Who listens on a port of the calling thread's network namespace, from the kernel's tables in /proc.
package enum ListeningSockets {
  package struct Socket: Hashable, Sendable {
    package var address: IPAddress
    package var inode: UInt64

    package init(address: IPAddress, inode: UInt64) {
      self.address = address
      self.inode = inode
    }

    /// How a descriptor's link in /proc names it.
    package var link: String { "socket:[\(inode)]" }
  }

  package enum Table: String, Sendable, CaseIterable {
    case udp, udp6, tcp, tcp6
  }

  /// TCP_LISTEN and, for UDP that is not connected, TCP_CLOSE of net/tcp_states.h.
  private static let states: Set<Substring> = ["0A", "07"]
  private static let largest = 8 << 20

  package static func find(port: UInt16, in tables: [Table] = Table.allCases) -> [Socket] {
    tables.flatMap { table in
      (try? TextFile.read("/proc/thread-self/net/\(table.rawValue)", limit: largest)).map {
        sockets(on: port, in: String(decoding: $0.bytes, as: UTF8.self))
      } ?? []
    }
  }

  /// - Parameter table: the text of /proc/net/udp, udp6, tcp or tcp6 (proc(5)).
  package static func sockets(on port: UInt16, in table: String) -> [Socket] {
    table.split(separator: "\n").dropFirst().compactMap { line in
      let columns = line.split(separator: " ", omittingEmptySubsequences: true)
      guard columns.count > 9, states.contains(columns[3]), let inode = UInt64(columns[9]) else { return nil }
      let local = columns[1].split(separator: ":")
      guard local.count == 2, UInt16(local[1], radix: 16) == port, let address = address(local[0]) else { return nil }
      return Socket(address: address, inode: inode)
    }
  }

  /// Words of 32 bits in the machine's order, hexadecimal.
  private static func address(_ text: Substring) -> IPAddress? {
    guard text.utf8.count == 8 || text.utf8.count == 32 else { return nil }
    var bytes: [UInt8] = []
    var rest = text
    while !rest.isEmpty {
      guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
      // A router of either byte order prints the word as it reads it from memory.
      let memory = word.littleEndian == word ? word.byteSwapped : word
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: memory >> UInt32(24 - 8 * $0)) }
      rest = rest.dropFirst(8)
    }
    return IPAddress(bytes: bytes)
  }
}
