// OpenSSL 3.0's EVP allocates whenever a digest or an HMAC starts anew, which the data lane may not. Its older digest
// functions work on plain structs, so a state can be kept and copied.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "authenticator.h"

#include <openssl/crypto.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <string.h>

typedef union {
  MD5_CTX md5;
  SHA_CTX sha1;
  SHA256_CTX sha256;  // SHA-224 too
  SHA512_CTX sha512;  // SHA-384 too
} state;

struct adit_hmac {
  enum adit_digest digest;
  state inner, outer, running;
};

static size_t block_size(enum adit_digest digest) { return digest < ADIT_SHA384 ? 64 : 128; }

static size_t tag_size(enum adit_digest digest) {
  static const size_t sizes[] = {16, 20, 28, 32, 48, 64};
  return sizes[digest];
}

static void start(enum adit_digest digest, state *s) {
  switch (digest) {
    case ADIT_MD5: MD5_Init(&s->md5); break;
    case ADIT_SHA1: SHA1_Init(&s->sha1); break;
    case ADIT_SHA224: SHA224_Init(&s->sha256); break;
    case ADIT_SHA256: SHA256_Init(&s->sha256); break;
    case ADIT_SHA384: SHA384_Init(&s->sha512); break;
    case ADIT_SHA512: SHA512_Init(&s->sha512); break;
  }
}

static void absorb(enum adit_digest digest, state *s, const void *bytes, size_t count) {
  switch (digest) {
    case ADIT_MD5: MD5_Update(&s->md5, bytes, count); break;
    case ADIT_SHA1: SHA1_Update(&s->sha1, bytes, count); break;
    case ADIT_SHA224: SHA224_Update(&s->sha256, bytes, count); break;
    case ADIT_SHA256: SHA256_Update(&s->sha256, bytes, count); break;
    case ADIT_SHA384: SHA384_Update(&s->sha512, bytes, count); break;
    case ADIT_SHA512: SHA512_Update(&s->sha512, bytes, count); break;
  }
}

static void squeeze(enum adit_digest digest, state *s, uint8_t *out) {
  switch (digest) {
    case ADIT_MD5: MD5_Final(out, &s->md5); break;
    case ADIT_SHA1: SHA1_Final(out, &s->sha1); break;
    case ADIT_SHA224: SHA224_Final(out, &s->sha256); break;
    case ADIT_SHA256: SHA256_Final(out, &s->sha256); break;
    case ADIT_SHA384: SHA384_Final(out, &s->sha512); break;
    case ADIT_SHA512: SHA512_Final(out, &s->sha512); break;
  }
}

static void start_with_key(enum adit_digest digest, state *s, const uint8_t *block, uint8_t mask) {
  uint8_t padded[128];
  size_t count = block_size(digest);
  for (size_t i = 0; i < count; i++) padded[i] = block[i] ^ mask;
  start(digest, s);
  absorb(digest, s, padded, count);
  OPENSSL_cleanse(padded, sizeof padded);
}

adit_hmac *adit_hmac_new(enum adit_digest digest, const uint8_t *block) {
  adit_hmac *hmac = OPENSSL_zalloc(sizeof *hmac);
  if (!hmac) return NULL;
  hmac->digest = digest;
  start_with_key(digest, &hmac->inner, block, 0x36);
  start_with_key(digest, &hmac->outer, block, 0x5c);
  return hmac;
}

void adit_hmac_free(adit_hmac *hmac) { OPENSSL_clear_free(hmac, sizeof *hmac); }

void adit_hmac_begin(adit_hmac *hmac) { hmac->running = hmac->inner; }

void adit_hmac_update(adit_hmac *hmac, const void *bytes, size_t count) {
  absorb(hmac->digest, &hmac->running, bytes, count);
}

void adit_hmac_finish(adit_hmac *hmac, uint8_t *tag) {
  uint8_t inner[64];
  squeeze(hmac->digest, &hmac->running, inner);
  hmac->running = hmac->outer;
  absorb(hmac->digest, &hmac->running, inner, tag_size(hmac->digest));
  squeeze(hmac->digest, &hmac->running, tag);
}
