import IO

enum IOShell {
  static func run(_ command: String) throws -> Int32 {
    var request = ChildProcess.Request("/bin/sh", ["-c", command])
    request.environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    guard case .exit(let code)? = try ChildProcess.run(request, within: .seconds(10))?.ending else { return -1 }
    return code
  }
}
