// What the TLS room needs of OpenSSL and Swift cannot import: the macros over SSL_CTX_ctrl and the 64-bit option bits.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// Starts libssl without reading openssl.cnf: a distribution's file must not change which servers we can reach.
void adit_tls_start(void);

/// No tickets, no compression, no renegotiation, no session cache, one record per write, no idle buffers.
void adit_tls_plain_options(SSL_CTX *context);

/// `maximum` 0 = the newest.
int adit_tls_set_versions(SSL_CTX *context, int minimum, int maximum);

int adit_tls_set_groups(SSL_CTX *context, const char *list);

/// Takes a reference of its own.
int adit_tls_add_chain_certificate(SSL_CTX *context, X509 *certificate);

/// Parameters for DHE with TLS 1.2, and no session tickets: what only a server needs.
void adit_tls_server_options(SSL_CTX *context);

/// The X509_V_FLAG_* that ask for a CRL of every issuer.
unsigned long adit_tls_crl_flags(void);

/// The first octet of nsCertType, or -1 without the extension.
int adit_x509_netscape_type(const X509 *certificate);
