# Much in little time, both ways at once: what one side sends, the other sends back, and the digests are compared.
#   bulk.pl serve PORT               echoes whatever comes, IPv4 and IPv6
#   bulk.pl run HOST PORT BYTES      writes of odd sizes; exit 0 when every byte came back
use strict;
use warnings;
use Digest::SHA;
use IO::Select;
use IO::Socket::IP;

my ($what, @rest) = @ARGV;
$SIG{PIPE} = 'IGNORE';
$| = 1;

if ($what eq 'serve') {
  my $server = IO::Socket::IP->new(LocalHost => '::', LocalPort => $rest[0], Listen => 5, ReuseAddr => 1, V6Only => 0)
    or die "bulk: $@\n";
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

my ($host, $port, $total) = @rest;
my $peer = IO::Socket::IP->new(PeerHost => $host, PeerPort => $port, Timeout => 10) or die "bulk: $@\n";
$peer->blocking(0);
my $select = IO::Select->new($peer);
my ($sent, $came) = (Digest::SHA->new(256), Digest::SHA->new(256));
my ($out, $in, $waiting) = (0, 0, '');
# Bytes that no shift or repetition leaves equal.
my $source = join '', map { Digest::SHA::sha256("bulk $_") } 1 .. 2048;
my $patience = time + 60;
while ($in < $total) {
  die "bulk: $out bytes went, $in came back\n" if time > $patience;
  my ($readable, $writable) = IO::Select->select($select, $out < $total || length $waiting ? $select : undef, undef, 1);
  if (@{$readable // []}) {
    my $got = sysread $peer, my $bytes, 262_144;
    die "bulk: ended after $in bytes\n" if defined $got && $got == 0;
    if ($got) { $in += $got; $came->add($bytes) }
  }
  next unless @{$writable // []};
  if (!length $waiting) {
    my $size = 1 + int rand(rand() < 0.1 ? 60_000 : 5_000);
    $size = $total - $out if $size > $total - $out;
    $waiting = substr $source, int rand(length($source) - $size), $size;
    $sent->add($waiting);
    $out += $size;
  }
  my $wrote = syswrite $peer, $waiting;
  substr($waiting, 0, $wrote) = '' if $wrote;
}
my ($one, $other) = ($sent->hexdigest, $came->hexdigest);
print "$total bytes, sha256 $one\n";
$one eq $other or die "bulk: what came back has sha256 $other\n";
