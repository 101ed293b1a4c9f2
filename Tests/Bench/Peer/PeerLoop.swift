import Base
import BenchPump
import DataChannel
import Engine
import Glibc
import IO
import TestKit

/// One client's session beside the pump.
struct PeerLoop: ~Copyable {
  private enum Token: UInt64 { case link, tun }

  private let server: MirrorServer
  private var link: PumpLink
  private var tun: TunDevice
  private var pump: Pump
  private var moderation = Moderation()
  private var poller: Poller
  private var wantsWritable = false

  init(_ server: MirrorServer, _ poller: consuming Poller, link: consuming PumpLink, tun: consuming TunDevice) {
    self.server = server
    self.poller = poller
    self.link = link
    pump = Pump(joins: tun.offloads.contains(.coalesce))
    self.tun = tun
  }

  mutating func run() throws {
    var wasUp = false
    Pause.sharpen()
    try poller.add(link.descriptor, for: .readable, token: Token.link.rawValue)
    try poller.add(tun.descriptor, for: .readable, token: Token.tun.rawValue)
    while !pump.isBroken, !server.sawExit, server.down?.sawExit != true {
      try turn()
      if server.isUp, !wasUp {
        wasUp = true
        BenchPeer.say("connected")
      }
    }
  }

  private mutating func turn() throws {
    let due = server.nextWake
    let isPausing = moderation.isHot
    if isPausing, !pump.hasMore { Pause.sleep(moderation.window) }
    let count = try isPausing || pump.hasMore ? poller.look() : poller.wait(until: due)
    let now = Clock.now
    var linkReady: Poller.Readiness = []
    var tunReady: Poller.Readiness = []
    for index in 0..<count {
      if poller[index].token == Token.link.rawValue { linkReady = poller[index].readiness }
      if poller[index].token == Token.tun.rawValue { tunReady = poller[index].readiness }
    }
    if linkReady.contains(.broken) { link.drainErrors() }
    let cameBefore = pump.came
    let sentBefore = pump.sent
    if server.down != nil, server.up != nil {
      if !linkReady.isEmpty { server.down?.receive(&pump, from: &link, into: &tun) }
      if linkReady.contains(.writable) || !tunReady.isEmpty { server.up?.send(&pump, from: &tun, over: &link) }
    } else {
      pump.receiveControl(&link)
    }
    let received = pump.came &- cameBefore
    moderation.note(
      packets: received &+ (pump.sent &- sentBefore), received: received, mayPause: server.up != nil, at: now)
    if !pump.control.isEmpty || due.map({ $0 <= now }) == true { talk(at: now) }
    try watch()
  }

  private mutating func talk(at now: Instant) {
    for packet in pump.control { server.receive(packet, at: now) }
    pump.control.removeAll()
    server.wake(at: now)
    for packet in server.packets { link.send(control: packet) }
    server.packets.removeAll()
  }

  /// While the transport is full the kernel's queue of the tun is the one to fill up.
  private mutating func watch() throws {
    guard pump.isFull != wantsWritable else { return }
    wantsWritable = pump.isFull
    try poller.change(
      link.descriptor, to: wantsWritable ? [.readable, .writable] : .readable, token: Token.link.rawValue)
    try poller.change(tun.descriptor, to: wantsWritable ? [] : .readable, token: Token.tun.rawValue)
  }
}

// The lanes are the mirror's; it lends them for a turn.
extension UpLane {
  fileprivate mutating func send(_ pump: inout Pump, from tun: inout TunDevice, over link: inout PumpLink) {
    if pump.isFull { pump.push(over: &link, sealing: &self) }
    pump.sendWhatWaits(&tun, over: &link, sealing: &self)
  }
}

extension DownLane {
  fileprivate mutating func receive(_ pump: inout Pump, from link: inout PumpLink, into tun: inout TunDevice) {
    pump.receiveWhatWaits(&link, into: &tun, opening: &self)
  }
}
