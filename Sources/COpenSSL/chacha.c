#include "chacha.h"

#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <string.h>

#include "dispatch.h"

enum { block_size = 64, counter_size = 4, nonce_size = 12, one_time_key_size = 32, lane_size = 16 };
enum { run_size = block_size + adit_chacha_most_text };

struct adit_chacha {
  void *cipher;
  OSSL_FUNC_cipher_freectx_fn *free_cipher;
  OSSL_FUNC_cipher_encrypt_init_fn *begin;
  OSSL_FUNC_cipher_update_fn *update;
  void *authenticator;
  OSSL_FUNC_mac_freectx_fn *free_authenticator;
  OSSL_FUNC_mac_init_fn *begin_tag;
  OSSL_FUNC_mac_update_fn *update_tag;
  OSSL_FUNC_mac_final_fn *finish_tag;
  // A block of zeros, which becomes the one-time key, and the text. Behind it the lengths find room.
  uint8_t in[run_size + lane_size];
  uint8_t out[run_size + lane_size];
};

static void read_cipher(adit_chacha *chacha, const OSSL_PROVIDER *provider) {
  const OSSL_DISPATCH *entry = adit_dispatch(provider, OSSL_OP_CIPHER, "ChaCha20");
  for (; entry != NULL && entry->function_id != 0; entry++) {
    switch (entry->function_id) {
      case OSSL_FUNC_CIPHER_NEWCTX:
        chacha->cipher = OSSL_FUNC_cipher_newctx(entry)(OSSL_PROVIDER_get0_provider_ctx(provider));
        break;
      case OSSL_FUNC_CIPHER_FREECTX: chacha->free_cipher = OSSL_FUNC_cipher_freectx(entry); break;
      case OSSL_FUNC_CIPHER_ENCRYPT_INIT: chacha->begin = OSSL_FUNC_cipher_encrypt_init(entry); break;
      case OSSL_FUNC_CIPHER_UPDATE: chacha->update = OSSL_FUNC_cipher_update(entry); break;
      default: break;
    }
  }
}

static void read_authenticator(adit_chacha *chacha, const OSSL_PROVIDER *provider) {
  const OSSL_DISPATCH *entry = adit_dispatch(provider, OSSL_OP_MAC, "POLY1305");
  for (; entry != NULL && entry->function_id != 0; entry++) {
    switch (entry->function_id) {
      case OSSL_FUNC_MAC_NEWCTX:
        chacha->authenticator = OSSL_FUNC_mac_newctx(entry)(OSSL_PROVIDER_get0_provider_ctx(provider));
        break;
      case OSSL_FUNC_MAC_FREECTX: chacha->free_authenticator = OSSL_FUNC_mac_freectx(entry); break;
      case OSSL_FUNC_MAC_INIT: chacha->begin_tag = OSSL_FUNC_mac_init(entry); break;
      case OSSL_FUNC_MAC_UPDATE: chacha->update_tag = OSSL_FUNC_mac_update(entry); break;
      case OSSL_FUNC_MAC_FINAL: chacha->finish_tag = OSSL_FUNC_mac_final(entry); break;
      default: break;
    }
  }
}

adit_chacha *adit_chacha_new(const OSSL_PROVIDER *provider, const uint8_t *key, size_t key_size) {
  adit_chacha *chacha = OPENSSL_zalloc(sizeof *chacha);
  if (chacha == NULL) return NULL;
  read_cipher(chacha, provider);
  read_authenticator(chacha, provider);
  if (chacha->cipher && chacha->free_cipher && chacha->begin && chacha->update && chacha->authenticator &&
      chacha->free_authenticator && chacha->begin_tag && chacha->update_tag && chacha->finish_tag &&
      adit_chacha_rekey(chacha, key, key_size)) {
    return chacha;
  }
  adit_chacha_free(chacha);
  return NULL;
}

void adit_chacha_free(adit_chacha *chacha) {
  if (chacha == NULL) return;
  if (chacha->cipher && chacha->free_cipher) chacha->free_cipher(chacha->cipher);
  if (chacha->authenticator && chacha->free_authenticator) chacha->free_authenticator(chacha->authenticator);
  OPENSSL_clear_free(chacha, sizeof *chacha);
}

bool adit_chacha_rekey(adit_chacha *chacha, const uint8_t *key, size_t key_size) {
  return chacha->begin(chacha->cipher, key, key_size, NULL, 0, NULL);
}

// From in to out, which may be one: block 0 of the key stream, whose half is the one-time key, and then the text's.
static bool run(adit_chacha *chacha, const uint8_t *nonce, const uint8_t *text, size_t size, uint8_t *out) {
  uint8_t iv[counter_size + nonce_size] = {0};
  memcpy(iv + counter_size, nonce, nonce_size);
  memset(chacha->in, 0, block_size);
  memcpy(chacha->in + block_size, text, size);
  size_t blocks = block_size + (size + block_size - 1) / block_size * block_size, written = 0;
  return chacha->begin(chacha->cipher, NULL, 0, iv, sizeof iv, NULL) &&
         chacha->update(chacha->cipher, out, &written, blocks, chacha->in, blocks);
}

static void write_u64(uint8_t *out, uint64_t value) {
  for (int byte = 0; byte < 8; byte++) out[byte] = (uint8_t)(value >> 8 * byte);
}

// The tag over the additional data, padded, the sealed text behind them in chacha->in, padded, and the lengths of both.
// It takes the place of the end of the first block and of what lies behind the text.
static bool make_tag(adit_chacha *chacha, const uint8_t *one_time_key, const uint8_t *aad, size_t aad_size, size_t size,
                     uint8_t *tag) {
  if (!chacha->begin_tag(chacha->authenticator, one_time_key, one_time_key_size, NULL)) return false;
  uint8_t *first = chacha->in + block_size - lane_size;
  memset(first, 0, lane_size);
  memcpy(first, aad, aad_size);
  size_t padded = (size + lane_size - 1) / lane_size * lane_size;
  uint8_t *end = chacha->in + block_size + padded;
  memset(chacha->in + block_size + size, 0, padded - size);
  write_u64(end, aad_size);
  write_u64(end + 8, size);
  size_t written = 0;
  return chacha->update_tag(chacha->authenticator, first, (size_t)(end + lane_size - first)) &&
         chacha->finish_tag(chacha->authenticator, tag, &written, lane_size);
}

bool adit_chacha_seal(adit_chacha *chacha, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *plain,
                      size_t size, uint8_t *sealed, uint8_t *tag) {
  if (!run(chacha, nonce, plain, size, chacha->in)) return false;
  if (!make_tag(chacha, chacha->in, aad, aad_size, size, tag)) return false;
  memcpy(sealed, chacha->in + block_size, size);
  return true;
}

bool adit_chacha_open(adit_chacha *chacha, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *sealed,
                      size_t size, uint8_t *plain, const uint8_t *tag) {
  uint8_t right[lane_size];
  if (!run(chacha, nonce, sealed, size, chacha->out)) return false;
  if (!make_tag(chacha, chacha->out, aad, aad_size, size, right)) return false;
  if (CRYPTO_memcmp(right, tag, sizeof right) != 0) return false;
  memcpy(plain, chacha->out + block_size, size);
  return true;
}
