#include <fcntl.h>
#include <net/if.h>
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

static int name_request(struct ifreq *request, const char *name) {
  memset(request, 0, sizeof *request);
  size_t length = strlen(name);
  if (length >= IFNAMSIZ) return -ENAMETOOLONG;
  memcpy(request->ifr_name, name, length);
  return 0;
}

int adit_tun_open(const char *name, char actual[16]) {
  struct ifreq request;
  int result = name_request(&request, name);
  if (result < 0) return result;
  int tun = (int)ADIT_CALL(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (tun < 0) return tun;
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  int header = ADIT_VNET_HEADER;
  result = (int)ADIT_CALL(ioctl(tun, TUNSETIFF, &request));
  if (result >= 0) result = (int)ADIT_CALL(ioctl(tun, TUNSETVNETHDRSZ, &header));
  // A persistent device may remember the offloads of another owner.
  if (result >= 0) result = (int)ADIT_CALL(ioctl(tun, TUNSETOFFLOAD, 0));
  if (result < 0) {
    close(tun);
    return result;
  }
  memcpy(actual, request.ifr_name, IFNAMSIZ);
  actual[IFNAMSIZ - 1] = 0;
  return tun;
}

// Linux 6.2; Debian 12's headers do not know them.
#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

int adit_tun_offload(int tun, int tcp, int udp) {
  unsigned long flags = 0;
  if (tcp) flags |= TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;
  // The kernel takes both or none.
  if (udp) flags |= TUN_F_CSUM | TUN_F_USO4 | TUN_F_USO6;
  return (int)ADIT_CALL(ioctl(tun, TUNSETOFFLOAD, flags));
}

int adit_tun_persist(int tun, int on) { return (int)ADIT_CALL(ioctl(tun, TUNSETPERSIST, (long)on)); }
int adit_tun_owner(int tun, uint32_t user) { return (int)ADIT_CALL(ioctl(tun, TUNSETOWNER, (long)user)); }

int adit_device_up(const char *name, int on) {
  struct ifreq request;
  int result = name_request(&request, name);
  if (result < 0) return result;
  int any = (int)ADIT_CALL(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (any < 0) return any;
  result = (int)ADIT_CALL(ioctl(any, SIOCGIFFLAGS, &request));
  if (result >= 0) {
    request.ifr_flags = (short)(on ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
    result = (int)ADIT_CALL(ioctl(any, SIOCSIFFLAGS, &request));
  }
  close(any);
  return result;
}
