package enum Product {
  /// As `adit version` and `status` say it.
  package static let version = "0.1.0"
}
