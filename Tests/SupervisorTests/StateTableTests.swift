import Foundation
import Supervisor
import Testing

@Suite("Every state and every event")
struct StateTableTests {
  @Test("The scene of each state is that state, and each state is told of")
  func scenes() throws {
    #expect(StateDocument.states.map(\.phase) == TunnelSupervisor.PhaseName.allCases)
    for phase in TunnelSupervisor.PhaseName.allCases {
      #expect(try StateScene.stage(in: phase).supervisor.phaseName == phase)
    }
  }

  @Test("Each pair does what its line in docs/STATES.md says")
  func pairs() throws {
    let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/docs/STATES.md"
    let text = try StateDocument.text()
    if ProcessInfo.processInfo.environment["ADIT_RECORD_STATES"] != nil {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let written = try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (now, then) in zip(lines, written) where now != then { Issue.record("is: \(now)\nwas: \(then)") }
    #expect(lines.count == written.count)
  }
}
