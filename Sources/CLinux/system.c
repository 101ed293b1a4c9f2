#include <nss.h>
#include <sched.h>
#include <stdio.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "CLinux.h"
#include "call.h"

void adit_names_without_modules(void) {
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
}

int adit_network_unshare(void) { return (int)ADIT_CALL(unshare(CLONE_NEWNET)); }
int adit_network_enter(int descriptor) { return (int)ADIT_CALL(setns(descriptor, CLONE_NEWNET)); }

uint32_t adit_kernel_version(void) {
  struct utsname names;
  unsigned part[3] = {0};
  if (uname(&names) < 0 || sscanf(names.release, "%u.%u.%u", &part[0], &part[1], &part[2]) < 2) return 0;
  uint32_t version = 0;
  for (int i = 0; i < 3; i++) version = version << 8 | (part[i] > 255 ? 255 : part[i]);
  return version;
}

uint64_t adit_memory_total(void) {
  struct sysinfo info;
  return sysinfo(&info) < 0 ? 0 : (uint64_t)info.totalram * info.mem_unit;
}
