#include "dispatch.h"

#include <openssl/crypto.h>
#include <stdbool.h>
#include <string.h>

// True when one of the names between colons is this one.
static bool has_name(const char *names, const char *name) {
  size_t length = strlen(name);
  while (*names != 0) {
    size_t each = strcspn(names, ":");
    if (each == length && OPENSSL_strncasecmp(names, name, length) == 0) return true;
    names += each + (names[each] == ':');
  }
  return false;
}

const OSSL_DISPATCH *adit_dispatch(const OSSL_PROVIDER *provider, int operation, const char *name) {
  int no_cache = 0;
  const OSSL_ALGORITHM *each = OSSL_PROVIDER_query_operation(provider, operation, &no_cache);
  for (; each != NULL && each->algorithm_names != NULL; each++) {
    if (has_name(each->algorithm_names, name)) return each->implementation;
  }
  return NULL;
}
