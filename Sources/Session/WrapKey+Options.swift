internal import Base
internal import ControlChannel
internal import Crypto
internal import Profile
internal import Wire

extension WrapKey {
  /// - Parameter digest: of `auth`, which tls-auth uses whatever the data cipher.
  init(_ options: ControlWrapOptions, digest: Digest?) throws(Fault) {
    switch options {
    case .none: self = .none
    case .tlsAuth(let key, let direction):
      self = try .readTLSAuth(key, digest: digest, direction: direction)
    case .tlsCrypt(let key): self = try .readTLSCrypt(key)
    case .tlsCryptV2(let key): self = try .readTLSCryptV2(key)
    }
  }

  var resetOpcode: Opcode { usesThirdReset ? .hardResetClientV3 : .hardResetClientV2 }

  /// True when nobody else can make packets that pass.
  var authenticates: Bool {
    if case .none = self { return false }
    return true
  }

  var name: String {
    switch self {
    case .none: "none"
    case .tlsAuth: "tls-auth"
    case .tlsCrypt: "tls-crypt"
    case .tlsCryptV2: "tls-crypt-v2"
    }
  }
}
