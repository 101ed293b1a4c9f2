// provider-cipher(7) is the contract: what a provider hands out as OSSL_DISPATCH is what EVP itself calls, and stays the same
// between releases.
#include "aead.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "chacha.h"
#include "dispatch.h"

enum { nonce_size = 12, tag_size = 16 };

struct adit_aead {
  EVP_CIPHER *cipher;  // Keeps the provider loaded.
  void *context;
  OSSL_FUNC_cipher_newctx_fn *create;
  OSSL_FUNC_cipher_freectx_fn *destroy;
  OSSL_FUNC_cipher_encrypt_init_fn *begin;  // Or decrypt_init: they have one type.
  OSSL_FUNC_cipher_update_fn *update;
  OSSL_FUNC_cipher_final_fn *finish;
  OSSL_FUNC_cipher_get_ctx_params_fn *get;
  OSSL_FUNC_cipher_set_ctx_params_fn *set;
  size_t key_size;
  OSSL_PARAM tag[2];
  adit_chacha *chacha;  // With ChaCha20-Poly1305, for packets.
};

static bool read_table(adit_aead *aead, const OSSL_DISPATCH *entry, bool seals) {
  if (entry == NULL) return false;
  for (; entry->function_id != 0; entry++) {
    switch (entry->function_id) {
      case OSSL_FUNC_CIPHER_NEWCTX: aead->create = OSSL_FUNC_cipher_newctx(entry); break;
      case OSSL_FUNC_CIPHER_FREECTX: aead->destroy = OSSL_FUNC_cipher_freectx(entry); break;
      case OSSL_FUNC_CIPHER_ENCRYPT_INIT: if (seals) aead->begin = OSSL_FUNC_cipher_encrypt_init(entry); break;
      case OSSL_FUNC_CIPHER_DECRYPT_INIT: if (!seals) aead->begin = OSSL_FUNC_cipher_decrypt_init(entry); break;
      case OSSL_FUNC_CIPHER_UPDATE: aead->update = OSSL_FUNC_cipher_update(entry); break;
      case OSSL_FUNC_CIPHER_FINAL: aead->finish = OSSL_FUNC_cipher_final(entry); break;
      case OSSL_FUNC_CIPHER_GET_CTX_PARAMS: aead->get = OSSL_FUNC_cipher_get_ctx_params(entry); break;
      case OSSL_FUNC_CIPHER_SET_CTX_PARAMS: aead->set = OSSL_FUNC_cipher_set_ctx_params(entry); break;
      default: break;
    }
  }
  return aead->create && aead->destroy && aead->begin && aead->update && aead->finish && aead->get && aead->set;
}

adit_aead *adit_aead_new(const char *name, const uint8_t *key, size_t key_size, bool seals) {
  adit_aead *aead = OPENSSL_zalloc(sizeof *aead);
  if (aead == NULL) return NULL;
  aead->cipher = EVP_CIPHER_fetch(NULL, name, NULL);
  aead->key_size = key_size;
  aead->tag[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, tag_size);
  aead->tag[1] = OSSL_PARAM_construct_end();
  if (aead->cipher != NULL && EVP_CIPHER_get_key_length(aead->cipher) == (int)key_size &&
      EVP_CIPHER_get_iv_length(aead->cipher) == nonce_size) {
    const OSSL_PROVIDER *provider = EVP_CIPHER_get0_provider(aead->cipher);
    if (read_table(aead, adit_dispatch(provider, OSSL_OP_CIPHER, name), seals)) {
      aead->context = aead->create(OSSL_PROVIDER_get0_provider_ctx(provider));
    }
    if (aead->context != NULL && aead->begin(aead->context, key, key_size, NULL, 0, NULL)) {
      if (EVP_CIPHER_is_a(aead->cipher, "ChaCha20-Poly1305")) aead->chacha = adit_chacha_new(provider, key, key_size);
      return aead;
    }
  }
  adit_aead_free(aead);
  return NULL;
}

void adit_aead_free(adit_aead *aead) {
  if (aead == NULL) return;
  if (aead->context != NULL) aead->destroy(aead->context);
  adit_chacha_free(aead->chacha);
  EVP_CIPHER_free(aead->cipher);
  OPENSSL_free(aead);
}

bool adit_aead_rekey(adit_aead *aead, const uint8_t *key, size_t key_size) {
  return key_size == aead->key_size && aead->begin(aead->context, key, key_size, NULL, 0, NULL) &&
         (aead->chacha == NULL || adit_chacha_rekey(aead->chacha, key, key_size));
}

static bool is_for_chacha(const adit_aead *aead, size_t aad_size, size_t size) {
  return aead->chacha != NULL && size <= adit_chacha_most_text && aad_size <= adit_chacha_most_aad;
}

bool adit_aead_seal(adit_aead *aead, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *plain, size_t size,
                    uint8_t *sealed, uint8_t *tag) {
  if (is_for_chacha(aead, aad_size, size)) {
    return adit_chacha_seal(aead->chacha, nonce, aad, aad_size, plain, size, sealed, tag);
  }
  size_t written = 0;
  aead->tag[0].data = tag;
  return aead->begin(aead->context, NULL, 0, nonce, nonce_size, NULL) &&
         aead->update(aead->context, NULL, &written, aad_size, aad, aad_size) &&
         aead->update(aead->context, sealed, &written, size, plain, size) &&
         aead->finish(aead->context, sealed + size, &written, 0) && aead->get(aead->context, aead->tag);
}

bool adit_aead_open(adit_aead *aead, const uint8_t *nonce, const uint8_t *aad, size_t aad_size, const uint8_t *sealed, size_t size,
                    uint8_t *plain, const uint8_t *tag) {
  if (is_for_chacha(aead, aad_size, size)) {
    return adit_chacha_open(aead->chacha, nonce, aad, aad_size, sealed, size, plain, tag);
  }
  size_t written = 0;
  aead->tag[0].data = (void *)tag;
  return aead->begin(aead->context, NULL, 0, nonce, nonce_size, NULL) &&
         aead->update(aead->context, NULL, &written, aad_size, aad, aad_size) &&
         aead->update(aead->context, plain, &written, size, sealed, size) && aead->set(aead->context, aead->tag) &&
         aead->finish(aead->context, plain + size, &written, 0);
}
