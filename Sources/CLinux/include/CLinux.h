// What Swift cannot import of Linux by itself: ioctl numbers, variadic calls, function-like macros and what glibc
// hides behind _GNU_SOURCE. Never define _GNU_SOURCE in this header: the module would then disagree with the Glibc
// module about fd_set and fail to load.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Memory that is about to be freed: the compiler may not leave these stores out (explicit_bzero(3)).
void adit_wipe(void *memory, size_t count);
