# Five minutes of traffic both ways: neither memory nor descriptors grow.
# limit: 400 s
. Tests/Namespaces/soak.sh
steady 300 50 256
