# One long TCP connection that must live: what one side sends, the other sends back, and every byte is compared.
#   transfer.pl serve PORT             echoes whatever comes
#   transfer.pl run HOST PORT FILE     some 20 KB/s; FILE holds the bytes that came back right so far; SIGTERM ends it: exit 0 when all came back
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(time);

my ($what, @rest) = @ARGV;
$SIG{PIPE} = 'IGNORE';
$| = 1;

if ($what eq 'serve') {
  my $server = IO::Socket::INET->new(LocalPort => $rest[0], Listen => 5, ReuseAddr => 1) or die "transfer: $!\n";
  print "listening\n";
  $SIG{CHLD} = 'IGNORE';
  while (1) {
    my $peer = $server->accept or next;
    next if fork;
    while (sysread $peer, my $bytes, 65536) {
      my $at = 0;
      while ($at < length $bytes) { $at += syswrite($peer, $bytes, length($bytes) - $at, $at) // exit 1 }
    }
    exit 0;
  }
}

my ($host, $port, $file) = @rest;
my $peer = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Timeout => 10) or die "transfer: $!\n";
my $is_over = 0;
$SIG{TERM} = sub { $is_over = 1 };
open my $progress, '>', $file or die "transfer: $!\n";
my ($pending, $sent, $good, $block, $next) = ('', 0, 0, 0, time);
srand 7;
while (!$is_over || $good < $sent) {
  # What is under way is bounded, so that an outage is not followed by minutes of catching up.
  if (!$is_over && time >= $next) {
    $next = time + 0.05;
    if (length $pending < 65536) {
      my $bytes = pack('N', $block++) . pack('C*', map { int rand 256 } 1 .. 1020);
      my $count = syswrite $peer, $bytes;
      defined $count && $count == length $bytes or die "transfer: after $sent bytes: $!\n";
      $pending .= $bytes;
      $sent += $count;
    }
  }
  my $readable = '';
  vec($readable, fileno $peer, 1) = 1;
  next unless select($readable, undef, undef, 0.01) > 0;
  my $count = sysread $peer, my $bytes, 65536;
  defined $count or die "transfer: after $good bytes: $!\n";
  $count or die "transfer: closed after $good bytes\n";
  substr($pending, 0, $count) eq $bytes or die "transfer: other bytes than were sent, after $good\n";
  substr($pending, 0, $count) = '';
  $good += $count;
  sysseek $progress, 0, 0;
  syswrite $progress, "$good\n";
}
print "all $good bytes came back\n";
