#!/usr/bin/perl
# ask.pl NAME SERVER [tcp]: asks one resolver for an address of the name, once, and says in one line what came:
# the address, `rcode N` (5 is REFUSED), `none`, `refused` when the network answered instead, or `silence` after three seconds.
use strict;
use warnings;
use Socket qw(:DEFAULT inet_pton inet_ntop pack_sockaddr_in6 AF_INET6 IPPROTO_TCP);

my ($name, $server, $transport) = @ARGV;
my $family = $server =~ /:/ ? AF_INET6 : AF_INET;
my $bytes = inet_pton($family, $server) or die "no address: $server\n";
my $address = $family == AF_INET6 ? pack_sockaddr_in6(53, $bytes) : pack_sockaddr_in(53, $bytes);
my $is_stream = ($transport // '') eq 'tcp';
my $id = $$ & 0xffff;
my $query = pack('n6', $id, 0x0100, 1, 0, 0, 0) . join('', map { pack('C/a', $_) } split(/\./, $name)) . pack('Cnn', 0, 1, 1);

sub say_and_end { print "$_[0]\n"; exit 0 }
$SIG{ALRM} = sub { say_and_end('silence') };
alarm 3;
socket(my $socket, $family, $is_stream ? SOCK_STREAM : SOCK_DGRAM, 0) or die "socket: $!\n";
connect($socket, $address) or say_and_end('refused');
$query = pack('n/a', $query) if $is_stream;
defined(syswrite($socket, $query)) or say_and_end('refused');
my $answer = '';
while (1) {
  my $got = sysread($socket, my $piece, 4096);
  say_and_end('refused') unless $got;
  $answer .= $piece;
  last unless $is_stream && (length($answer) < 2 || length($answer) < 2 + unpack('n', $answer));
}
substr($answer, 0, 2) = '' if $is_stream;
my (undef, $flags, $questions, $answers) = unpack('n4', $answer);
say_and_end('rcode ' . ($flags & 15)) if $flags & 15;
my $at = 12;
sub skip_name {
  while (1) {
    my $length = unpack('C', substr($answer, $at, 1));
    if ($length >= 192) { $at += 2; return }
    $at += 1 + $length;
    return if $length == 0;
  }
}
for (1 .. $questions) { skip_name(); $at += 4 }
for (1 .. $answers) {
  skip_name();
  my ($type, undef, undef, $length) = unpack('nnNn', substr($answer, $at, 10));
  say_and_end(inet_ntop(AF_INET, substr($answer, $at + 10, 4))) if $type == 1;
  $at += 10 + $length;
}
say_and_end('none');
