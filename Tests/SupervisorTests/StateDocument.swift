import Supervisor

/// docs/STATES.md: every state, every event, and what comes of the two.
enum StateDocument {
  /// What each state is, and what leads out of it without anybody's doing.
  static let states: [(phase: TunnelSupervisor.PhaseName, meaning: String, deadline: String)] = [
    (.idle, "Nothing runs: switched off, taken down by a rule, or paused.", "the end of a pause"),
    (.resolving, "The engine asks for the addresses of a server's name.", "30 s, then the engine is killed"),
    (
      .connecting, "An attempt runs, from the first packet to the network that it asks for.",
      "what the options allow, then the engine is killed; 300 ms to 1.5 s for a server that just fell silent"
    ),
    (
      .up, "The session stands.",
      "none: the session says when it is over or hears nothing, the kernel when the way is another"
    ),
    (
      .proving, "The session goes on by another way, or after a gap, and is asked for proof of life.",
      "5 s, then a new session"
    ),
    (
      .stranded, "The session stands and has no way to its server. It is held, and judged by nobody.",
      "1 s where the other address family has a way; else none: the kernel says when there is one"
    ),
    (.suspect, "The session hears nothing and probes.", "none: the session says how it came out"),
    (.ending, "The session says goodbye.", "3 s, then the engine is killed"),
    (.pausing, "Waiting before the next attempt: what for decides what cuts it short.", "the ladder of what failed"),
    (.unreachable, "No session, and no way to any server: no attempts.", "10 s, then the kernel is asked again"),
  ]

  static func text() throws -> String {
    var text = """
      # States of a tunnel

      What the supervisor does in each state with everything it may be told. A test plays every pair of the two and compares
      it with these lines (`StateTableTests`; `ADIT_RECORD_STATES=1` writes them anew, to be read before they are
      committed). The scene is a tunnel with two remotes, the first a name with an IPv4 and an IPv6 address; its session
      has lived for a moment only, and a pause is that of servers that do not answer. Random events (`RandomRunTests`) hold
      the rules that no table can show: no state without a way out, no attempt faster than its ladder, and none while there
      is no way or the tunnel is put down.

      | state | what it is | its deadline |
      |---|---|---|

      """
    for state in states { text += "| \(state.phase.rawValue) | \(state.meaning) | \(state.deadline) |\n" }
    text += """

      ## Pauses

      Each kind of failure climbs its own ladder. A session that stood for \(seconds(.seconds(20))) forgives the first two; a
      login that went well the third.

      | what failed | how long | what cuts it short |
      |---|---|---|
      | nobody answers | anything up to 1, 2, 4, at most \(seconds(Backoff.silentCap)), the wait for the answer included | another way, sleep, `up`, `reconnect` |
      | an answer that refuses | the same, up to \(seconds(Backoff.refusedCap)) | the same; where a certificate is of another time, the set clock |
      | the login | \(Backoff.loginLadder.map { seconds($0) }.joined(separator: ", ")) and so on | other credentials in the file, `reconnect`; neither `down` and `up` nor the line |
      | a one-time password that was sent | until the file has another | nothing else |
      | what only the owner can mend | as for the login | a changed file, `up`, `reconnect` |
      | HALT | \(seconds(Backoff.haltPause)) | `up`, `reconnect` |
      | a time that the server or the owner named | that time, at most \(seconds(Backoff.longestWish)) | `up`, `reconnect` |
      | engines that die | 0, 1, 2, 4, at most 60 s | `up`, `reconnect` |
      | attempts that come too fast, for whatever reason | 12 at once, then five in a second | nothing |
      | a server that said it restarts | some 250 ms, for \(seconds(Failover.restartGrace)) | |
      | `connect-retry-max` rounds | \(seconds(Backoff.coolDown)) | as for nobody answers |

      """
    for state in states {
      text += "\n## \(state.phase.rawValue)\n\n| event | leads to | and does |\n|---|---|---|\n"
      var ignored: [String] = []
      for event in StateEvent.allCases {
        let outcome = try StateScene.outcome(of: event, in: state.phase)
        if outcome.next == state.phase, outcome.does.isEmpty {
          ignored.append(event.rawValue)
        } else {
          let next = outcome.next == state.phase ? "" : outcome.next.rawValue
          text += "| \(event.rawValue) | \(next) | \(outcome.does.joined(separator: ", ")) |\n"
        }
      }
      text += "\nNothing to see: \(ignored.joined(separator: "; ")).\n"
    }
    return text
  }

  private static func seconds(_ span: Duration) -> String { "\(span.components.seconds) s" }
}
