// What Swift cannot import of Linux by itself: ioctl numbers, variadic calls, function-like macros and what glibc
// hides behind _GNU_SOURCE. Never define _GNU_SOURCE in this header: the module would then disagree with the Glibc
// module about fd_set and fail to load. No kernel header is included either: linux/if.h and net/if.h exclude each
// other, and whoever imports this module has one of them already.
//
// Every function that returns an int or a long gives its result, or the negated errno. Calls that a signal interrupted
// are repeated. Every descriptor is made with O_CLOEXEC.
#pragma once
#include <stddef.h>
#include <stdint.h>

// --- memory (memory.c)

// Memory that is about to be freed: the compiler may not leave these stores out (explicit_bzero(3)).
void adit_wipe(void *memory, size_t count);
// A memfd that can be sealed. Seal: no write, no shrink, no grow, no further seal.
int adit_memory_create(const char *name);
int adit_memory_seal(int descriptor);
// A memfd of `size` zero bytes that can be written but never grows: an overflow is the writer's EPERM.
int adit_memory_fixed(const char *name, size_t size);
// 1 when all of the seals above are on.
int adit_memory_is_sealed(int descriptor);

// Lets go of the program's own pages that are as in its file; what still runs is mapped again when it is touched.
void adit_forget_program(void);

// --- descriptors and files (files.c)

int adit_open(const char *path, int flags, unsigned mode);
int adit_close(int descriptor);
long adit_read(int descriptor, void *into, size_t count);
long adit_write(int descriptor, const void *from, size_t count);
// Laid out as struct iovec, which Swift finds now in one module, now in another.
typedef struct adit_part {
  void *base;
  size_t count;
} adit_part;
// writev(2): at most IOV_MAX of them.
long adit_write_parts(int descriptor, const adit_part *parts, int count);
long adit_read_at(int descriptor, void *into, size_t count, int64_t offset);
int adit_rewind(int descriptor);
int adit_pipe(int ends[2]);
int adit_set_nonblocking(int descriptor);
int adit_lock(int descriptor); // flock, exclusive, without waiting
typedef struct adit_file {
  uint64_t inode, size;
  int64_t modified; // seconds since 1970
  uint32_t mode, owner, group;
  uint8_t is_regular, is_directory, is_socket;
} adit_file;
int adit_file_of(int descriptor, adit_file *out);
int adit_file_at(const char *path, adit_file *out); // does not follow a last symbolic link
// Names of the entries of an open directory, one after the other, each ended by a NUL. Bytes used, or -E2BIG.
long adit_directory_names(int descriptor, char *into, size_t capacity);
int adit_make_directory(const char *path, unsigned mode);
int adit_rename(const char *from, const char *to);
int adit_unlink(const char *path);
int adit_change_owner(const char *path, uint32_t owner, uint32_t group);
int adit_change_mode(const char *path, unsigned mode);
int adit_sync(int descriptor);
int adit_is_terminal(int descriptor);

// --- readiness and time (events.c)

enum {
  ADIT_READABLE = 1,
  ADIT_WRITABLE = 2,
  // An error or a hang-up; always watched for.
  ADIT_BROKEN = 4,
};
typedef struct adit_event {
  uint64_t token;
  uint32_t readiness;
} adit_event;
int adit_poll_create(void);
int adit_poll_add(int poll, int descriptor, uint32_t readiness, uint64_t token);
int adit_poll_change(int poll, int descriptor, uint32_t readiness, uint64_t token);
int adit_poll_remove(int poll, int descriptor);
// At most 64 events; -1 milliseconds = no limit.
int adit_poll_wait(int poll, adit_event *events, int count, int milliseconds);
uint64_t adit_boot_nanoseconds(void);
int64_t adit_wall_seconds(void);
// CLOCK_MONOTONIC, which stands still during suspend.
uint64_t adit_monotonic_microseconds(void);
int adit_timer_create(void);
// Absolute, on CLOCK_BOOTTIME; 0 = off.
int adit_timer_set(int timer, uint64_t nanoseconds);
// Reads as ECANCELED when the wall clock was set.
int adit_clock_watch_create(void);
// Blocks the signals for this thread and opens a signalfd for them.
int adit_signal_open(const int *signals, int count);
// The next signal's number; -EAGAIN when there is none.
int adit_signal_next(int descriptor);
int adit_signal_ignore(int signal);

// --- sockets (sockets.c)

typedef struct adit_address {
  uint8_t family; // 4 or 6; 0 = none
  uint16_t port;  // host order
  uint32_t scope; // IPv6 only
  uint8_t bytes[16];
} adit_address;
enum {
  ADIT_UDP = 1,
  ADIT_TCP = 2,
};
// Not blocking. IPv6 sockets are IPv6 only.
int adit_socket(int family, int kind);
int adit_socket_mark(int socket, uint32_t mark);
int adit_socket_device(int socket, const char *device);
// The forced form where we may, else the plain one with its limit.
int adit_socket_buffers(int socket, int receive, int send);
// Errors of ICMP are queued and reported (IP_RECVERR).
int adit_socket_report_errors(int socket, int family);
// Whole: nothing may fragment what is sent next, and what the kernel believes of the path counts for nothing (PROBE): the
// device's MTU is the only limit. Else data may be fragmented: over IPv4 it goes without DF and follows no ICMP (OMIT;
// with DONT the kernel would keep to itself what an ICMP says of an earlier whole datagram), over IPv6 it is cut here to
// what the path is known to take (DONT).
int adit_socket_keep_whole(int socket, int family, int whole);
int adit_socket_no_delay(int socket);
int adit_socket_unsent_limit(int socket, int bytes);
int adit_socket_family(int socket); // 4, 6 or 0 for anything else
int adit_socket_is_stream(int socket);
// The pending error as a positive errno, 0 for none; it is cleared.
int adit_socket_error(int socket);
int adit_bind(int socket, const adit_address *address);
int adit_connect(int socket, const adit_address *address);
int adit_listen(int socket, int backlog);
// -EAGAIN when nobody waits.
int adit_accept(int socket);
int adit_local_address(int socket, adit_address *out);
int adit_peer_address(int socket, adit_address *out);
long adit_send_to(int socket, const void *from, size_t count, const adit_address *to);
long adit_receive_from(int socket, void *into, size_t count, adit_address *from);
// UDP: 1 when the kernel cuts a message into datagrams (UDP_SEGMENT, Linux 4.18).
int adit_socket_can_segment(int socket);
// UDP: asks for merged datagrams (UDP_GRO). 1 when it says that it does, which it can since Linux 5.12; before that merged
// datagrams may come without their size.
int adit_socket_merge(int socket, int on);
// Takes one queued ICMP error: its errno (positive), or 0 when the queue is empty. With EMSGSIZE the MTU that the network
// or our own device names; 0 = none.
int adit_socket_queued_error(int socket, uint32_t *mtu);

// One datagram of a batch. In: offset, room or length. Out: length, marks.
typedef struct adit_datagram {
  int32_t offset;
  int32_t length;
  uint16_t segment; // bytes of each datagram but the last, when several are merged; 0 = one datagram
  uint8_t is_truncated;
  uint8_t is_foreign; // from another address than the peer's
} adit_datagram;
// Room for the headers of 64 datagrams, made once; freed by adit_batch_free.
typedef struct adit_batch adit_batch;
enum { ADIT_BATCH = 64 };
adit_batch *adit_batch_create(void);
void adit_batch_free(adit_batch *batch);
// Who sent the message of that index of the last receive.
void adit_batch_source(const adit_batch *batch, int index, adit_address *out);
// Where the rest of a datagram goes that is longer than its room: the first's to `offset`, the next's `stride` behind it.
typedef struct adit_spill {
  int32_t offset;
  int32_t stride;
  int32_t length; // 0 = nowhere, it is cut off
} adit_spill;
// How many came (0 to count), or the negated errno.
int adit_batch_receive(
  adit_batch *batch, int socket, void *base, adit_datagram *datagrams, int count, adit_spill spill,
  const adit_address *peer);
int adit_batch_send(
  adit_batch *batch, int socket, void *base, const adit_datagram *datagrams, int count, const adit_address *peer);
// All datagrams, end to end, into a stream; `skip` bytes of the first are left out. Bytes written.
long adit_batch_write(
  adit_batch *batch, int socket, void *base, const adit_datagram *datagrams, int count, size_t skip);
long adit_stream_receive(int socket, void *into, size_t count);
long adit_stream_send(int socket, const void *from, size_t count);

// Unix sockets. A pair keeps message boundaries (SOCK_SEQPACKET).
int adit_message_pair(int ends[2]);
enum { ADIT_MOST_DESCRIPTORS = 16 };
long adit_message_send(int socket, const void *from, size_t count, const int *descriptors, int descriptor_count);
// Bytes of the message, 0 at the end, -EMSGSIZE when bytes or descriptors did not fit (all descriptors are then closed).
long adit_message_receive(int socket, void *into, size_t count, int *descriptors, int *descriptor_count);
int adit_unix_listen(const char *path, int backlog);
int adit_unix_connect(const char *path);
// One datagram to a Unix socket, all or nothing, without waiting; a first `@` stands for the NUL of an abstract name.
int adit_unix_tell(const char *path, const void *from, size_t count);
int adit_peer_credentials(int socket, int32_t *process, uint32_t *user, uint32_t *group);
// A connected pair of Unix streams, for tests.
int adit_stream_pair(int ends[2]);

// --- whole packets (packets.c)

// Sends packets whose IP header the caller has written; the kernel finds the way. 4 or 6.
int adit_raw_socket(int family);
// Sends ICMP messages and hears the answers to echoes, with the IP header in front for IPv4. 4 or 6.
int adit_echo_socket(int family);
// Hears every packet of a device, in and out, from its network header on (AF_PACKET); ethertype 0 = all.
int adit_tap_open(int device, int ethertype, int buffer);
// -EAGAIN when none waits.
long adit_tap_receive(int tap, void *into, size_t count, uint8_t *is_outgoing);
long adit_tap_broadcast(int tap, int device, int ethertype, const void *from, size_t count);
// Packets that did not fit into the buffer since the last time.
long adit_tap_lost(int tap);

// --- tun (tun.c)

enum { ADIT_VNET_HEADER = 10 };
// Makes or opens the device with a vnet header of ADIT_VNET_HEADER bytes and no offloads. `actual` gets the real name.
int adit_tun_open(const char *name, char actual[16]);
// Which work on packets the tun may leave to us: checksums and the cutting of TCP, or none.
int adit_tun_offload(int tun, int tcp, int udp);
int adit_tun_persist(int tun, int on);
int adit_tun_owner(int tun, uint32_t user);
// Sets or clears IFF_UP of a device of this thread's network namespace.
int adit_device_up(const char *name, int on);

// --- processes (process.c)

// Starts a program in a process group of its own, with default signals, no blocked signal, and only the listed
// descriptors: from[i] becomes to[i]. The process id.
int adit_spawn(
  const char *path, char *const arguments[], char *const environment[], const int *from, const int *to, int count);
int adit_process_descriptor(int process);
// 0 = still running; 1 = ended by exit, 2 = by a signal, whose code or number is in `value`.
int adit_process_reap(int process, int *value);
int adit_process_kill(int process, int signal);
// SIGKILL, then waits: nothing is left behind.
void adit_process_end(int process);
int adit_process_id(void);
int adit_parent_process_id(void);
uint32_t adit_user_id(void);
// The kernel sends `signal` when the parent ends; forgotten by a change of user, so ask after it.
int adit_signal_with_parent(int signal);
int adit_set_dumpable(int on);
int adit_no_new_privileges(void);
// Core files, descriptors, locked memory, child processes.
int adit_limit_core(uint64_t bytes);
int adit_limit_descriptors(uint64_t count);
int adit_limit_processes(uint64_t count);
int adit_limit_file_size(uint64_t bytes);
// Group list emptied, then all four group ids and all four user ids.
int adit_become(uint32_t user, uint32_t group);
// The bounding set; needs CAP_SETPCAP, so ask before the change of user.
int adit_drop_capability_bounds(void);
// Ambient set and this thread's own sets.
int adit_drop_capabilities(void);
// Effective capabilities of this thread.
uint64_t adit_capabilities(void);
int adit_close_from(int lowest);
int adit_timer_slack(uint64_t nanoseconds);
void adit_pause(uint64_t nanoseconds);
// One step of a log to the system's log; level as in syslog(3).
void adit_log_open(const char *name);
void adit_log(int level, const char *text);
const char *adit_error_text(int number, char *into, size_t capacity);

// --- system, names and namespaces (system.c)

// Three bytes: major, minor, patch, each at most 255; 0 when it does not say.
uint32_t adit_kernel_version(void);
// Bytes of main memory; 0 when the kernel does not say.
uint64_t adit_memory_total(void);

// glibc loads strangers' modules for names otherwise, which a static program does not survive.
void adit_names_without_modules(void);
// This thread only.
int adit_network_unshare(void);
int adit_network_enter(int descriptor);
