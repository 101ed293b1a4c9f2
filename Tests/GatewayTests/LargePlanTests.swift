import Base
import Gateway
import Profile
import Testing

@Suite("A server that pushes thousands of routes")
struct LargePlanTests {
  @Test("5,000 pushed routes are planned, applied and found standing")
  func many() throws {
    var house = try House()
    try house.addTunnel("work") { options in
      try options.subnet()
      for index in 0..<5_000 { try options.route("100.\(64 + index / 256).\(index % 256).0/24") }
    }
    let plan = house.plan()
    #expect(plan.routes.count { $0.table == RoutingTables.pushed } == 5_001)
    var installed = Installed(snapshot: house.snapshot)
    let steps = Difference.steps(from: installed, to: plan)
    for case .addRoute(let route) in steps { installed.snapshot.routes.append(route) }
    let left = Difference.steps(from: installed, to: plan)
    #expect(!left.contains { if case .addRoute = $0 { true } else { false } })
  }
}
