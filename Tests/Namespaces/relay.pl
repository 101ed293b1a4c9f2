# A longer way, for kernels without netem: relays UDP from one port to a server, each datagram DELAY seconds later, both ways.
# A house that comes from another address gets another socket towards the server, as a NAT on the way does it.
#   relay.pl LOCAL_ADDRESS PORT SERVER_ADDRESS SERVER_PORT DELAY
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(time);

my ($address, $port, $server, $server_port, $delay) = @ARGV;
my $house = IO::Socket::INET->new(Proto => 'udp', LocalAddr => $address, LocalPort => $port) or die "relay: $!\n";
my $to_server = pack_sockaddr_in($server_port, inet_aton($server));
my (%towards, %from, @queue);
$| = 1;
print "listening\n";
while (1) {
  my $readable = '';
  vec($readable, fileno $_, 1) = 1 for $house, values %towards;
  my $wait = @queue ? $queue[0][0] - time : undef;
  $wait = 0 if defined $wait && $wait < 0;
  if (select($readable, undef, undef, $wait) > 0) {
    if (vec $readable, fileno $house, 1) {
      my $from = recv $house, my $bytes, 65536, 0;
      if (defined $from) {
        if (!$towards{$from}) {
          my $socket = $towards{$from} = IO::Socket::INET->new(Proto => 'udp', LocalAddr => $address) or die "relay: $!\n";
          $from{fileno $socket} = $from;
        }
        push @queue, [time + $delay, $towards{$from}, $to_server, $bytes];
      }
    }
    for my $socket (values %towards) {
      next unless vec $readable, fileno $socket, 1;
      # An error (nobody listens) is read away; the house hears nothing, as behind a firewall.
      defined recv($socket, my $bytes, 65536, 0) or next;
      push @queue, [time + $delay, $house, $from{fileno $socket}, $bytes];
    }
  }
  while (@queue && $queue[0][0] <= time) {
    my (undef, $socket, $to, $bytes) = @{shift @queue};
    send $socket, $bytes, 0, $to;
  }
}
