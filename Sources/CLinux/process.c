#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

enum { MOST_MAPPED = 32 };

int adit_spawn(
  const char *path, char *const arguments[], char *const environment[], const int *from, const int *to, int count) {
  if (count < 0 || count > MOST_MAPPED) return -EINVAL;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return -error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return -error;
  }
  int copies[MOST_MAPPED];
  int made = 0;
  int highest = -1;
  for (int i = 0; i < count && !error; i++) {
    // High copies first, so that no mapping overwrites the source of a later one.
    int copy = (int)ADIT_CALL(fcntl(from[i], F_DUPFD_CLOEXEC, 64));
    if (copy < 0) {
      error = -copy;
      break;
    }
    copies[made++] = copy;
    if (to[i] > highest) highest = to[i];
    error = posix_spawn_file_actions_adddup2(&actions, copy, to[i]);
  }
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, highest + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
  if (!error)
    error = posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  if (!error) error = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
  for (int i = 0; i < made; i++) close(copies[i]);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error ? -error : (int)process;
}

int adit_process_descriptor(int process) { return (int)ADIT_CALL(syscall(SYS_pidfd_open, process, 0)); }

int adit_process_reap(int process, int *value) {
  int status = 0;
  long result = ADIT_CALL(waitpid(process, &status, WNOHANG));
  if (result <= 0) return (int)result;
  if (WIFSIGNALED(status)) {
    *value = WTERMSIG(status);
    return 2;
  }
  *value = WEXITSTATUS(status);
  return 1;
}

int adit_process_kill(int process, int signal) { return (int)ADIT_CALL(kill(process, signal)); }

void adit_process_end(int process) {
  kill(process, SIGKILL);
  (void)ADIT_CALL(waitpid(process, NULL, 0));
}

int adit_process_id(void) { return getpid(); }
int adit_parent_process_id(void) { return getppid(); }
uint32_t adit_user_id(void) { return geteuid(); }
int adit_signal_with_parent(int signal) { return (int)ADIT_CALL(prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0)); }
int adit_set_dumpable(int on) { return (int)ADIT_CALL(prctl(PR_SET_DUMPABLE, on, 0, 0, 0)); }
int adit_no_new_privileges(void) { return (int)ADIT_CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); }

static int limit(int resource, uint64_t value) {
  struct rlimit both = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
  return (int)ADIT_CALL(setrlimit(resource, &both));
}

int adit_limit_core(uint64_t bytes) { return limit(RLIMIT_CORE, bytes); }
int adit_limit_descriptors(uint64_t count) { return limit(RLIMIT_NOFILE, count); }
int adit_limit_processes(uint64_t count) { return limit(RLIMIT_NPROC, count); }
int adit_limit_file_size(uint64_t bytes) { return limit(RLIMIT_FSIZE, bytes); }

int adit_become(uint32_t user, uint32_t group) {
  int result = (int)ADIT_CALL(setgroups(0, NULL));
  if (result < 0) return result;
  result = (int)ADIT_CALL(setresgid(group, group, group));
  if (result < 0) return result;
  return (int)ADIT_CALL(setresuid(user, user, user));
}

static int sets(uint64_t effective, uint64_t permitted, uint64_t inheritable) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {
    {(uint32_t)effective, (uint32_t)permitted, (uint32_t)inheritable},
    {(uint32_t)(effective >> 32), (uint32_t)(permitted >> 32), (uint32_t)(inheritable >> 32)},
  };
  return (int)ADIT_CALL(syscall(SYS_capset, &header, data));
}

int adit_drop_capability_bounds(void) {
  for (int capability = 0; capability < 64; capability++) {
    long result = ADIT_CALL(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0));
    if (result == -EINVAL) break; // the kernel's last capability is behind us
    if (result < 0) return (int)result;
  }
  return 0;
}

int adit_drop_capabilities(void) {
  long result = ADIT_CALL(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
  if (result < 0) return (int)result;
  return sets(0, 0, 0);
}

uint64_t adit_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0}};
  if (ADIT_CALL(syscall(SYS_capget, &header, data)) < 0) return UINT64_MAX;
  return data[0].effective | (uint64_t)data[1].effective << 32;
}

int adit_close_from(int lowest) {
  closefrom(lowest);
  return 0;
}

int adit_timer_slack(uint64_t nanoseconds) {
  return (int)ADIT_CALL(prctl(PR_SET_TIMERSLACK, (unsigned long)nanoseconds, 0, 0, 0));
}

void adit_pause(uint64_t nanoseconds) {
  struct timespec span = {.tv_sec = (time_t)(nanoseconds / 1000000000u), .tv_nsec = (long)(nanoseconds % 1000000000u)};
  nanosleep(&span, NULL);
}

void adit_log_open(const char *name) { openlog(name, LOG_PID | LOG_NDELAY, LOG_DAEMON); }
void adit_log(int level, const char *text) { syslog(level, "%s", text); }

const char *adit_error_text(int number, char *into, size_t capacity) { return strerror_r(number, into, capacity); }
