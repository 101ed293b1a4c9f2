# A longer or a worse way, for kernels without netem: relays UDP from one port to a server, each datagram DELAY seconds later, both ways.
# A house that comes from another address gets another socket towards the server, as a NAT on the way does it.
#   relay.pl LOCAL_ADDRESS PORT SERVER_ADDRESS SERVER_PORT DELAY [LOSS REORDERED SEED]
# Of a hundred datagrams each way LOSS are dropped and REORDERED held back, by chance, until up to 24 later ones have passed: fewer than any
# replay window is wide, so that none of them may be taken for a replay. SIGTERM ends it, and then it says what it did.
use strict;
use warnings;
use IO::Socket::INET;
use List::Util qw(min);
use Socket qw(SOL_SOCKET MSG_DONTWAIT);
use Time::HiRes qw(time);

use constant { MOST_PASSED => 24, LONGEST_HELD => 0.005, SO_RCVBUFFORCE => 33 };

my ($address, $port, $server, $server_port, $delay, $loss, $reordered, $seed) = (@ARGV, (0) x 3);
srand $seed;
my $house = IO::Socket::INET->new(Proto => 'udp', LocalAddr => $address, LocalPort => $port) or die "relay: $!\n";
my $to_server = pack_sockaddr_in($server_port, inet_aton($server));
my (%towards, %from, @queue);
my ($up, $down) = map { { name => $_, passed => 0, lost => 0, overtaken => 0, held => [] } } 'up', 'down';
my $is_over = 0;
$SIG{TERM} = sub { $is_over = 1 };
$| = 1;
roomy($house);
print "listening\n";
until ($is_over) {
  my $readable = '';
  vec($readable, fileno $_, 1) = 1 for $house, values %towards;
  my $wait = min @queue ? $queue[0][0] : (), map { @{$_->{held}} ? $_->{held}[0]{until} : () } $up, $down;
  if (defined $wait) {
    $wait -= time;
    $wait = 0 if $wait < 0;
  }
  if (select($readable, undef, undef, $wait) > 0) {
    if (vec $readable, fileno $house, 1) {
      for (1 .. 64) {
        my $from = recv $house, my $bytes, 65536, MSG_DONTWAIT;
        last unless defined $from;
        if (!$towards{$from}) {
          my $socket = $towards{$from} = IO::Socket::INET->new(Proto => 'udp', LocalAddr => $address) or die "relay: $!\n";
          $from{fileno $socket} = $from;
          roomy($socket);
        }
        push @queue, [time + $delay, $up, $towards{$from}, $to_server, $bytes];
      }
    }
    for my $socket (values %towards) {
      next unless vec $readable, fileno $socket, 1;
      for (1 .. 64) {
        # An error (nobody listens) is read away; the house hears nothing, as behind a firewall.
        defined recv($socket, my $bytes, 65536, MSG_DONTWAIT) or last;
        push @queue, [time + $delay, $down, $house, $from{fileno $socket}, $bytes];
      }
    }
  }
  my $now = time;
  while (@queue && $queue[0][0] <= $now) {
    my (undef, $way, @datagram) = @{shift @queue};
    carry($way, $now, @datagram);
  }
  # Behind the last of a burst nothing comes that could overtake: the held ones go on by time.
  for my $way ($up, $down) {
    release($way) while @{$way->{held}} && $way->{held}[0]{until} <= $now;
  }
}
print join('; ', map { "$_->{name}: $_->{passed} passed, $_->{lost} lost, $_->{overtaken} overtaken" } $up, $down), "\n";

# What is lost here is lost by chance and counted, not for want of room behind a burst.
sub roomy { setsockopt $_[0], SOL_SOCKET, SO_RCVBUFFORCE, 4 << 20 }

sub carry {
  my ($way, $now, @datagram) = @_;
  if (rand(100) < $loss) {
    $way->{lost}++;
  } elsif (rand(100) < $reordered) {
    my $passed = $way->{passed};
    push @{$way->{held}}, { datagram => \@datagram, passed => $passed, after => $passed + 1 + int rand MOST_PASSED, until => $now + LONGEST_HELD };
  } else {
    pass($way, @datagram);
    release($way) while @{$way->{held}} && $way->{held}[0]{after} <= $way->{passed};
  }
}

# The one that was held back first goes on.
sub release {
  my ($way) = @_;
  my $held = shift @{$way->{held}};
  $way->{overtaken}++ if $way->{passed} > $held->{passed};
  pass($way, @{$held->{datagram}});
}

sub pass {
  my ($way, $socket, $to, $bytes) = @_;
  send $socket, $bytes, 0, $to;
  $way->{passed}++;
}
