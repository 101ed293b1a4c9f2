import Base
import IO

/// nft(8), asked instead of told: for commands that look at what others have loaded.
package enum NftProgram {
  /// A listing of some thousand rules takes it a second on a small router.
  private static let patience: Duration = .seconds(10)

  /// `nil` when it is not installed.
  package static var path: String? { Firewall.programs.first { TextFile.status($0) != nil } }

  /// Waits for the end.
  /// - Parameter limit: bytes of output; one byte more and the listing counts as too long.
  /// - Returns: what it printed, or its own words of refusal.
  package static func ask(
    _ arguments: [String], input: String = "", limit: Int = ChildProcess.mostOutput, keepsErrors: Bool = true
  ) -> Result<String, Refusal> {
    guard let path else { return .failure(Refusal(words: "the program nft is not installed")) }
    var request = ChildProcess.Request(path, arguments)
    request.input = Array(input.utf8)
    request.outputLimit = limit + 1
    request.keepsErrors = keepsErrors
    do throws(SystemFailure) {
      guard let result = try ChildProcess.run(request, within: patience) else {
        return .failure(Refusal(words: "nft did not end in time"))
      }
      guard result.output.utf8.count <= limit else {
        return .failure(Refusal(words: "it is longer than \(limit) bytes"))
      }
      guard result.isSuccess else { return .failure(Refusal(words: Self.words(result))) }
      return .success(result.output)
    } catch {
      return .failure(Refusal(words: "\(error)"))
    }
  }

  package struct Refusal: Error, Hashable, Sendable {
    package var words: String
  }

  /// The first complaint; the lines under it show the place in the text.
  private static func words(_ result: ChildProcess.Result) -> String {
    let line = result.output.split(separator: "\n").first { !$0.hasPrefix("#") }.map(String.init)
    return line ?? "nft ended with \(result.ending) and no word"
  }
}
