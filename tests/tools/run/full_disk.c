/* Preloaded into a program: its disk is full while the file $SENET_FULL_DISK exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int is_full(void) {
  const char* const flag = getenv("SENET_FULL_DISK");
  return flag != NULL && access(flag, F_OK) == 0;
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  ssize_t (*original)(int, const void*, size_t, off_t);
  *(void**)&original = dlsym(RTLD_NEXT, "pwrite");
  if (!is_full()) return original(file, bytes, size, at);
  errno = ENOSPC;
  return -1;
}

int statvfs(const char* path, struct statvfs* space) {
  int (*original)(const char*, struct statvfs*);
  *(void**)&original = dlsym(RTLD_NEXT, "statvfs");
  const int failed = original(path, space);
  if (is_full()) space->f_bavail = 0;
  return failed;
}
