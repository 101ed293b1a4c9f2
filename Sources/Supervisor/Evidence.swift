package import Base

/// What is known of everything that a tunnel rests on, each with the moment it was found out.
package struct Evidence: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    /// `nil` = it works.
    package var fault: Fault?
    /// What was seen: `wan0 has a link`.
    package var words: String
    package var at: Instant
  }

  package private(set) var items: [Fault.Layer: Item] = [:]

  package init() {}

  /// What was found out by asking says something for so long; without another answer it is unknown again.
  package static let lifetime: Duration = .seconds(30)

  /// It works. What was blamed on layers behind a broken one, or was asked while it was broken, is no blame any more.
  package mutating func shows(_ layer: Fault.Layer, _ words: String, at now: Instant) {
    let wasBroken = items[layer].map { $0.fault != nil && now - $0.at < Self.lifetime } ?? false
    items[layer] = Item(fault: nil, words: words, at: now)
    guard wasBroken else { return }
    for behind in Self.carried where behind > layer && items[behind]?.fault != nil { items[behind] = nil }
  }

  package mutating func fails(_ fault: Fault, _ words: String, at now: Instant) {
    items[fault.code.layer] = Item(fault: fault, words: words, at: now)
  }

  /// It cannot be told.
  package mutating func forget(_ layer: Fault.Layer) { items[layer] = nil }

  /// Nothing is wrong any more, as far as attempts can tell.
  package mutating func forgiveAttempts() {
    for (layer, item) in items where item.fault != nil && !Self.way.contains(layer) { items[layer] = nil }
  }

  /// The layers of the way, which are looked at beside the attempts.
  package static let way: Set<Fault.Layer> = [.carrier, .address, .gateway, .outside]
  /// What cannot be judged while the way is broken.
  private static let carried: [Fault.Layer] = [.gateway, .outside, .name, .server]

  /// The first of the chain that fails: with all that rests on it working later, it does not.
  package func broken(at now: Instant) -> (layer: Fault.Layer, item: Item)? {
    for layer in Fault.Layer.allCases {
      guard let item = items[layer], item.fault != nil else { continue }
      if Self.way.contains(layer), now - item.at >= Self.lifetime { continue }
      let isRefuted = items.contains { $0.key > layer && $0.value.fault == nil && $0.value.at > item.at }
      // What stands in our own files is not mended by an answer; what ended the last session is, by the next.
      if isRefuted, layer > .router { continue }
      return (layer, item)
    }
    return nil
  }

  /// For people, in the order of the chain: `cable: wan0 has a link (3 s ago)`.
  package func words(at now: Instant) -> [String] {
    Fault.Layer.allCases.compactMap { layer in
      guard let item = items[layer], !item.words.isEmpty else { return nil }
      let seconds = (now - item.at).components.seconds
      let age = seconds < 1 ? "now" : "\(TunnelSupervisor.words(.seconds(seconds))) ago"
      return "\(layer.words): \(item.words) (\(age))"
    }
  }
}
