package import Base
import IO

/// What became of one probe.
package struct ProbeResult: Hashable, Sendable {
  package var probe: Probe
  /// Packets that left the router in clear, by device.
  package var clear: [DeviceName: Int] = [:]
  /// Packets that went into a tunnel, by device.
  package var inside: [DeviceName: Int] = [:]
  /// The router got it: without this nothing is proved.
  package var reachedRouter = false
  package var answer: ProbeAnswer?

  package init(probe: Probe) { self.probe = probe }

  package enum Verdict: String, Hashable, Sendable { case pass, leak, unsent }

  package var verdict: Verdict { !clear.isEmpty ? .leak : reachedRouter ? .pass : .unsent }
}

/// One client sends every probe, while all ways out are listened to.
struct ProbeRound {
  let client: ProbeClient
  /// Taps on the ways out, and those of them that are tunnels.
  let outside: [(device: DeviceName, tap: PacketTap)]
  let inside: [(device: DeviceName, tap: PacketTap)]
  let marks: ProbeMarks

  /// Neighbours are found, and a plan under way is done, before the second time.
  private static let repeatAfter: Duration = .milliseconds(300)
  /// A slow bridge or qdisc delays a packet by less.
  private static let quiet: Duration = .milliseconds(600)

  /// - Parameter repetitions: how often everything is sent.
  func run(
    _ probes: [Probe], repetitions: Int, every interval: Duration = repeatAfter, _ vigil: Vigil
  ) throws(ProveFailure) -> [ProbeResult] {
    var results = probes.map { ProbeResult(probe: $0) }
    // By number, which is the place: tokens say it.
    func take(_ tap: PacketTap, _ heard: PacketTap.Heard) {
      if tap === client.ear {
        guard !heard.isOutgoing else { return }
        for (place, probe) in probes.enumerated() where results[place].answer == nil {
          results[place].answer = ProbeAnswer(heard.packet, to: probe)
        }
        return
      }
      guard heard.isOutgoing != (tap === client.door), let place = marks.number(in: heard.packet),
        results.indices.contains(place)
      else { return }
      // An answer quotes what it answers, and goes by the LAN, which may be a way out too.
      if let destination = ProbeAnswer.destination(heard.packet), client.addresses.values.contains(destination) {
        return
      }
      if tap === client.door {
        results[place].reachedRouter = true
      } else if let device = inside.first(where: { $0.tap === tap })?.device {
        results[place].inside[device, default: 0] += 1
      } else if let device = outside.first(where: { $0.tap === tap })?.device {
        results[place].clear[device, default: 0] += 1
      }
    }
    vigil.forgetTaps()
    defer { vigil.forgetTaps() }
    do throws(SystemFailure) {
      for tap in [client.ear, client.door] + (outside + inside).map(\.tap) { try vigil.listen(to: tap) }
    } catch {
      throw .unavailable(error.description)
    }
    for repetition in 0..<repetitions {
      for probe in probes {
        guard let source = client.addresses[probe.family] else { continue }
        for packet in ProbePackets(source: source, mtu: client.mtu).packets(of: probe) {
          client.send(packet, to: probe.destination)
        }
      }
      try vigil.hear(until: Clock.now + (repetition + 1 < repetitions ? interval : Self.quiet), take)
    }
    return results
  }
}
