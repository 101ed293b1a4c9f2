#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

void adit_wipe(void *memory, size_t count) { explicit_bzero(memory, count); }

enum { SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

int adit_memory_create(const char *name) { return (int)ADIT_CALL(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)); }

int adit_memory_seal(int descriptor) { return (int)ADIT_CALL(fcntl(descriptor, F_ADD_SEALS, SEALS)); }

int adit_memory_fixed(const char *name, size_t size) {
  int descriptor = adit_memory_create(name);
  if (descriptor < 0) return descriptor;
  long result = ADIT_CALL(ftruncate(descriptor, (off_t)size));
  if (result >= 0) result = ADIT_CALL(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL));
  if (result >= 0) return descriptor;
  close(descriptor);
  return (int)result;
}

int adit_memory_is_sealed(int descriptor) {
  long seals = ADIT_CALL(fcntl(descriptor, F_GET_SEALS));
  return seals >= 0 && (seals & SEALS) == SEALS;
}

static int forget_part(struct dl_phdr_info *program, size_t size, void *context) {
  (void)size, (void)context;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &program->dlpi_phdr[i];
    // What may be written to, be it for a moment at the start, may differ from the file.
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t start = program->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
    start = (start + page - 1) & ~(uintptr_t)(page - 1);
    end &= ~(uintptr_t)(page - 1);
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 1; // The first is the program itself.
}

void adit_forget_program(void) { dl_iterate_phdr(forget_part, NULL); }
