import Base
import Gateway
import Glibc
import Hands
import IO
import NamespaceKit
import Profile
import Testing

/// A real dnsmasq in the namespace, started by an init script of the test's own, with a directory of further configuration.
private struct House: Sendable {
  let directory: String
  var programs = ResolverPrograms()

  init(_ state: StateDirectory, configuration: String = "") throws {
    // dnsmasq reads the servers as a user of its own.
    chmod(state.path, 0o755)
    directory = state.path
    programs.initScript = directory + "/init"
    programs.systemdDirectory = directory + "/no-systemd"
    programs.resolvectl = [directory + "/resolvectl"]
    programs.resolvconf = [directory + "/resolvconf"]
    try Namespace.shell(
      """
      cd \(directory) && mkdir conf.d && cat > dnsmasq.conf <<'CONF'
      conf-dir=\(directory)/conf.d
      \(configuration)
      CONF
      cat > init <<'SH'
      #!/bin/sh
      cd \(directory)
      echo $1 >> calls
      # dnsmasq takes its pid file away before it ends, and has ended even if nobody collects it.
      old=$(cat pid 2>/dev/null) && kill $old && while grep -q '^State:.[^Z]' /proc/$old/status; do sleep 0.02; done
      rm -f pid
      [ -e fails ] && [ -e conf.d/adit.conf ] && exit 1
      [ "$1" = stop ] || /usr/sbin/dnsmasq -C \(directory)/dnsmasq.conf -x \(directory)/pid -u root
      SH
      for program in resolvectl resolvconf; do
        printf '#!/bin/sh\\necho %s "$@" "$(cat)" >> \(directory)/calls\\n' $program > $program
      done
      chmod 755 init resolvectl resolvconf && ./init start
      """)
  }

  var calls: String { (try? Namespace.shell("cat '\(directory)/calls'")) ?? "" }
  var files: String {
    (try? Namespace.shell("cd '\(directory)' && ls -A conf.d && cat conf.d/* 2>/dev/null; true")) ?? ""
  }
  func stop() { _ = try? Namespace.shell("'\(programs.initScript)' stop") }

  func hands() throws -> Hands { try Hands(stateDirectory: directory, programs: programs) }

  func service(_ server: String = "10.8.0.1") throws -> NameService {
    let found = try #require(
      ResolverSearch.look(stateDirectory: directory, programs: programs).dnsmasq.values.first)
    var service = NameService()
    var dnsmasq = NameService.Dnsmasq(place: try #require(found.place), isExclusive: true)
    dnsmasq.forwarders = [.init([Endpoint(address: try address(server), port: 53)])]
    service.dnsmasq = dnsmasq
    return service
  }
}

/// Drives the resolvers to rest as the daemon's loop does.
private func settle(_ hand: ResolverHand) throws -> [String] {
  let end = Clock.now + .seconds(20)
  while hand.isBusy, Clock.now < end {
    var poller = try Poller()
    if let descriptor = hand.descriptor { try poller.add(descriptor, for: .readable, token: 0) }
    _ = try poller.wait(until: min(end, hand.deadline ?? end))
    hand.proceed()
  }
  return hand.takeMessages().map(\.text)
}

@Suite("The router's resolvers", .enabled(if: Namespace.isPossible))
struct ResolverTests {
  @Test("dnsmasq is found with its addresses and its directory, and others are left alone")
  func search() throws {
    let (none, facts, isolated) = try inHouse { state in
      let none = ResolverSearch.look(stateDirectory: state.path)
      let house = try House(state, configuration: "server=9.9.9.9\nstop-dns-rebind")
      defer { house.stop() }
      let facts = ResolverSearch.look(stateDirectory: state.path, programs: house.programs)
      // One that has a servers-file already cannot take ours.
      try Namespace.shell("echo servers-file=/dev/null >> \(state.path)/dnsmasq.conf; \(state.path)/init restart")
      return (none, facts, ResolverSearch.look(stateDirectory: state.path, programs: house.programs))
    }
    #expect(none.listeners.isEmpty)
    #expect(Set(facts.listeners.map(\.program)) == [.dnsmasq])
    #expect(facts.listener(at: [try address("192.168.1.1")])?.program == .dnsmasq)
    let dnsmasq = try #require(facts.dnsmasq.values.first)
    #expect(dnsmasq.hasServers && dnsmasq.stopsRebinding && dnsmasq.trouble == nil)
    #expect(dnsmasq.place?.directory.hasSuffix("/conf.d") ?? false)
    #expect(dnsmasq.place?.restart == .initScript)
    #expect(isolated.dnsmasq.values.first?.place == nil)
    #expect(isolated.dnsmasq.values.first?.trouble?.contains("servers-file") ?? false)
  }

  @Test("G-07: told with one restart, told anew with a signal, put back with one restart; noted before it is done")
  func dnsmasq() throws {
    let seen = try inHouse { state in
      let house = try House(state)
      defer { house.stop() }
      let hands = try house.hands()
      let before = house.files
      hands.names.apply(try house.service(), hands.names.facts(uplink: []))
      let noted = state.undo
      let words = try settle(hands.names)
      let told = (house.files, house.calls)
      let process = try Namespace.shell("cat '\(state.path)/pid'")
      hands.names.apply(try house.service("10.8.0.9"), hands.names.facts(uplink: []))
      let anew = (try settle(hands.names), house.calls, try Namespace.shell("cat '\(state.path)/dnsmasq/servers'"))
      let isSame = process == (try Namespace.shell("cat '\(state.path)/pid'"))
      hands.names.apply(NameService(), hands.names.facts(uplink: []))
      let back = (try settle(hands.names), house.calls, house.files == before)
      return (noted, words, told, anew, isSame, back, state.undo)
    }
    #expect(seen.0?.hasPrefix("dnsmasq\t/tmp/adit-hands-") ?? false)
    #expect(seen.1 == ["dnsmasq asks the tunnel's resolvers"])
    #expect(seen.2.0.contains("no-resolv\nservers-file=/tmp/adit-hands-"))
    #expect(seen.2.1 == "start\nrestart")
    #expect(seen.3.0.isEmpty && seen.3.1 == "start\nrestart" && seen.3.2 == "server=10.8.0.9")
    #expect(seen.4)
    #expect(seen.5.0.isEmpty && seen.5.1 == "start\nrestart\nrestart" && seen.5.2)
    #expect(seen.6 == nil)
  }

  @Test(
    "G-07: what a killed predecessor told is taken back by a sweep and by the next plan, with or without its journal")
  func crash() throws {
    let seen = try inHouse { state in
      let house = try House(state)
      defer { house.stop() }
      let before = house.files
      var results: [Bool] = []
      func tell() throws {
        let hands = try house.hands()
        hands.names.apply(try house.service(), hands.names.facts(uplink: []))
        _ = try settle(hands.names)
      }
      try tell()
      let swept = try house.hands().sweep(band: 800...899)
      results.append(swept.lines == ["took back dnsmasq's servers"] && house.files == before && state.undo == nil)
      try tell()
      let next = try house.hands()
      next.names.apply(NameService(), ResolverFacts())
      _ = try settle(next.names)
      results.append(house.files == before)
      // A power failure takes the journal; the file on flash says whose it is.
      try tell()
      try Namespace.shell("rm '\(state.path)/undo'")
      let last = try house.hands()
      last.names.apply(NameService(), last.names.facts(uplink: []))
      _ = try settle(last.names)
      results.append(house.files == before)
      return (results, house.calls.split(separator: "\n").count)
    }
    #expect(seen.0 == [true, true, true])
    // One start, three times told, three times put back.
    #expect(seen.1 == 7)
  }

  @Test("a dnsmasq that its owner stopped stays so when its file goes, and one that does not listen yet starts anew")
  func starting() throws {
    let calls = try inHouse { state in
      let house = try House(state)
      defer { house.stop() }
      func tellAndStop() throws {
        let hands = try house.hands()
        hands.names.apply(try house.service(), hands.names.facts(uplink: []))
        _ = try settle(hands.names)
        house.stop()
      }
      try tellAndStop()
      _ = try house.hands().sweep(band: 800...899)
      let stopped = house.calls
      try Namespace.shell("'\(state.path)/init' start")
      try tellAndStop()
      // Something of that name that has no socket.
      try Namespace.shell(
        """
        cd '\(state.path)' && mkdir bin && cp "$(command -v sleep)" bin/dnsmasq
        bin/dnsmasq 30 > /dev/null 2>&1 & echo $! > '\(state.path)/waiting'
        until grep -q dnsmasq "/proc/$(cat '\(state.path)/waiting')/comm"; do sleep 0.02; done
        """)
      defer { _ = try? Namespace.shell("kill $(cat '\(state.path)/waiting')") }
      _ = try house.hands().sweep(band: 800...899)
      return (stopped, house.calls)
    }
    #expect(calls.0 == "start\nrestart\nstop")
    #expect(calls.1 == calls.0 + "\nstart\nrestart\nstop\nrestart")
  }

  @Test("A dnsmasq that does not start with our file gets its own back, and that is said")
  func broken() throws {
    let (words, files, trouble, listens) = try inHouse { state in
      let house = try House(state)
      defer { house.stop() }
      try Namespace.shell("touch '\(state.path)/fails'")
      let hands = try house.hands()
      hands.names.apply(try house.service(), hands.names.facts(uplink: []))
      let words = try settle(hands.names)
      let facts = hands.names.facts(uplink: [])
      return (words, house.files, hands.names.trouble, facts.listeners.isEmpty)
    }
    #expect(words.contains { $0.contains("did not start again with Adit's file") })
    #expect(files == "" && trouble != nil && !listens)
  }

  @Test("A file of somebody else's is never touched")
  func foreign() throws {
    let (words, files) = try inHouse { state in
      let house = try House(state)
      defer { house.stop() }
      try Namespace.shell("echo '# mine' > '\(state.path)/conf.d/adit.conf'")
      let hands = try house.hands()
      hands.names.apply(try house.service(), hands.names.facts(uplink: []))
      return (try settle(hands.names), house.files)
    }
    #expect(words.contains { $0.contains("somebody else made") })
    #expect(files == "adit.conf\n# mine")
  }

  @Test("systemd-resolved and resolvconf hear of a device and of its end, also from a successor")
  func links() throws {
    let seen = try inHouse { state in
      let house = try House(state)
      defer { house.stop() }
      var service = NameService()
      let server = Endpoint(address: try address("10.8.0.1"), port: 53)
      service.links = [
        .init(program: .resolvconf, device: try device("tun-a"), servers: [server], domains: [], takesAll: true),
        .init(program: .resolved, device: try device("tun-b"), servers: [server], domains: [], takesAll: true),
      ]
      let hands = try house.hands()
      hands.names.apply(service, ResolverFacts())
      _ = try settle(hands.names)
      let undo = state.undo
      hands.names.apply(service, ResolverFacts())
      _ = try settle(hands.names)
      service.links.removeLast()
      hands.names.apply(service, ResolverFacts())
      _ = try settle(hands.names)
      let swept = try house.hands().sweep(band: 800...899)
      return (house.calls, undo, swept.lines, state.undo)
    }
    #expect(
      seen.0 == """
        start
        resolvconf -a tun-a nameserver 10.8.0.1
        resolvectl dns tun-b 10.8.0.1\(" ")
        resolvectl domain tun-b ~.\(" ")
        resolvectl default-route tun-b yes\(" ")
        resolvectl revert tun-b\(" ")
        resolvconf -d tun-a\(" ")
        """)
    #expect(seen.1 == "resolvconf\ttun-a\nresolved\ttun-b\n")
    #expect(seen.2 == ["took back tun-a from resolvconf"])
    #expect(seen.3 == nil)
  }
}
