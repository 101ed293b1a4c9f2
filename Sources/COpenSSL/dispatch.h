// The functions of a provider, found by an algorithm's name.
#pragma once
#include <openssl/core_dispatch.h>
#include <openssl/provider.h>

// NULL when that provider has no such algorithm. operation: OSSL_OP_CIPHER, OSSL_OP_MAC...
const OSSL_DISPATCH *adit_dispatch(const OSSL_PROVIDER *provider, int operation, const char *name);
