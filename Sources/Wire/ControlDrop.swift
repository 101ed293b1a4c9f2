/// Why a control packet was not taken.
///
/// One counter each; the raw values are the names that `status` shows.
package enum ControlDrop: String, Error, Hashable, Sendable, CaseIterable {
  /// Ends before its fields do.
  case tooShort = "control_too_short"
  /// Not an opcode of a control packet, or not one that this end takes.
  case unknownOpcode = "control_unknown_opcode"
  /// More than 8 ids, a list that is cut off, or an acknowledgement of nothing.
  case badAcknowledgements = "control_bad_acknowledgements"
  case zeroSessionID = "control_zero_session_id"
  /// Speaks to or comes from a session that is not ours.
  case wrongPeerSession = "control_wrong_peer_session"
  /// A hard reset that is not the first message, or a message too far ahead.
  case badMessageID = "control_bad_message_id"
  /// Belongs to a key id that nobody negotiates.
  case unknownKeyID = "control_unknown_key_id"
  /// The wrap (tls-auth, tls-crypt) did not authenticate.
  case badTag = "control_bad_tag"
  case replayed = "control_replayed"
  /// Bigger than a control packet may be.
  case tooLarge = "control_too_large"
}
