import Base
import Commands
import ConfigDirectory
import Gateway
import Settings
import TestKit
import Testing

@Suite("adit plan") struct PlanTests {
  private func configuration(_ scratch: Scratch) throws -> LoadedConfiguration {
    try scratch.write("home.ovpn", Sample.profile())
    try scratch.write("broken.ovpn", Sample.profile("ciper AES-256-GCM\n"))
    try scratch.write(
      "gateway",
      """
      config tunnel 'broken'
        option profile 'broken.ovpn'
      config tunnel 'home'
        option profile 'home.ovpn'
      config tunnel 'spare'
        option profile 'home.ovpn'
        option enabled '0'
      config gateway 'lan'
        list tunnel 'home'
        list lan 'br-lan'
      config gateway 'guests'
        list tunnel 'broken'
        list lan 'br-guests'
      """)
    return ConfigurationDirectory.load(path: scratch.path)
  }

  @Test("the tunnels are planned as a starting daemon has them: none up, no device for one that is off or broken")
  func all() throws {
    var configuration = try configuration(Scratch())
    let states = PlanCommand.narrow(&configuration, to: nil)
    #expect(states.map(\.name.text) == ["broken", "home", "spare"])
    #expect(states.map(\.index) == [1, 2, 3])
    #expect(states.map(\.wantsDevice) == [false, true, false])
    #expect(states.allSatisfy { !$0.isUp && $0.pushed == nil })
    #expect(configuration.settings.gateways.map(\.name.text) == ["lan", "guests"])
  }

  @Test("one tunnel keeps its place in the whole, and its gateways; it is planned although it is switched off")
  func one() throws {
    let scratch = try Scratch()
    var configuration = try configuration(scratch)
    let states = PlanCommand.narrow(&configuration, to: "home")
    #expect(states.map(\.index) == [2])
    #expect(configuration.settings.tunnels.map(\.name.text) == ["home"])
    #expect(configuration.settings.gateways.map(\.name.text) == ["lan"])
    configuration = try self.configuration(scratch)
    #expect(PlanCommand.narrow(&configuration, to: "spare").map(\.wantsDevice) == [true])
    #expect(configuration.settings.gateways.isEmpty)
  }

  @Test("an unknown name is bad input, a configuration that says nothing a bad one")
  func refusals() throws {
    let scratch = try Scratch()
    #expect(PlanCommand.run(PlanRequest(configPath: scratch.path)) == .badConfiguration)
    _ = try configuration(scratch)
    #expect(PlanCommand.run(PlanRequest(configPath: scratch.path, tunnel: "hom")) == .badInput)
  }
}
