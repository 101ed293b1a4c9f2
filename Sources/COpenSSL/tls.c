#include "tls.h"

void adit_tls_start(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_LOAD_SSL_STRINGS, NULL);
}

void adit_tls_plain_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_clear_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE);
  SSL_CTX_set_mode(context, SSL_MODE_AUTO_RETRY | SSL_MODE_RELEASE_BUFFERS);
}

int adit_tls_set_versions(SSL_CTX *context, int minimum, int maximum) {
  return SSL_CTX_set_min_proto_version(context, minimum) == 1 && SSL_CTX_set_max_proto_version(context, maximum) == 1;
}

int adit_tls_set_groups(SSL_CTX *context, const char *list) { return SSL_CTX_set1_groups_list(context, list) == 1; }

int adit_tls_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

void adit_tls_server_options(SSL_CTX *context) {
  SSL_CTX_set_dh_auto(context, 1);
  SSL_CTX_set_num_tickets(context, 0);
}

unsigned long adit_tls_crl_flags(void) { return X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL; }

int adit_x509_netscape_type(const X509 *certificate) {
  ASN1_BIT_STRING *bits = X509_get_ext_d2i(certificate, NID_netscape_cert_type, NULL, NULL);
  if (bits == NULL) return -1;
  int octet = ASN1_STRING_length(bits) > 0 ? ASN1_STRING_get0_data(bits)[0] : 0;
  ASN1_BIT_STRING_free(bits);
  return octet;
}
