import Base
import Glibc
import IO
import Testing

/// A directory of its own for one test, gone afterwards.
struct Scratch: ~Copyable {
  let path: String

  init() throws {
    var template = Array("/tmp/adit-io-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = try? IOShell.run("rm -rf \(path)") }
}

@Suite("Files")
struct FileTests {
  @Test("what is written is read again, with the mode asked for")
  func roundTrip() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/file"
    try TextFile.write(Array("one\n".utf8), to: path, mode: 0o640)
    try TextFile.write(Array("two\n".utf8), to: path, mode: 0o600)
    let (bytes, status) = try TextFile.read(path, limit: 4)
    #expect(bytes == Array("two\n".utf8))
    #expect(status.mode == 0o600)
    #expect((Clock.wallTime.seconds - 60...Clock.wallTime.seconds + 1).contains(status.modified.seconds))
    #expect(!status.isOpenToOthers)
    #expect(try TextFile.names(in: scratch.path) == ["file"])
    try TextFile.overwrite(Array("THREE".utf8), at: path)
    #expect(throws: TextFile.ReadFailure.tooLarge(limit: 4)) { try TextFile.read(path, limit: 4) }
    try TextFile.remove(path)
    try TextFile.remove(path)
    #expect(TextFile.status(path) == nil)
  }

  @Test("only regular files are read, and a fifo does not make us wait")
  func irregular() throws {
    let scratch = try Scratch()
    #expect(throws: TextFile.ReadFailure.notRegular) { try TextFile.read(scratch.path, limit: 9) }
    #expect(mkfifo(scratch.path + "/fifo", 0o600) == 0)
    #expect(throws: TextFile.ReadFailure.notRegular) { try TextFile.read(scratch.path + "/fifo", limit: 9) }
    let missing = scratch.path + "/none"
    #expect(throws: TextFile.ReadFailure.system(SystemFailure("open \(missing)", ENOENT))) {
      try TextFile.read(missing, limit: 9)
    }
  }

  @Test("files of /proc have no size and are read all the same, within the limit")
  func proc() throws {
    #expect(try TextFile.read("/proc/self/stat", limit: 4096).bytes.count > 20)
    #expect(throws: TextFile.ReadFailure.tooLarge(limit: 10)) { try TextFile.read("/proc/self/stat", limit: 10) }
  }

  @Test("a directory is made once, and a file in its place is an error")
  func directories() throws {
    let scratch = try Scratch()
    try TextFile.makeDirectory(scratch.path + "/d", mode: 0o755)
    try TextFile.makeDirectory(scratch.path + "/d", mode: 0o755)
    #expect(TextFile.status(scratch.path + "/d")?.mode == 0o755)
    try TextFile.write([], to: scratch.path + "/f", mode: 0o600)
    #expect(throws: SystemFailure.self) { try TextFile.makeDirectory(scratch.path + "/f", mode: 0o755) }
  }

  @Test("the lock of a network namespace has one holder; another namespace has its own")
  func namespaceLock() throws {
    let scratch = try Scratch()
    let path = scratch.path
    func isFree() -> Bool {
      do {
        _ = try NamespaceLock(directory: path)
        return true
      } catch { return false }
    }
    do {
      let lock = try NamespaceLock(directory: path)
      let second = isFree()
      #expect(!second)
      if Namespace.isRoot {
        let other = Namespace.run { isFree() }
        #expect(other == true)
      }
      _ = lock
    }
    #expect(isFree())
  }

  @Test("who has patience gets the lock of a namespace from a holder that lets go meanwhile")
  func patience() async throws {
    let scratch = try Scratch()
    let path = scratch.path
    let other: Task<Bool, Never>
    do {
      let lock = try NamespaceLock(directory: path)
      other = Task.detached {
        do {
          _ = try NamespaceLock(directory: path, patience: .seconds(10))
          return true
        } catch { return false }
      }
      await Task.yield()
      _ = lock
    }
    #expect(await other.value)
  }

  @Test("a failure names the call and the reason")
  func words() {
    #expect(SystemFailure("bind", EADDRINUSE).description == "bind: Address already in use")
  }

  @Test("sealed memory carries a secret and nothing that could still change")
  func sealedMemory() throws {
    let secret = SecretBytes((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    let memory = try SealedMemory.make(secret)
    #expect(try SealedMemory.read(memory, limit: 100_000) == secret)
    #expect(throws: SealedMemory.ReadFailure.tooLarge(limit: 99_999)) { try SealedMemory.read(memory, limit: 99_999) }
    #expect(write(memory.raw, "x", 1) == -1)
    let scratch = try Scratch()
    let plain = FileDescriptor(owning: open(scratch.path + "/plain", O_RDWR | O_CREAT, 0o600))
    #expect(throws: SealedMemory.ReadFailure.notSealed) { try SealedMemory.read(plain, limit: 10) }
    #expect(try SealedMemory.read(SealedMemory.make(SecretBytes([])), limit: 0).isEmpty)
  }
}

@Suite("The files of network devices")
struct DeviceFileTests {
  @Test("R-06: a device's kind is read from its files, through VLANs and bridges, and only of the device that is meant")
  func kinds() throws {
    let scratch = try Scratch()
    _ = try IOShell.run(
      """
      cd \(scratch.path)
      device() { mkdir $1; echo $2 > $1/ifindex; echo $3 > $1/type; printf "INTERFACE=$1\\n$4" > $1/uevent; }
      device eth0 2 1; device wlan0 3 1 'DEVTYPE=wlan\\n'; mkdir wlan0/wireless; device wwan0 4 519 'DEVTYPE=wwan\\n'
      device usb0 5 65534; mkdir usb0/device; ln -s ../../../bus/usb/drivers/qmi_wwan usb0/device/driver
      device ppp0 6 512; device tun0 7 65534; touch tun0/tun_flags; device lo 1 772
      device eth0.7 8 1 'DEVTYPE=vlan\\n'; ln -s ../eth0 eth0.7/lower_eth0
      device br0 9 1 'DEVTYPE=bridge\\n'; ln -s ../wlan0.7 br0/lower_wlan0.7
      device wlan0.7 10 1 'DEVTYPE=vlan\\n'; ln -s ../wlan0 wlan0.7/lower_wlan0
      device br1 11 1; ln -s ../wlan0 br1/lower_wlan0; ln -s ../eth0 br1/lower_eth0
      device loop 12 1; ln -s ../loop loop/lower_loop
      """)
    func kind(_ name: String, _ index: Int32? = nil) throws -> Uplink.Kind {
      DeviceFiles.kind(of: try #require(DeviceName(name)), index: index, in: scratch.path)
    }
    let expected: [(String, Uplink.Kind)] = [
      ("eth0", .wired), ("wlan0", .wifi), ("wwan0", .cellular), ("usb0", .cellular), ("ppp0", .ppp), ("tun0", .other),
      ("lo", .other), ("eth0.7", .wired), ("br0", .wifi), ("br1", .wired), ("loop", .wired), ("none", .other),
    ]
    for (name, expected) in expected { #expect(try kind(name) == expected, "\(name)") }
    #expect(try kind("eth0", 2) == .wired)
    #expect(try kind("eth0", 99) == .other, "another namespace's eth0")
  }
}
