import Profile

/// Lays the keys of a section over the lines of a profile.
enum Overlay {
  /// Options that answer one question together: a key for one replaces the profile's word on all.
  private static let groups: [Set<String>] = [
    ["remote", "connection"], ["tls-auth", "tls-crypt", "tls-crypt-v2"],
    ["data-ciphers", "ncp-ciphers"], ["pkcs12", "cert"], ["ping-exit", "ping-restart"],
    ["connect-timeout", "server-poll-timeout"],
  ]

  /// The profile's lines that still count, then the keys'.
  ///
  /// A key for a single-valued option replaces the profile's line, lists such as `route` add up, and `remote` replaces all
  /// of the profile's servers.
  static func lay(_ keys: [OptionLine], withdrawn: [String], over profile: [OptionLine]) -> [OptionLine] {
    guard !keys.isEmpty || !withdrawn.isEmpty else { return profile }
    var gone = Set(withdrawn)
    for key in keys {
      for group in groups where group.contains(key.name) { gone.formUnion(group) }
      if let entry = OptionTable.entry(named: key.name), !entry.isList { gone.insert(key.name) }
    }
    return profile.filter { !gone.contains($0.name) } + keys
  }
}
