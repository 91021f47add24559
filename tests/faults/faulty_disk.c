/* Preloaded into a program, this library makes its disk fail. It counts the calls that change the
 * files below a folder: those that create a file, write, flush, cut, rename, link or reserve.
 *
 *   SENET_FAULTS_BELOW   the folder, an absolute path; without it no call is counted
 *   SENET_FAULTS_LIST    a file that gets a line for every call: "NUMBER NAME PATH", and for one
 * that flushes a file its size SENET_FAULTS_AT      the number of the call that fails, from 1;
 * without it none does SENET_FAULTS_LATER   if set, all later calls fail, too SENET_FAULTS_ERROR
 * the error, a number (errno); or "kill": the process ends by SIGKILL within the call. A write
 * fails, or ends the process, after half of its bytes
 *
 * Apart from that, the disk is full while the file $SENET_FULL_DISK exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Declares `original`, the function that `name` replaces. */
#define ORIGINAL(type, name, ...) \
  type (*original)(__VA_ARGS__);  \
  *(void**)&original = dlsym(RTLD_NEXT, #name)

static atomic_ulong calls;

static int is_full(void) {
  const char* const flag = getenv("SENET_FULL_DISK");
  return flag != NULL && access(flag, F_OK) == 0;
}

static int is_below(const char* path) {
  const char* const folder = getenv("SENET_FAULTS_BELOW");
  return folder != NULL && path != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

/* The path of an open file; empty if it has none. */
static const char* path_of(int file, char* path, size_t room) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, room - 1);
  path[length > 0 ? length : 0] = '\0';
  return path;
}

static void list(unsigned long number, const char* name, const char* path) {
  const char* const file = getenv("SENET_FAULTS_LIST");
  if (file == NULL) return;
  char line[4200];
  struct stat of;
  char size[32] = "";
  if (strstr(name, "sync") != NULL && stat(path, &of) == 0) {
    snprintf(size, sizeof size, " %lld", (long long)of.st_size);
  }
  const int length = snprintf(line, sizeof line, "%lu %s %s%s\n", number, name, path, size);
  const int to = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  syscall(SYS_write, to, line, (size_t)length);
  syscall(SYS_close, to);
}

enum Fate { kWorks, kFails, kKills };

/* What happens to a call; sets errno if it fails. */
static enum Fate fate_of(const char* name, const char* path) {
  if (!is_below(path)) return kWorks;
  const int before = errno;
  const unsigned long number = atomic_fetch_add(&calls, 1) + 1;
  list(number, name, path);
  errno = before;
  const char* const at = getenv("SENET_FAULTS_AT");
  const char* const error = getenv("SENET_FAULTS_ERROR");
  if (at == NULL || error == NULL) return kWorks;
  const unsigned long first = strtoul(at, NULL, 10);
  if (number != first && (number < first || getenv("SENET_FAULTS_LATER") == NULL)) return kWorks;
  if (strcmp(error, "kill") == 0) return kKills;
  errno = atoi(error);
  return kFails;
}

static enum Fate fate_of_file(const char* name, int file) {
  char path[4096];
  const int before = errno;
  path_of(file, path, sizeof path);
  errno = before;
  return fate_of(name, path);
}

/* What a call that does not work returns, if it returns. */
static int fail_by(enum Fate fate, int error) {
  if (fate == kKills) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = error;
  return -1;
}

ssize_t write(int file, const void* bytes, size_t size) {
  ORIGINAL(ssize_t, write, int, const void*, size_t);
  const enum Fate fate = fate_of_file("write", file);
  if (fate == kWorks) return original(file, bytes, size);
  const int error = errno;
  original(file, bytes, size / 2);
  return fail_by(fate, error);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  ORIGINAL(ssize_t, pwrite, int, const void*, size_t, off_t);
  if (is_full()) {
    errno = ENOSPC;
    return -1;
  }
  const enum Fate fate = fate_of_file("pwrite", file);
  if (fate == kWorks) return original(file, bytes, size, at);
  const int error = errno;
  original(file, bytes, size / 2, at);
  return fail_by(fate, error);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at)
    __attribute__((alias("pwrite")));

ssize_t writev(int file, const struct iovec* parts, int count) {
  ORIGINAL(ssize_t, writev, int, const struct iovec*, int);
  const enum Fate fate = fate_of_file("writev", file);
  if (fate == kWorks) return original(file, parts, count);
  const int error = errno;
  original(file, parts, count / 2);
  return fail_by(fate, error);
}

int fsync(int file) {
  ORIGINAL(int, fsync, int);
  const enum Fate fate = fate_of_file("fsync", file);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(file);
}

int fdatasync(int file) {
  ORIGINAL(int, fdatasync, int);
  const enum Fate fate = fate_of_file("fdatasync", file);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(file);
}

int ftruncate(int file, off_t size) {
  ORIGINAL(int, ftruncate, int, off_t);
  const enum Fate fate = fate_of_file("ftruncate", file);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(file, size);
}
int ftruncate64(int file, off_t size) __attribute__((alias("ftruncate")));

int posix_fallocate(int file, off_t at, off_t size) {
  ORIGINAL(int, posix_fallocate, int, off_t, off_t);
  const int before = errno;
  const enum Fate fate = fate_of_file("posix_fallocate", file);
  if (fate == kWorks) return original(file, at, size);
  fail_by(fate, errno);
  const int error = errno;
  errno = before;
  return error;
}
int posix_fallocate64(int file, off_t at, off_t size) __attribute__((alias("posix_fallocate")));

int rename(const char* from, const char* to) {
  ORIGINAL(int, rename, const char*, const char*);
  const enum Fate fate = fate_of("rename", to);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(from, to);
}

int link(const char* from, const char* to) {
  ORIGINAL(int, link, const char*, const char*);
  const enum Fate fate = fate_of("link", to);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(from, to);
}

int unlink(const char* path) {
  ORIGINAL(int, unlink, const char*);
  const enum Fate fate = fate_of("unlink", path);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(path);
}

int remove(const char* path) {
  ORIGINAL(int, remove, const char*);
  const enum Fate fate = fate_of("remove", path);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(path);
}

int mkdir(const char* path, mode_t mode) {
  ORIGINAL(int, mkdir, const char*, mode_t);
  const enum Fate fate = fate_of("mkdir", path);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(path, mode);
}

int open(const char* path, int flags, ...) {
  ORIGINAL(int, open, const char*, int, ...);
  if ((flags & O_CREAT) == 0) return original(path, flags);
  va_list more;
  va_start(more, flags);
  const mode_t mode = (mode_t)va_arg(more, int);
  va_end(more);
  const enum Fate fate = fate_of("open", path);
  if (fate != kWorks) return fail_by(fate, errno);
  return original(path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int statvfs(const char* path, struct statvfs* space) {
  ORIGINAL(int, statvfs, const char*, struct statvfs*);
  const int failed = original(path, space);
  if (is_full()) space->f_bavail = 0;
  return failed;
}
