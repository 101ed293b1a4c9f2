/// The version of this source tree; `adit version`, `status` and the peer info name it.
package enum Version {
  package static let text = "0.1.0"
}
