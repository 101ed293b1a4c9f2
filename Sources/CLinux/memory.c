#include <string.h>

#include "CLinux.h"

void adit_wipe(void *memory, size_t count) { explicit_bzero(memory, count); }
