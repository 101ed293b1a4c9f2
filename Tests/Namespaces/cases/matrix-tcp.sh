# TCP with every wrap, every kind of cipher.
lab_up; lab_pki; . Tests/Namespaces/matrix.sh
cell tcp none AES-256-GCM SHA1
cell tcp tls-auth CHACHA20-POLY1305 SHA256
cell tcp tls-crypt AES-192-GCM SHA1
cell tcp tls-crypt-v2 AES-256-GCM SHA1
cell tcp none AES-256-CBC SHA1
cell tcp tls-crypt AES-192-CBC SHA512
cell tcp tls-crypt-v2 CHACHA20-POLY1305 SHA1
