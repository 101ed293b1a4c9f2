/// The version of this source tree; `adit version`, `status` and the peer info name it.
package enum Version {
  package static let text = "0.1.0"
  /// A clock that shows a time before this was never set: it is the month of the release.
  package static let releaseDate = WallTime(seconds: 1_793_491_200)
}
