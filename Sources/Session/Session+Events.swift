internal import Base
internal import Exchange
internal import Profile
internal import TLS

extension Session {
  /// Lets both keys take what has arrived, and acts on what came of it.
  mutating func pump(at now: Instant, into outbox: inout Outbox) {
    for slot in [Slot.lameDuck, .primary] {
      let events = slot == .primary ? primary?.pump(at: now) : lameDuck?.pump(at: now)
      guard let events else { continue }
      let keyID = slot == .primary ? primary?.keyID : lameDuck?.keyID
      for event in events where stage != .over && stage != .leaving {
        handle(event, slot, keyID: keyID ?? 0, at: now, into: &outbox)
      }
    }
  }

  private mutating func handle(
    _ event: KeyState.Event, _ slot: Slot, keyID: UInt8, at now: Instant, into outbox: inout Outbox
  ) {
    switch event {
    case .established(let summary):
      if keyID == 0 { announce(summary, into: &outbox) }
      sendKeyMessage(slot, at: now, into: &outbox)
    case .serverKey:
      if keyID == 0 {
        outbox.notes.append(Note(.keysAgreed))
      } else if slot == .primary, installKey(at: now, into: &outbox) {
        renegotiations &+= 1
        outbox.events.append(.renegotiated(keyID: keyID))
        outbox.notes.append(Note(.renegotiated, "\(keyID)"))
      }
    case .active:
      if keyID == 0 { push.begin(at: now, window: timers.handWindow) }
    case .text(let text):
      handle(ServerMessage(text), at: now, into: &outbox)
    case .failed(let fault):
      // A lame duck's data key stays good without its TLS.
      guard slot == .primary else { return }
      let isPlain = keyID == 0 || fault.code.isAboutCertificate
      let reported = isPlain ? fault : Fault(.renegotiationFailed, fault.sentence)
      end(EndReport(fault: reported), at: now, into: &outbox)
    }
  }

  private func announce(_ summary: TLSEndpoint.Summary, into outbox: inout Outbox) {
    outbox.events.append(
      .tlsEstablished(
        TLSSummary(
          version: summary.version, cipher: summary.cipher, subject: summary.subject, notAfter: summary.notAfter)))
    outbox.notes.append(Note(.tlsEstablished, "\(summary.version) \(summary.cipher)", summary.subject))
  }

  private mutating func handle(_ message: ServerMessage, at now: Instant, into outbox: inout Outbox) {
    switch message {
    case .pushReply(let text): receivePush(text, at: now, into: &outbox)
    case .authFailed(let failure):
      end(failure.ending(usedToken: usedToken, wasUp: upSince != nil), at: now, into: &outbox)
    case .authPending(let seconds): waitForLogin(seconds, at: now, into: &outbox)
    case .info(let text): tell(text, into: &outbox)
    case .restart(let wish):
      end(EndReport(.serverRestart, wish), at: now, into: &outbox)
    case .halt(let wish):
      end(EndReport(.serverHalt, wish), at: now, into: &outbox)
    case .exit:
      end(EndReport(fault: Fault(.serverExit)), at: now, into: &outbox)
    case .other(let text): tell(Note(.textIgnored, text), into: &outbox)
    }
  }

  /// protocol.md section 11.7: the shorter of what the server says and half a key's life, never below the usual time.
  private mutating func waitForLogin(_ seconds: Int?, at now: Instant, into outbox: inout Outbox) {
    guard !push.isComplete else { return }
    let wanted = seconds.map { Duration.seconds($0) } ?? timers.handWindow
    let wait = min(wanted, max(timers.renegotiateAfter / 2, timers.handWindow))
    authPendingUntil = (primary?.activeSince ?? now) + wait
    outbox.notes.append(Note(.authPending, "\(wait.components.seconds)"))
  }

  /// A server that talks without end fills no log.
  private static let mostTexts = 100

  private mutating func tell(_ note: Note, into outbox: inout Outbox) {
    textsTold += 1
    if textsTold <= Self.mostTexts { outbox.notes.append(note) }
  }

  private mutating func tell(_ text: String, into outbox: inout Outbox) {
    if text.hasPrefix("OPEN_URL:") {
      tell(Note(.openURL, String(text.dropFirst(9))), into: &outbox)
    } else if text.hasPrefix("WEB_AUTH:") {
      // WEB_AUTH:flags:url
      let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      tell(Note(.openURL, parts.count == 3 ? String(parts[2]) : text), into: &outbox)
    } else {
      tell(Note(.serverMessage, text), into: &outbox)
    }
  }
}

extension Fault.Code {
  /// What is wrong with the server's certificate says more than that new keys could not be made.
  fileprivate var isAboutCertificate: Bool {
    switch self {
    case .tlsCertificateExpired, .tlsCertificateNotYetValid, .tlsCertificateRevoked, .tlsCertificateTooWeak,
      .tlsCertificateUntrusted, .tlsCertificateWrongFingerprint, .tlsCertificateWrongName, .tlsCertificateWrongUsage:
      true
    default: false
    }
  }
}

extension EndReport {
  fileprivate init(_ code: Fault.Code, _ wish: RestartWish) {
    self.init(
      fault: Fault(code, wish.reason.nonEmpty), advance: wish.nextRemote ? .nextRemote : .stay,
      keepsToken: wish.keepsToken)
  }
}
