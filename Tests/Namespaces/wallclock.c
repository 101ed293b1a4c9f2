// wallclock FILE PROGRAM ARGUMENT...: runs a program to which the kernel seems to tell another wall clock: the seconds in FILE are
// added, and may change meanwhile. The machine's clock, which no namespace has for itself, stays as it is; so does the program: it
// is traced (ptrace), its clock_gettime(CLOCK_REALTIME) goes through the kernel instead of the vDSO, and the answer is changed.
// Its children see the true clock. SIGTERM, SIGINT and SIGHUP are passed on; the exit code is the program's.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t program;

static void pass_on(int number) { kill(program, number); }

static long peek(pid_t pid, unsigned long address) { return ptrace(PTRACE_PEEKDATA, pid, address, 0); }

// Above the arguments and the environment lies the auxiliary vector, which names the vDSO.
static void hide_vdso(pid_t pid) {
  struct __ptrace_syscall_info info = {0};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) return;
  unsigned long at = info.stack_pointer;
  at += sizeof(long) * (1 + (unsigned long)peek(pid, at) + 1);
  while (peek(pid, at)) at += sizeof(long);
  for (at += sizeof(long); peek(pid, at) != AT_NULL; at += 2 * sizeof(long))
    if (peek(pid, at) == AT_SYSINFO_EHDR) ptrace(PTRACE_POKEDATA, pid, at, (long)AT_IGNORE);
}

static long long seconds(const char *file) {
  char text[32] = {0};
  int descriptor = open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  if (read(descriptor, text, sizeof text - 1) < 0) text[0] = 0;
  close(descriptor);
  return atoll(text);
}

static void run(char **arguments) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clock_gettime, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0) execvp(arguments[0], arguments);
  perror("wallclock");
  _exit(127);
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  program = fork();
  if (program < 0) return 1;
  if (program == 0) run(arguments + 2);
  int status;
  if (waitpid(program, &status, 0) != program || !WIFSTOPPED(status)) return 1;
  long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD;
  if (ptrace(PTRACE_SETOPTIONS, program, 0, options) != 0) return perror("wallclock: ptrace"), 1;
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  ptrace(PTRACE_CONT, program, 0, 0);
  for (int isFirst = 1;;) {
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0) {
      if (errno == EINTR) continue;
      return 1;
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (pid == program) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int number = WSTOPSIG(status), event = status >> 16, isEnd = number == (SIGTRAP | 0x80);
    static unsigned long answer;
    if (event == PTRACE_EVENT_EXEC && pid == program && isFirst) {
      isFirst = 0;
      hide_vdso(pid);
    } else if (event == PTRACE_EVENT_SECCOMP) {
      // Only here is told where the answer goes.
      struct __ptrace_syscall_info info = {0};
      ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
      answer = info.seccomp.args[1];
    } else if (isEnd && answer) {
      ptrace(PTRACE_POKEDATA, pid, answer, peek(pid, answer) + (long)seconds(arguments[1]));
      answer = 0;
    }
    // A child's first stop, and stops that tell of an event, are no signals of its own.
    int isOwn = event == 0 && !isEnd && !(number == SIGSTOP && pid != program);
    ptrace(event == PTRACE_EVENT_SECCOMP ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, isOwn ? (long)number : 0L);
  }
}
