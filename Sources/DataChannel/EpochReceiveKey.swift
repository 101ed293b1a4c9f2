internal import Base
internal import Crypto
internal import Wire

/// Opens the packets of one key id in the epoch format (protocol.md section 8.3): those of the peer's epoch, of the one
/// before, and of the next few, to the first good one of which it follows.
struct EpochReceiveKey: ~Copyable {
  /// Epochs ahead of the peer's that may begin with the next packet.
  static let futures = 16

  let cipher: DataCipher
  private(set) var usage: KeyUsage
  private var current: Epoch
  /// The epoch before, whose last packets may still be under way; 0 = none.
  private var retiring: Epoch
  /// Keyed for a future epoch that somebody named.
  private var trial: Epoch
  /// Made ahead, so that who names an epoch costs us nothing but a look.
  private var ahead: [EpochKeys] = []
  private var last: EpochSecret

  init?(_ key: DataKey, window size: Int, usage: KeyUsage) {
    let first = EpochSecret(first: key.epochSecret(.open))
    let keys = first.keys(key.cipher)
    guard let current = Epoch(keys, key.cipher, window: size), let retiring = Epoch(keys, key.cipher, window: size),
      let trial = Epoch(keys, key.cipher, window: size)
    else { return nil }
    self.usage = usage
    self.current = current
    self.retiring = retiring
    self.trial = trial
    self.retiring.number = 0
    self.trial.number = 0
    cipher = key.cipher
    last = first
    lookAhead()
  }

  /// That of the peer.
  var epoch: UInt16 { current.number }
  /// True when the peer should be told by an epoch of ours to go on to the next: too much was opened or forged with this.
  var wantsNextEpoch: Bool { current.usage.isUsedUp(cipher) || current.usage.failures >= KeyUsage.failureWarning }

  /// What is missing by now has had its time.
  mutating func age() {
    current.age()
    retiring.age()
  }

  private mutating func lookAhead() {
    while ahead.count < Self.futures, last.epoch < EpochSecret.last + UInt16(Self.futures) {
      last = last.next
      ahead.append(last.keys(cipher))
    }
  }

  /// Opens in place; the id is looked up before the costly part, but enters a window only after the tag was good.
  mutating func open(_ packet: UnsafeMutableRawPointer, count: Int, headerSize: Int) -> Opened {
    let length = count - headerSize - EpochLayout.added
    guard length > 0 else { return Opened(.tooShort) }
    guard usage.failures < KeyUsage.failureLimit else { return Opened(.forgeryLimit) }
    let id = unsafe UInt64(bigEndian: (packet + headerSize).loadUnaligned(as: UInt64.self))
    let number = UInt16(truncatingIfNeeded: id >> 48)
    let opened: Opened
    if number == current.number {
      unsafe opened = current.open(packet, id: id, length: length, headerSize: headerSize)
    } else if number != 0, number == retiring.number {
      unsafe opened = retiring.open(packet, id: id, length: length, headerSize: headerSize)
    } else {
      guard number > current.number, number <= EpochSecret.last, prepareTrial(number) else {
        return Opened(.unknownEpoch)
      }
      unsafe opened = trial.open(packet, id: id, length: length, headerSize: headerSize)
      if opened.drop == nil { follow() }
    }
    switch opened.drop {
    case nil: usage.count(bytes: length)
    case .badTag: usage.failures &+= 1
    default: break
    }
    return opened
  }

  private mutating func prepareTrial(_ number: UInt16) -> Bool {
    if trial.number == number { return true }
    let place = Int(number - current.number) - 1
    guard place < ahead.count, ahead[place].epoch == number else { return false }
    return trial.take(ahead[place])
  }

  /// The peer has gone on: what it skipped is never taken.
  private mutating func follow() {
    ahead.removeFirst(Int(trial.number - current.number))
    swap(&retiring, &current)
    swap(&current, &trial)
    trial.number = 0
    lookAhead()
  }
}

extension EpochReceiveKey {
  /// One epoch's cipher, IV and window.
  private struct Epoch: ~Copyable {
    /// 0 = none.
    var number: UInt16
    private(set) var usage = KeyUsage()
    private var context: AEADContext
    private var nonce = EpochNonce()
    private var window: ReplayWindow

    init?(_ keys: EpochKeys, _ cipher: DataCipher, window size: Int) {
      guard let context = AEADContext(cipher: cipher, key: keys.cipherKey, direction: .open) else { return nil }
      self.context = context
      window = ReplayWindow(size: size)
      number = keys.epoch
      nonce.take(iv: keys.iv)
    }

    mutating func take(_ keys: EpochKeys) -> Bool {
      number = 0
      guard context.rekey(keys.cipherKey) else { return false }
      nonce.take(iv: keys.iv)
      window.reset()
      usage = KeyUsage()
      number = keys.epoch
      return true
    }

    mutating func age() { window.age() }

    mutating func open(_ packet: UnsafeMutableRawPointer, id: UInt64, length: Int, headerSize: Int) -> Opened {
      let counter = id & EpochLayout.lastCounter
      guard window.wouldAccept(counter) else { return Opened(.replayed) }
      let start = unsafe packet + headerSize
      unsafe nonce.set(id: start)
      let body = unsafe start + EpochLayout.id
      let good = unsafe context.open(
        nonce: nonce.bytes, aad: packet, aadCount: headerSize + EpochLayout.id, from: body, count: length, into: body,
        tag: body + length)
      guard good else {
        usage.failures &+= 1
        return Opened(.badTag)
      }
      guard window.accept(counter) else { return Opened(.replayed) }
      usage.count(bytes: length)
      return Opened(offset: headerSize + EpochLayout.id, count: length)
    }
  }
}
