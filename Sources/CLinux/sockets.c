#include <netinet/in.h>
#include <netinet/tcp.h>
#include <linux/errqueue.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

typedef union {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
} place;

static socklen_t to_place(const adit_address *from, place *to) {
  memset(to, 0, sizeof *to);
  if (from->family == 4) {
    to->v4.sin_family = AF_INET;
    to->v4.sin_port = htons(from->port);
    memcpy(&to->v4.sin_addr, from->bytes, 4);
    return sizeof to->v4;
  }
  if (from->family == 6) {
    to->v6.sin6_family = AF_INET6;
    to->v6.sin6_port = htons(from->port);
    to->v6.sin6_scope_id = from->scope;
    memcpy(&to->v6.sin6_addr, from->bytes, 16);
    return sizeof to->v6;
  }
  return 0;
}

static void from_place(const place *from, adit_address *to) {
  memset(to, 0, sizeof *to);
  if (from->any.sa_family == AF_INET) {
    to->family = 4;
    to->port = ntohs(from->v4.sin_port);
    memcpy(to->bytes, &from->v4.sin_addr, 4);
  } else if (from->any.sa_family == AF_INET6) {
    to->family = 6;
    to->port = ntohs(from->v6.sin6_port);
    to->scope = from->v6.sin6_scope_id;
    memcpy(to->bytes, &from->v6.sin6_addr, 16);
  }
}

static int is_from(const place *sender, const adit_address *peer) {
  if (peer->family == 4)
    return sender->any.sa_family == AF_INET && sender->v4.sin_port == htons(peer->port) &&
           memcmp(&sender->v4.sin_addr, peer->bytes, 4) == 0;
  return sender->any.sa_family == AF_INET6 && sender->v6.sin6_port == htons(peer->port) &&
         memcmp(&sender->v6.sin6_addr, peer->bytes, 16) == 0;
}

static int set(int socket, int level, int option, int value) {
  return (int)ADIT_CALL(setsockopt(socket, level, option, &value, sizeof value));
}

static int get(int socket, int level, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  long result = ADIT_CALL(getsockopt(socket, level, option, &value, &size));
  return result < 0 ? (int)result : value;
}

int adit_socket(int family, int kind) {
  int domain = family == 4 ? AF_INET : family == 6 ? AF_INET6 : -1;
  int type = kind == ADIT_UDP ? SOCK_DGRAM : SOCK_STREAM;
  if (domain < 0) return -EAFNOSUPPORT;
  int made = (int)ADIT_CALL(socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made >= 0 && domain == AF_INET6) {
    int result = set(made, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (result < 0) {
      close(made);
      return result;
    }
  }
  return made;
}

int adit_socket_mark(int socket, uint32_t mark) { return set(socket, SOL_SOCKET, SO_MARK, (int)mark); }

int adit_socket_device(int socket, const char *device) {
  return (int)ADIT_CALL(setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, device, (socklen_t)strlen(device)));
}

int adit_socket_buffers(int socket, int receive, int send) {
  int result = 0;
  if (receive > 0 && set(socket, SOL_SOCKET, SO_RCVBUFFORCE, receive) < 0)
    result = set(socket, SOL_SOCKET, SO_RCVBUF, receive);
  if (result >= 0 && send > 0 && set(socket, SOL_SOCKET, SO_SNDBUFFORCE, send) < 0)
    result = set(socket, SOL_SOCKET, SO_SNDBUF, send);
  return result;
}

int adit_socket_report_errors(int socket, int family) {
  return family == 4 ? set(socket, IPPROTO_IP, IP_RECVERR, 1) : set(socket, IPPROTO_IPV6, IPV6_RECVERR, 1);
}

int adit_socket_keep_whole(int socket, int family, int whole) {
  return family == 4 ? set(socket, IPPROTO_IP, IP_MTU_DISCOVER, whole ? IP_PMTUDISC_PROBE : IP_PMTUDISC_OMIT)
                     : set(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, whole ? IPV6_PMTUDISC_PROBE : IPV6_PMTUDISC_DONT);
}

int adit_socket_no_delay(int socket) { return set(socket, IPPROTO_TCP, TCP_NODELAY, 1); }

int adit_socket_unsent_limit(int socket, int bytes) { return set(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, bytes); }

int adit_socket_can_segment(int socket) { return get(socket, IPPROTO_UDP, UDP_SEGMENT) >= 0; }

int adit_socket_merge(int socket, int on) {
  int result = set(socket, IPPROTO_UDP, UDP_GRO, on);
  return result < 0 ? result : get(socket, IPPROTO_UDP, UDP_GRO) == 1;
}

int adit_socket_family(int socket) {
  int domain = get(socket, SOL_SOCKET, SO_DOMAIN);
  return domain == AF_INET ? 4 : domain == AF_INET6 ? 6 : 0;
}

int adit_socket_is_stream(int socket) { return get(socket, SOL_SOCKET, SO_TYPE) == SOCK_STREAM; }

int adit_socket_error(int socket) { return get(socket, SOL_SOCKET, SO_ERROR); }

int adit_bind(int socket, const adit_address *address) {
  place at;
  socklen_t size = to_place(address, &at);
  return (int)ADIT_CALL(bind(socket, &at.any, size));
}

// Not repeated: an interrupted connect goes on by itself (connect(2)).
int adit_connect(int socket, const adit_address *address) {
  place to;
  socklen_t size = to_place(address, &to);
  if (connect(socket, &to.any, size) == 0) return 0;
  return errno == EINTR ? -EINPROGRESS : -errno;
}

int adit_listen(int socket, int backlog) { return (int)ADIT_CALL(listen(socket, backlog)); }

int adit_accept(int socket) { return (int)ADIT_CALL(accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)); }

int adit_local_address(int socket, adit_address *out) {
  place at = {0};
  socklen_t size = sizeof at;
  long result = ADIT_CALL(getsockname(socket, &at.any, &size));
  if (result >= 0) from_place(&at, out);
  return (int)result;
}

int adit_peer_address(int socket, adit_address *out) {
  place at = {0};
  socklen_t size = sizeof at;
  long result = ADIT_CALL(getpeername(socket, &at.any, &size));
  if (result >= 0) from_place(&at, out);
  return (int)result;
}

long adit_send_to(int socket, const void *from, size_t count, const adit_address *to) {
  place peer;
  socklen_t size = to ? to_place(to, &peer) : 0;
  return ADIT_CALL(sendto(socket, from, count, MSG_DONTWAIT | MSG_NOSIGNAL, size ? &peer.any : NULL, size));
}

long adit_receive_from(int socket, void *into, size_t count, adit_address *from) {
  place peer = {0};
  socklen_t size = sizeof peer;
  long result = ADIT_CALL(recvfrom(socket, into, count, MSG_DONTWAIT, &peer.any, &size));
  if (result >= 0) from_place(&peer, from);
  return result;
}

int adit_socket_queued_error(int socket, uint32_t *mtu) {
  *mtu = 0;
  char control[512], data[64];
  struct iovec into = {data, sizeof data};
  struct msghdr message = {
    .msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (ADIT_CALL(recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT)) < 0) return 0;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if ((part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_RECVERR) ||
        (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_RECVERR)) {
      struct sock_extended_err error;
      memcpy(&error, CMSG_DATA(part), sizeof error);
      if (error.ee_errno == EMSGSIZE) *mtu = error.ee_info;
      if (error.ee_errno) return (int)error.ee_errno;
    }
  }
  return EIO;
}

struct adit_batch {
  struct mmsghdr messages[ADIT_BATCH];
  // One for each, and one for its rest.
  struct iovec parts[2 * ADIT_BATCH];
  place peers[ADIT_BATCH];
  // One int for UDP_GRO, one uint16_t for UDP_SEGMENT.
  _Alignas(struct cmsghdr) char control[ADIT_BATCH][CMSG_SPACE(sizeof(int))];
};

adit_batch *adit_batch_create(void) { return calloc(1, sizeof(adit_batch)); }
void adit_batch_free(adit_batch *batch) { free(batch); }

int adit_batch_receive(
  adit_batch *batch, int socket, void *base, adit_datagram *datagrams, int count, adit_spill spill,
  const adit_address *peer) {
  if (count > ADIT_BATCH) count = ADIT_BATCH;
  for (int i = 0; i < count; i++) {
    struct iovec *parts = &batch->parts[2 * i];
    parts[0] = (struct iovec){(char *)base + datagrams[i].offset, (size_t)datagrams[i].length};
    parts[1] = (struct iovec){(char *)base + spill.offset + (size_t)i * spill.stride, (size_t)spill.length};
    batch->messages[i].msg_hdr = (struct msghdr){
      .msg_name = &batch->peers[i],
      .msg_namelen = sizeof batch->peers[i],
      .msg_iov = parts,
      .msg_iovlen = spill.length > 0 ? 2 : 1,
      .msg_control = batch->control[i],
      .msg_controllen = sizeof batch->control[i],
    };
  }
  int came = (int)ADIT_CALL(recvmmsg(socket, batch->messages, (unsigned)count, MSG_DONTWAIT, NULL));
  for (int i = 0; i < came; i++) {
    struct msghdr *header = &batch->messages[i].msg_hdr;
    datagrams[i].length = (int32_t)batch->messages[i].msg_len;
    datagrams[i].is_truncated = (header->msg_flags & MSG_TRUNC) != 0;
    datagrams[i].is_foreign = !is_from(&batch->peers[i], peer);
    datagrams[i].segment = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part))
      if (part->cmsg_level == IPPROTO_UDP && part->cmsg_type == UDP_GRO) {
        int size;
        memcpy(&size, CMSG_DATA(part), sizeof size);
        datagrams[i].segment = (uint16_t)size;
      }
  }
  return came;
}

void adit_batch_source(const adit_batch *batch, int index, adit_address *out) { from_place(&batch->peers[index], out); }

int adit_batch_send(
  adit_batch *batch, int socket, void *base, const adit_datagram *datagrams, int count, const adit_address *peer) {
  if (count > ADIT_BATCH) count = ADIT_BATCH;
  socklen_t size = to_place(peer, &batch->peers[0]);
  for (int i = 0; i < count; i++) {
    batch->parts[i] = (struct iovec){(char *)base + datagrams[i].offset, (size_t)datagrams[i].length};
    batch->messages[i].msg_hdr = (struct msghdr){
      .msg_name = &batch->peers[0], .msg_namelen = size, .msg_iov = &batch->parts[i], .msg_iovlen = 1};
    if (datagrams[i].segment) {
      struct msghdr *header = &batch->messages[i].msg_hdr;
      header->msg_control = batch->control[i];
      header->msg_controllen = CMSG_SPACE(sizeof(uint16_t));
      struct cmsghdr *part = CMSG_FIRSTHDR(header);
      part->cmsg_level = IPPROTO_UDP;
      part->cmsg_type = UDP_SEGMENT;
      part->cmsg_len = CMSG_LEN(sizeof(uint16_t));
      memcpy(CMSG_DATA(part), &datagrams[i].segment, sizeof(uint16_t));
    }
  }
  return (int)ADIT_CALL(sendmmsg(socket, batch->messages, (unsigned)count, MSG_DONTWAIT | MSG_NOSIGNAL));
}

long adit_batch_write(
  adit_batch *batch, int socket, void *base, const adit_datagram *datagrams, int count, size_t skip) {
  if (count > ADIT_BATCH) count = ADIT_BATCH;
  for (int i = 0; i < count; i++) {
    size_t left_out = i == 0 ? skip : 0;
    batch->parts[i] =
      (struct iovec){(char *)base + datagrams[i].offset + left_out, (size_t)datagrams[i].length - left_out};
  }
  struct msghdr message = {.msg_iov = batch->parts, .msg_iovlen = (size_t)count};
  return ADIT_CALL(sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

long adit_stream_receive(int socket, void *into, size_t count) {
  return ADIT_CALL(recv(socket, into, count, MSG_DONTWAIT));
}

long adit_stream_send(int socket, const void *from, size_t count) {
  return ADIT_CALL(send(socket, from, count, MSG_DONTWAIT | MSG_NOSIGNAL));
}
