// An AEAD cipher of OpenSSL's provider, called without EVP between: EVP asks the provider for the nonce's length by name on
// every packet, and its calls cost as much as the cipher does on a few hundred bytes.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct adit_aead adit_aead;

// One direction, keyed once. NULL when nothing provides the cipher, or it wants another key.
adit_aead *adit_aead_new(const char *cipher, const uint8_t *key, size_t key_size, bool seals);
void adit_aead_free(adit_aead *aead);

bool adit_aead_rekey(adit_aead *aead, const uint8_t *key, size_t key_size);

// 12 bytes of nonce and 16 of tag. In place is allowed. False when OpenSSL failed, or the tag does not fit.
bool adit_aead_seal(adit_aead *aead, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *plain, size_t size,
                    uint8_t *sealed, uint8_t *tag);
bool adit_aead_open(adit_aead *aead, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *sealed, size_t size,
                    uint8_t *plain, const uint8_t *tag);
