#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

int adit_message_pair(int ends[2]) {
  return (int)ADIT_CALL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
}

int adit_stream_pair(int ends[2]) {
  return (int)ADIT_CALL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
}

typedef union {
  struct cmsghdr header;
  char room[CMSG_SPACE(ADIT_MOST_DESCRIPTORS * sizeof(int))];
} rights;

long adit_message_send(int socket, const void *from, size_t count, const int *descriptors, int descriptor_count) {
  if (descriptor_count < 0 || descriptor_count > ADIT_MOST_DESCRIPTORS) return -EINVAL;
  rights control;
  struct iovec part = {(void *)from, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor_count > 0) {
    size_t size = (size_t)descriptor_count * sizeof(int);
    memset(&control, 0, sizeof control);
    message.msg_control = control.room;
    message.msg_controllen = CMSG_SPACE(size);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), descriptors, size);
  }
  return ADIT_CALL(sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

long adit_message_receive(int socket, void *into, size_t count, int *descriptors, int *descriptor_count) {
  rights control;
  memset(&control, 0, sizeof control);
  *descriptor_count = 0;
  struct iovec part = {into, count};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  long result = ADIT_CALL(recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
  if (result < 0) return result;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int came = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < came; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + (size_t)i * sizeof(int), sizeof descriptor);
      if (*descriptor_count < ADIT_MOST_DESCRIPTORS)
        descriptors[(*descriptor_count)++] = descriptor;
      else
        close(descriptor);
    }
  }
  if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
    while (*descriptor_count > 0) close(descriptors[--*descriptor_count]);
    return -EMSGSIZE;
  }
  return result;
}

static socklen_t unix_place(const char *path, struct sockaddr_un *out) {
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof out->sun_path) return 0;
  memset(out, 0, sizeof *out);
  out->sun_family = AF_UNIX;
  memcpy(out->sun_path, path, length);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
}

static int with_place(const char *path, int (*call)(int, const struct sockaddr *, socklen_t)) {
  struct sockaddr_un at;
  socklen_t size = unix_place(path, &at);
  if (size == 0) return -ENAMETOOLONG;
  int made = (int)ADIT_CALL(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made < 0) return made;
  // The mode that bind gives the file (before the umask); whoever wants it wider says so afterwards.
  int result = (int)ADIT_CALL(fchmod(made, 0600));
  if (result >= 0) result = (int)ADIT_CALL(call(made, (const struct sockaddr *)&at, size));
  if (result < 0) {
    close(made);
    return result;
  }
  return made;
}

int adit_unix_listen(const char *path, int backlog) {
  int made = with_place(path, bind);
  if (made < 0) return made;
  int result = (int)ADIT_CALL(listen(made, backlog));
  if (result < 0) {
    close(made);
    return result;
  }
  return made;
}

int adit_unix_connect(const char *path) { return with_place(path, connect); }

int adit_unix_tell(const char *path, const void *from, size_t count) {
  struct sockaddr_un to;
  socklen_t size = unix_place(path, &to);
  if (size == 0) return -ENAMETOOLONG;
  if (to.sun_path[0] == '@') {
    to.sun_path[0] = '\0';
    // The name of an abstract socket has its length and no end (unix(7)).
    size--;
  }
  int made = (int)ADIT_CALL(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (made < 0) return made;
  long result = ADIT_CALL(sendto(made, from, count, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to, size));
  close(made);
  return result < 0 ? (int)result : 0;
}

int adit_peer_credentials(int socket, int32_t *process, uint32_t *user, uint32_t *group) {
  struct ucred who;
  socklen_t size = sizeof who;
  long result = ADIT_CALL(getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size));
  if (result < 0) return (int)result;
  *process = who.pid;
  *user = who.uid;
  *group = who.gid;
  return 0;
}
