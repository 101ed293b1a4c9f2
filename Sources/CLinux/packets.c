#include <linux/icmp.h>
#include <net/ethernet.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

int adit_raw_socket(int family) {
  // IPPROTO_RAW brings its own header for IPv6 too (inet6_create in net/ipv6/af_inet6.c).
  int domain = family == 4 ? AF_INET : AF_INET6;
  return (int)ADIT_CALL(socket(domain, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_RAW));
}

int adit_echo_socket(int family) {
  int domain = family == 4 ? AF_INET : AF_INET6;
  int protocol = family == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6;
  int made = (int)ADIT_CALL(socket(domain, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol));
  if (made < 0) return made;
  // Everybody's ICMP comes here: only answers to echoes are of use.
  if (family == 4) {
    struct icmp_filter filter = {.data = ~(1u << ICMP_ECHOREPLY)};
    setsockopt(made, SOL_RAW, ICMP_FILTER, &filter, sizeof filter);
  } else {
    struct icmp6_filter filter;
    ICMP6_FILTER_SETBLOCKALL(&filter);
    ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter);
    setsockopt(made, IPPROTO_ICMPV6, ICMP6_FILTER, &filter, sizeof filter);
  }
  return made;
}

int adit_tap_open(int device, int ethertype, int buffer) {
  // Protocol 0 hears nothing: bind names the device and the protocol in one step.
  int made = (int)ADIT_CALL(socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made < 0) return made;
  if (setsockopt(made, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) < 0)
    setsockopt(made, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  struct sockaddr_ll at = {
    .sll_family = AF_PACKET,
    .sll_protocol = htons(ethertype ? (uint16_t)ethertype : ETH_P_ALL),
    .sll_ifindex = device,
  };
  int result = (int)ADIT_CALL(bind(made, (const struct sockaddr *)&at, sizeof at));
  if (result < 0) {
    close(made);
    return result;
  }
  return made;
}

long adit_tap_receive(int tap, void *into, size_t count, uint8_t *is_outgoing) {
  struct sockaddr_ll from = {0};
  socklen_t size = sizeof from;
  long result = ADIT_CALL(recvfrom(tap, into, count, MSG_DONTWAIT, (struct sockaddr *)&from, &size));
  *is_outgoing = result >= 0 && from.sll_pkttype == PACKET_OUTGOING;
  return result;
}

long adit_tap_broadcast(int tap, int device, int ethertype, const void *from, size_t count) {
  struct sockaddr_ll to = {
    .sll_family = AF_PACKET, .sll_protocol = htons((uint16_t)ethertype), .sll_ifindex = device, .sll_halen = ETH_ALEN};
  memset(to.sll_addr, 0xff, ETH_ALEN);
  return ADIT_CALL(sendto(tap, from, count, MSG_DONTWAIT, (const struct sockaddr *)&to, sizeof to));
}

long adit_tap_lost(int tap) {
  struct tpacket_stats {
    unsigned packets, drops;
  } stats = {0};
  socklen_t size = sizeof stats;
  // PACKET_STATISTICS of linux/if_packet.h, which excludes netpacket/packet.h. Reading sets it back to zero.
  long result = ADIT_CALL(getsockopt(tap, SOL_PACKET, 6, &stats, &size));
  return result < 0 ? result : (long)stats.drops;
}
