/// What can be told of any policy routing rule, also of one whose selectors or action a `Rule` cannot say.
package struct RuleOutline: Hashable, Sendable {
  package var family: AddressFamily
  package var priority: UInt32
  package var mark: UInt32?
  package var markMask: UInt32
  /// The table it looks up; `nil` = another action.
  package var table: UInt32?
  package var inputDevice: DeviceName?
  /// True when it holds for every packet: no selector at all.
  package var isForAll: Bool
  /// FRA_PROTOCOL: who made it.
  package var origin: UInt8

  package init(
    family: AddressFamily, priority: UInt32, mark: UInt32? = nil, markMask: UInt32 = 0xffff_ffff, table: UInt32? = nil,
    inputDevice: DeviceName? = nil, isForAll: Bool = false, origin: UInt8 = 0
  ) {
    self.family = family
    self.priority = priority
    self.mark = mark
    self.markMask = markMask
    self.table = table
    self.inputDevice = inputDevice
    self.isForAll = isForAll
    self.origin = origin
  }

  /// The rules every kernel starts with: `local` at 0, `main` and `default` at the end.
  package var isStandard: Bool { isForAll && (priority == 0 || priority >= 32_766) && mark == nil }
}
