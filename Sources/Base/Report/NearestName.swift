/// The nearest valid name for a typo.
package enum NearestName {
  /// - Returns: the candidate with the smallest edit distance, if it is near enough to be meant (a third of the word, at
  ///   least 2); among equals the first.
  package static func of(_ word: String, in candidates: some Sequence<String>) -> String? {
    let limit = max(2, word.utf8.count / 3)
    var best: (name: String, distance: Int)?
    for candidate in candidates where abs(candidate.utf8.count - word.utf8.count) <= limit {
      let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
      if distance <= limit, best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.name
  }

  /// Optimal string alignment: a swap of neighbours counts once, as a typing slip does.
  private static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i]
      for j in 1...b.count {
        var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, beforeLast[j - 2] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
