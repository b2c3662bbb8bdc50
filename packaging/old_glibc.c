/* What g++ 12 and its libstdc++ take from glibc 2.29 to 2.36, in terms of glibc 2.27, so that a release also runs where glibc is older.
   scripts/release.sh links it into the wheels and the tarball, and nothing else does. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

/* glibc 2.32. libstdc++ counts references without atomic instructions where this is true; false is always safe. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

/* glibc 2.36, for std::random_device. */
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort(); /* so few bytes come whole */
  return number;
}

/* glibc 2.30, for std::condition_variable::wait_for. The wait is measured on the clock of the condition, which is the real-time clock. A
   change of that clock while a thread waits makes the wait shorter or longer, as it does for every program built with glibc 2.29. */
__attribute__((visibility("hidden"))) int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                                                 const struct timespec* until) {
  struct timespec now, end;
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += until->tv_sec - now.tv_sec;
  end.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (end.tv_nsec >= 1000000000) {
    end.tv_nsec -= 1000000000;
    ++end.tv_sec;
  } else if (end.tv_nsec < 0) {
    end.tv_nsec += 1000000000;
    --end.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &end);
}

/* glibc 2.29 gave these a new version, which sets errno in another way and computes the same. The linker puts __wrap_log in the place of
   log (-Wl,--wrap=log). */
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#endif
double first_log(double), first_exp(double), first_pow(double, double);
__asm__(".symver first_log, log@" FIRST_VERSION);
__asm__(".symver first_exp, exp@" FIRST_VERSION);
__asm__(".symver first_pow, pow@" FIRST_VERSION);
double __wrap_log(double), __wrap_exp(double), __wrap_pow(double, double);
__attribute__((visibility("hidden"))) double __wrap_log(double x) { return first_log(x); }
__attribute__((visibility("hidden"))) double __wrap_exp(double x) { return first_exp(x); }
__attribute__((visibility("hidden"))) double __wrap_pow(double x, double y) { return first_pow(x, y); }
