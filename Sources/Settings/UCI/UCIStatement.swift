package import Base

/// One word of UCI text after quoting is undone.
package struct UCIWord: Hashable, Sendable {
  package var text: String
  package var location: SourceLocation

  package init(_ text: String, at location: SourceLocation) {
    self.text = text
    self.location = location
  }
}

/// A keyword and its arguments: what stands between two line ends or semicolons.
package struct UCIStatement: Hashable, Sendable {
  package var keyword: UCIWord
  package var arguments: [UCIWord]
}

/// Limits of what is read, far above real files and far below what hurts a small router.
package enum UCILimits {
  /// Bytes of one file.
  package static let fileSize = 1 << 20
  /// Bytes of one word: a remote list or a certificate in one value still fits.
  package static let wordSize = 1 << 16
  /// Words of one statement that are kept; no statement takes more than three.
  package static let words = 8
  /// Sections of one file.
  package static let sections = 1_024
  /// Values of one file: 1,000 remotes and as many routes for each of several tunnels.
  package static let values = 16_384
}
