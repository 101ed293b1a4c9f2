/// The rows of the rule band that every plan begins with.
let band4 = """
  rule v4 800: fwmark 0xad000000/0xff000000 lookup 254
  rule v4 810: fwmark 0xae000000/0xff000000 lookup 254
  rule v4 811: fwmark 0xae000000/0xff000000 unreachable
  rule v4 812: fwmark 0xaf000000/0xff000000 unreachable
  rule v4 820: iif lo ipproto 17 sport 68 dport 67 lookup 254
  """
let band6 = """
  rule v6 800: fwmark 0xad000000/0xff000000 lookup 254
  rule v6 810: fwmark 0xae000000/0xff000000 lookup 254
  rule v6 811: fwmark 0xae000000/0xff000000 unreachable
  rule v6 812: fwmark 0xaf000000/0xff000000 unreachable
  rule v6 820: iif lo ipproto 17 sport 546 dport 547 lookup 254
  """
