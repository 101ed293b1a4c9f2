internal import Commands
internal import Daemon
internal import Engine
internal import Glibc

/// One executable: the commands, the supervisor process, and behind a hidden verb the engine that it starts.
@main struct Adit {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == "engine" { exit(Engine.main(Array(words.dropFirst()))) }
    exit(CommandRunner.run(words) { options, output in DaemonProcess.run(options, write: output.write) })
  }
}
