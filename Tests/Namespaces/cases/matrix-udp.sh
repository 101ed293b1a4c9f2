# UDP with every wrap, every kind of cipher.
lab_up; lab_pki; . Tests/Namespaces/matrix.sh
cell udp none AES-256-GCM SHA1
cell udp tls-auth AES-256-GCM SHA512
cell udp tls-crypt AES-256-GCM SHA1
cell udp tls-crypt-v2 AES-256-GCM SHA1
cell udp none CHACHA20-POLY1305 SHA1
cell udp tls-crypt AES-128-GCM SHA256
cell udp tls-auth AES-256-CBC SHA256
cell udp tls-crypt-v2 AES-128-CBC SHA1
