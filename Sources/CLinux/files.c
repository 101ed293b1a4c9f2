#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

int adit_open(const char *path, int flags, unsigned mode) {
  return (int)ADIT_CALL(open(path, flags | O_CLOEXEC, (mode_t)mode));
}

// Never repeated: Linux has freed the number even when it says EINTR (close(2)).
int adit_close(int descriptor) { return close(descriptor) < 0 ? -errno : 0; }

long adit_read(int descriptor, void *into, size_t count) { return ADIT_CALL(read(descriptor, into, count)); }

long adit_write(int descriptor, const void *from, size_t count) { return ADIT_CALL(write(descriptor, from, count)); }

_Static_assert(
  sizeof(adit_part) == sizeof(struct iovec) && offsetof(adit_part, base) == offsetof(struct iovec, iov_base) &&
    offsetof(adit_part, count) == offsetof(struct iovec, iov_len),
  "adit_part is no iovec");

long adit_write_parts(int descriptor, const adit_part *parts, int count) {
  return ADIT_CALL(writev(descriptor, (const struct iovec *)parts, count));
}

long adit_read_at(int descriptor, void *into, size_t count, int64_t offset) {
  return ADIT_CALL(pread(descriptor, into, count, (off_t)offset));
}

int adit_rewind(int descriptor) { return lseek(descriptor, 0, SEEK_SET) < 0 ? -errno : 0; }

int adit_pipe(int ends[2]) { return (int)ADIT_CALL(pipe2(ends, O_CLOEXEC)); }

int adit_set_nonblocking(int descriptor) {
  long flags = ADIT_CALL(fcntl(descriptor, F_GETFL));
  if (flags < 0) return (int)flags;
  return (int)ADIT_CALL(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}

int adit_lock(int descriptor) { return (int)ADIT_CALL(flock(descriptor, LOCK_EX | LOCK_NB)); }

static void fill(adit_file *out, const struct stat *from) {
  *out = (adit_file){
    .inode = from->st_ino,
    .size = (uint64_t)from->st_size,
    .mode = from->st_mode & 07777,
    .modified = from->st_mtim.tv_sec,
    .owner = from->st_uid,
    .group = from->st_gid,
    .is_regular = S_ISREG(from->st_mode),
    .is_directory = S_ISDIR(from->st_mode),
    .is_socket = S_ISSOCK(from->st_mode),
  };
}

int adit_file_of(int descriptor, adit_file *out) {
  struct stat status;
  long result = ADIT_CALL(fstat(descriptor, &status));
  if (result == 0) fill(out, &status);
  return (int)result;
}

int adit_file_at(const char *path, adit_file *out) {
  struct stat status;
  long result = ADIT_CALL(lstat(path, &status));
  if (result == 0) fill(out, &status);
  return (int)result;
}

long adit_directory_names(int descriptor, char *into, size_t capacity) {
  long copy = ADIT_CALL(openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (copy < 0) return copy;
  DIR *directory = fdopendir((int)copy);
  if (!directory) {
    long error = -errno;
    close((int)copy);
    return error;
  }
  size_t used = 0;
  long result = 0;
  for (;;) {
    errno = 0;
    struct dirent *entry = readdir(directory);
    if (!entry) {
      result = errno ? -(long)errno : (long)used;
      break;
    }
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    size_t length = strlen(entry->d_name) + 1;
    if (length > capacity - used) {
      result = -E2BIG;
      break;
    }
    memcpy(into + used, entry->d_name, length);
    used += length;
  }
  closedir(directory);
  return result;
}

int adit_make_directory(const char *path, unsigned mode) { return (int)ADIT_CALL(mkdir(path, (mode_t)mode)); }
int adit_rename(const char *from, const char *to) { return (int)ADIT_CALL(rename(from, to)); }
int adit_unlink(const char *path) { return (int)ADIT_CALL(unlink(path)); }

int adit_change_owner(const char *path, uint32_t owner, uint32_t group) {
  return (int)ADIT_CALL(lchown(path, owner, group));
}

int adit_change_mode(const char *path, unsigned mode) { return (int)ADIT_CALL(chmod(path, (mode_t)mode)); }
int adit_sync(int descriptor) { return (int)ADIT_CALL(fsync(descriptor)); }
int adit_is_terminal(int descriptor) { return isatty(descriptor); }
