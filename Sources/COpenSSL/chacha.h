// ChaCha20-Poly1305 (RFC 8439 section 2.8) of packets, put together from the provider's cipher and its authenticator.
//
// OpenSSL's own AEAD makes the one-time key, the blocks of the text and its last, partial block in three calls, and each costs
// what four to sixteen blocks cost where the processor computes as many side by side; the authenticator is fed in five pieces.
// Here key and text are one run of whole blocks, and what is authenticated is one piece: a third less time for a full packet,
// two thirds for a small one.
#pragma once
#include <openssl/provider.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct adit_chacha adit_chacha;

// What longer texts and additional data are for OpenSSL's own.
enum { adit_chacha_most_text = 2048, adit_chacha_most_aad = 16 };

// NULL when the provider lacks one of the two.
adit_chacha *adit_chacha_new(const OSSL_PROVIDER *provider, const uint8_t *key, size_t key_size);
void adit_chacha_free(adit_chacha *chacha);

bool adit_chacha_rekey(adit_chacha *chacha, const uint8_t *key, size_t key_size);

// As adit_aead_seal and adit_aead_open; nothing is written when the tag does not fit.
bool adit_chacha_seal(adit_chacha *chacha, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *plain,
                      size_t size, uint8_t *sealed, uint8_t *tag);
bool adit_chacha_open(adit_chacha *chacha, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *sealed,
                      size_t size, uint8_t *plain, const uint8_t *tag);
