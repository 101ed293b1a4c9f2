extension ArraySlice<UInt8> {
  /// Where `text` stands first, such as the first line of a PEM block.
  package func firstRange(of text: String) -> Range<Int>? {
    let wanted = Array(text.utf8)
    var start = startIndex
    while endIndex - start >= wanted.count {
      if self[start..<start + wanted.count].elementsEqual(wanted) { return start..<start + wanted.count }
      start += 1
    }
    return nil
  }
}
