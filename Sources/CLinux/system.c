#include <nss.h>
#include <sched.h>

#include "CLinux.h"
#include "call.h"

void adit_names_without_modules(void) {
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
}

int adit_network_unshare(void) { return (int)ADIT_CALL(unshare(CLONE_NEWNET)); }
int adit_network_enter(int descriptor) { return (int)ADIT_CALL(setns(descriptor, CLONE_NEWNET)); }
