#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "CLinux.h"
#include "call.h"

int adit_poll_create(void) { return (int)ADIT_CALL(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int poll, int operation, int descriptor, uint32_t readiness, uint64_t token) {
  struct epoll_event event = {.data.u64 = token};
  if (readiness & ADIT_READABLE) event.events |= EPOLLIN;
  if (readiness & ADIT_WRITABLE) event.events |= EPOLLOUT;
  return (int)ADIT_CALL(epoll_ctl(poll, operation, descriptor, &event));
}

int adit_poll_add(int poll, int descriptor, uint32_t readiness, uint64_t token) {
  return control(poll, EPOLL_CTL_ADD, descriptor, readiness, token);
}

int adit_poll_change(int poll, int descriptor, uint32_t readiness, uint64_t token) {
  return control(poll, EPOLL_CTL_MOD, descriptor, readiness, token);
}

int adit_poll_remove(int poll, int descriptor) { return control(poll, EPOLL_CTL_DEL, descriptor, 0, 0); }

int adit_poll_wait(int poll, adit_event *events, int count, int milliseconds) {
  struct epoll_event ready[64];
  if (count > 64) count = 64;
  // Not ADIT_CALL: an interrupted wait must not begin its time again.
  int found = epoll_wait(poll, ready, count, milliseconds);
  if (found < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < found; i++) {
    uint32_t readiness = 0;
    if (ready[i].events & EPOLLIN) readiness |= ADIT_READABLE;
    if (ready[i].events & EPOLLOUT) readiness |= ADIT_WRITABLE;
    if (ready[i].events & (EPOLLERR | EPOLLHUP)) readiness |= ADIT_BROKEN;
    events[i] = (adit_event){.token = ready[i].data.u64, .readiness = readiness};
  }
  return found;
}

uint64_t adit_boot_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t adit_wall_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec;
}

uint64_t adit_monotonic_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

int adit_timer_create(void) { return (int)ADIT_CALL(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)); }

int adit_timer_set(int timer, uint64_t nanoseconds) {
  // Beyond what time_t of a 32-bit system holds is never.
  uint64_t seconds = nanoseconds / 1000000000u;
  if (seconds > INT32_MAX) seconds = INT32_MAX;
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(nanoseconds % 1000000000u)}};
  return (int)ADIT_CALL(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL));
}

// Linux cancels a timer of the wall clock when somebody sets that clock, and after a suspend (timerfd_create(2)).
int adit_clock_watch_create(void) {
  int timer = (int)ADIT_CALL(timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (timer < 0) return timer;
  // As far as time_t of a 32-bit system goes: it never fires by itself.
  struct itimerspec when = {.it_value = {.tv_sec = INT32_MAX}};
  int result = (int)ADIT_CALL(timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL));
  if (result < 0) {
    close(timer);
    return result;
  }
  return timer;
}

int adit_signal_open(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error) return -error;
  return (int)ADIT_CALL(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int adit_signal_next(int descriptor) {
  struct signalfd_siginfo info;
  long count = ADIT_CALL(read(descriptor, &info, sizeof info));
  if (count < 0) return (int)count;
  return count == sizeof info ? (int)info.ssi_signo : -EIO;
}

int adit_signal_ignore(int number) { return signal(number, SIG_IGN) == SIG_ERR ? -errno : 0; }
