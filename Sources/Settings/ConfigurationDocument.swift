/// docs/CONFIGURATION.md, made from the schema; `adit check --keys` prints it.
package enum ConfigurationDocument {
  package static var text: String {
    ([introduction] + Schema.sections.map(section) + [openVPNOptions, openWrt]).joined(separator: "\n\n") + "\n"
  }

  private static let introduction = """
    # Configuration

    Made from the schema in `Sources/Settings/SchemaTable.swift` by `adit check --keys`. `adit check` says everything that is wrong
    with a configuration, with file, line and column.

    `--config` names a directory (default `/etc/adit`) or one file (on OpenWrt `/etc/config/adit`). In the directory every regular
    file whose name has no dot is read as UCI text; profiles, certificates and secrets are read only where a key names them, and then
    they are never taken for UCI, whatever their name. Relative names start at the directory; with a single file, at `/etc/adit`;
    inside a profile, at the profile's own directory. Nothing is ever written there.

    ```
    config TYPE 'NAME'          # NAME may be left out
    	option KEY 'VALUE'       # the last one counts
    	list KEY 'VALUE'         # every one counts
    ```

    Quotes, comments (`#`), `\\` at a line's end and `;` between statements are read as `uci` reads them. A hyphen in a key is read as
    an underscore, with a note. Sections of one type and name are one section. An empty value means "not set".

    A section with an error never stops the others: a tunnel with one is `invalid` and does not start, a gateway with one keeps
    its LAN closed. A password written into a section makes the whole file a secret: mode 0600.
    """

  private static func section(_ section: Schema.Section) -> String {
    var lines = ["## \(section.type)", "", section.summary + later(section)]
    lines += ["", "| key | value | default | meaning |", "|---|---|---|---|"]
    lines += section.keys.map { key in
      let value = (key.isList ? "list: " : "") + key.kind.description
      let note = section.isActedOn && !key.isActedOn ? " Not yet acted on: \(key.name)." : ""
      return "| `\(key.name)` | \(value) | \(key.standard ?? "") | \(key.summary)\(note) |"
    }
    return lines.joined(separator: "\n")
  }

  private static func later(_ section: Schema.Section) -> String {
    section.isActedOn ? "" : " Read and checked, but **not yet acted on**: `adit check` says so."
  }

  private static let openVPNOptions = """
    ## OpenVPN options as keys

    Any OpenVPN option is a key of `tunnel`, with underscores for dashes; `adit check --options` lists them all and says which are
    honoured. `list` repeats the line; the cipher lists (`data_ciphers`, `tls_cipher`, `tls_ciphersuites`, `tls_groups`) join theirs
    with colons. An option without arguments takes 1 or 0, and 0 takes the profile's own line away. A file name may hold blanks
    without further quotes.

    Keys are laid over the profile: a single value replaces the profile's, lists such as `route` add up, and `remote` replaces all of
    its servers. Without `profile` the keys are all there is:

    ```
    config tunnel 'work'
    	list remote 'vpn.example.net 1194 udp'
    	option ca 'work-ca.crt'
    	option remote_cert_tls 'server'
    	option auth_user_pass 'work.auth'
    ```
    """

  private static let openWrt = """
    ## OpenWrt's own sections

    With `list take_over 'openvpn'` in `globals`, the `config openvpn` sections of /etc/config/openvpn are tunnels; with
    `list take_over 'network'`, so are the `config interface` sections of /etc/config/network with `option proto 'openvpn'`. Their keys
    are read as they stand there: `config`, `username`, `password`, `cert_password`, every OpenVPN option, `ovpnproto` for the transport.
    `enabled`, `enable`, `disabled` and `auto` all count. Beside `config`, the old package reads `dev`, `dev_type` and the passwords
    only, and so does Adit. Stop OpenWrt's own openvpn before.
    """
}
