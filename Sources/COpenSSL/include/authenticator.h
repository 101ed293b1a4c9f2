// HMAC whose two padded key blocks are digested once, so that a message costs neither them nor an allocation.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum adit_digest { ADIT_MD5, ADIT_SHA1, ADIT_SHA224, ADIT_SHA256, ADIT_SHA384, ADIT_SHA512 };

typedef struct adit_hmac adit_hmac;

// block: the key, padded with zeros to the digest's block (64 bytes; 128 from SHA-384 on). NULL without memory.
adit_hmac *adit_hmac_new(enum adit_digest digest, const uint8_t *block);
void adit_hmac_free(adit_hmac *hmac);

// One message at a time: begin, update any number of times, finish.
void adit_hmac_begin(adit_hmac *hmac);
void adit_hmac_update(adit_hmac *hmac, const void *bytes, size_t count);
void adit_hmac_finish(adit_hmac *hmac, uint8_t *tag);
