// The one convention of this target: a result, or the negated errno; EINTR means again.
#pragma once
#include <errno.h>

#define ADIT_CALL(expression)                                                                                         \
  ({                                                                                                                  \
    long result_;                                                                                                     \
    do {                                                                                                              \
      result_ = (long)(expression);                                                                                   \
    } while (result_ < 0 && errno == EINTR);                                                                          \
    result_ < 0 ? -(long)errno : result_;                                                                             \
  })
